// SPDX-License-Identifier: MIT
#pragma once

#include "plots/plot.hpp"
#include "series.hpp"

namespace maxlat::reports {

// Median, tail and maximum of each run by the time at which it began, changes marked. REQUIRES: a run.
Plot trend_plot(const TrendLine& line);

}  // namespace maxlat::reports
