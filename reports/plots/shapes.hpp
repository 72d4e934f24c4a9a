// SPDX-License-Identifier: MIT
//
// The shapes of distributions: what a histogram and a nines plot draw, whatever the plot is about.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <vector>

#include "plot.hpp"

namespace maxlat::reports {

inline constexpr unsigned kCellsPerDecade = 40;
// Gaps up to this factor are crossed by the outline of a line.
inline constexpr double kBridgedGap = 1.35;

// Lowest latency that a logarithmic axis can show: bins from 0 begin at half their upper edge. Without bins (all
// samples beyond the histogram's range) a decade below the maximum.
double visible_low(const core::CpuResult& cpu);

// The cells' outline as strokes, from the baseline up and down again. Gaps up to the factor `bridged` are crossed
// without going down: a counter that ticks every 10 ns leaves one between any two values, and lines that go down at
// each of them hide each other. Every cell is at least a column wide, as far as the next one leaves room: a bin of one
// tick, often the mode of a latency loop, would be a hair at the scale of the plot.
std::vector<Stroke> outline(const std::vector<core::Bin>& cells, double axis_low, double baseline, double bridged);

// x: nines of the share at or below; y: latency. The last step ends at the nines that n samples resolve.
Stroke nines_stroke(const core::CpuResult& cpu, double axis_low);

}  // namespace maxlat::reports
