// SPDX-License-Identifier: MIT
//
// The one place that runs gnuplot, through gnuplot-iostream.
//
// One process draws all plots of a report: starting gnuplot costs more than a plot (about 20 ms against 5 ms here). The
// commands go through a file in a private folder, and only "load that file" through the pipe, so a gnuplot that dies
// cannot leave us blocked in the middle of a large write (issue 30 of gnuplot-iostream).
//
// gnuplot-iostream tells nothing about gnuplot's end: whether it worked is read from the plots themselves.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "plot.hpp"

namespace maxlat::reports {

// One SVG per plot, as gnuplot writes it, with the id "p0", "p1" and so on.
// ERRORS: no gnuplot (hint: the package), no room for temporary files, gnuplot's own complaint.
core::Result<std::vector<std::string>> draw(const std::vector<Plot>& plots);

std::string plot_id(size_t index);

}  // namespace maxlat::reports
