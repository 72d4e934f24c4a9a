// SPDX-License-Identifier: MIT
//
// From millions of bins and days of seconds to what a screen can show, without hiding what matters.
//
// A histogram has thousands of bins per CPU, a plot some hundred columns. Bins are joined, never dropped and never
// split:
//
//   conservation  the sum of the cells' counts is the sum of the bins' counts
//   extremes      the lowest edge and the highest edge stay what they were; a time line keeps each column's largest
//                 value
//   true edges    a cell begins and ends at edges of bins: a bin wider than a column (cyclictest's microseconds) is
//                 drawn as wide as it is, not as a comb of columns
//
// decimate_test.cpp watches all three.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <vector>

namespace maxlat::reports {

// Joins neighbouring bins whose middles fall into the same of `per_decade` logarithmic columns. Bins may come sorted
// from one meter or merged from several; the result ascends. Cost: one pass.
std::vector<core::Bin> join_bins(const std::vector<core::Bin>& bins, unsigned per_decade);

// One step of a staircase: all but the share `above` of the samples are at most `latency_ns`.
struct QuantileStep {
  double latency_ns = 0;
  double above = 0;  // share of samples above latency_ns; 0 for the last
};
// The distribution's staircase from the cells, ending with the exact maximum. `overflows` lie above all cells.
std::vector<QuantileStep> quantile_steps(const core::CpuResult& cpu, unsigned per_decade);

struct TimelineColumn {
  double t_s = 0;  // start of the column
  double width_s = 0;
  double max_ns = 0;
};
// At most `columns` columns, each with the largest of the steps in it; columns without a sample are left out.
std::vector<TimelineColumn> join_steps(const core::Timeline& timeline, size_t columns);

}  // namespace maxlat::reports
