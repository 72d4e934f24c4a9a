// SPDX-License-Identifier: MIT
//
// Several results of one meter as one: the CPUs of a phase, or the rounds of an arm. Screen, page, gate and comparison
// merge here and nowhere else, so that they cannot disagree.
//
// INVARIANT (watched by merge_test.cpp): merging conserves. The sum of the merged bins and overflows is the sum of the
// samples of the parts, the merged maximum is the largest of theirs, and each quantile lies between those of the parts.
#pragma once

#include <cstddef>
#include <maxlat/core/result/run_result.hpp>
#include <span>
#include <vector>

namespace maxlat::core {

struct Moments {
  double mean = 0, stddev = 0;
  double samples = 0;
};

// Of all samples together.
Moments pooled(std::span<const Moments> parts);

// Bins that are the same, or that a clock calibrated anew has moved by parts in a million, are added. The largest
// outliers are kept, so many as the part with the most has, `least_outliers` at the least; the timeline holds the
// largest of the parts at each step. A part without samples adds its exposure alone. `cpu` is that of the first.
CpuResult merged(std::span<const CpuResult> parts, std::size_t least_outliers = 0);

// The paths of several rounds as those of one run, in the order in which they are first met.
std::vector<PathResult> merged_paths(std::span<const std::vector<PathResult>> rounds);

// What ran on the CPUs in several stretches of time, added up: of the CPUs that were looked at in each.
std::vector<CpuActivity> merged_activity(std::span<const std::vector<CpuActivity>> stretches);

}  // namespace maxlat::core
