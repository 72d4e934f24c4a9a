// SPDX-License-Identifier: MIT
//
// A run against earlier ones. It is worse when a figure is above the baseline's by more than a ratio AND by more than
// noise: small figures differ by much of themselves, and large ones by much in all.
//
// NOISE. Of a series it is what its runs differ by: the distance from their median to the upper end of the middle 95 %.
// One run does not tell how it would differ from itself, so only the resolution of the histograms is known: the width
// of the bin that the figure is in.
//
// COMPARABLE. Never a pass, but invalid, is a comparison with a baseline
//   - whose machine differs in a group that says what a figure is one of (kMustBeTheSame), unless the gate says that it
//     may differ; other groups that differ, such as the kernel, are told;
//   - whose phase of that name is missing, not valid, or was measured on other CPUs, under other loads, by another
//     meter or arm, or was to end at its first sample above a limit;
//   - in whose run a meter did not find the stalls of its positive control;
//   - for a maximum, which grows with what was watched: that was watched more than twice as long, or half as long.
#pragma once

#include <maxlat/reports/gate.hpp>
#include <string>
#include <vector>

#include "judge_rule.hpp"

namespace maxlat::reports {

// One for each metric of the baseline and phase of the run.
std::vector<JudgedRule> judge_baseline(const core::RunResult& run, const Baseline& baseline);
// In what the machines differ, where that does not forbid the comparison.
std::vector<std::string> told_differences(const core::RunResult& run, const Baseline& baseline);

}  // namespace maxlat::reports
