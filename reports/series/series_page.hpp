// SPDX-License-Identifier: MIT
#pragma once

#include "series_words.hpp"

namespace maxlat::reports {

// One HTML file, as a report's: the answers, a plot and a table of each line, the changes with what changed in the
// machine, what is set aside. ERRORS: gnuplot fails.
core::Result<std::string> series_page(const Trends& trends, const SeriesRuns& runs);

}  // namespace maxlat::reports
