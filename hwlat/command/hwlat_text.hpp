// SPDX-License-Identifier: MIT
//
// A hardware latency measurement as text, in hwlatdetect's layout: what was asked for, one line a finding, the maximum,
// MTBF; and what hwlatdetect does not tell: back end, exposure, rate with interval, causes.
#pragma once

#include <maxlat/core/result/raw_gaps.hpp>
#include <string>
#include <vector>

#include "backend.hpp"

namespace maxlat::hwlat {

std::string settings_text(const Settings& settings, std::string_view back_end);
std::string finding_text(const Finding& finding);
// `hard_limit_ns` 0: none was given.
std::string result_text(const Measurement& measured, const Settings& settings, uint64_t hard_limit_ns);

// Samples above the threshold, over all CPUs: counted, or at most so many by the bins (core::samples_above).
uint64_t samples_above(const Measurement& measured, uint64_t threshold_ns);
double largest_ns(const core::Phase& phase);
// The findings of each CPU that was watched. What was above the threshold and is no finding of its own, because a back
// end keeps the largest alone, or one a window, is not kept there either, and counted.
std::vector<core::RawGaps> raw_findings(const Measurement& measured, uint64_t threshold_ns);

}  // namespace maxlat::hwlat
