// SPDX-License-Identifier: MIT
//
// A plot as gnuplot commands: text, so that it can be tested without gnuplot and read when a plot looks wrong.
//
// What a user named (a phase, a load) may contain anything, gnuplot's backtick included, which runs a shell command. So
// every text goes through gnuplot_quote(), the terminal does not interpret markup (noenhanced), and data are numbers.
#pragma once

#include <string>
#include <string_view>

#include "plot.hpp"

namespace maxlat::reports {

// The size that all plots are drawn for: two beside each other on a page, one on a phone, with text that is legible on
// both. The page scales them.
inline constexpr int kPlotWidth = 480;
inline constexpr int kPlotHeight = 300;

// 'text' as gnuplot's single-quoted string: no substitution, no escape but the doubled quote, one line.
std::string gnuplot_quote(std::string_view text);

// Commands that draw `plot` as SVG into the file `output`, from a fresh state. `id` names the plot inside the SVG.
std::string gnuplot_script(const Plot& plot, std::string_view id, std::string_view output);

}  // namespace maxlat::reports
