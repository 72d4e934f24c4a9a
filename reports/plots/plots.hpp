// SPDX-License-Identifier: MIT
//
// Which plots tell a phase, and what is on them. Pure: results in, plots as data out.
//
//   histogram  latency against number of samples, both logarithmic: all CPUs filled, few CPUs each as a line
//   nines      latency against 1 - quantile on a logarithmic axis: how far out the tail is, and how steep it climbs
//   timeline   the largest sample of each second: when it happened, and whether it comes back
//   cpus       minimum, median, p99.9 and maximum of each CPU: one bad core or a bad system
//   outliers   the largest samples with their times
//   load       progress of each load against its own median: a load that stalls spoils what it should provoke
//
// A plot without data is not made. Nothing hides a maximum: it is marked, and decimation keeps it (decimate.hpp).
#pragma once

#include <vector>

#include "plot.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {

std::vector<Plot> plots_of(const PhaseView& view);

}  // namespace maxlat::reports
