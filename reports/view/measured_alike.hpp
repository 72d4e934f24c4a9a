// SPDX-License-Identifier: MIT
//
// Whether two phases are measurements of the same thing, so that their figures may be compared.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

// In what they were measured otherwise, the first that differs: kind, meter, arm, CPUs, loads, back end, threshold,
// policy, timer, bound, kernel events. Nothing: they are alike.
std::optional<std::string> measured_otherwise(const core::Phase& phase, const core::Phase& baseline);

// The same for one phase, in words: equal when neither is measured otherwise than the other.
std::string how_measured(const core::Phase& phase);

// Whether the figures are no more than an upper bound (core::is_upper_bound()), by those words.
bool tells_upper_bound(const std::string& how_measured);

// Maxima grow with the time watched: neither was watched more than twice as long as the other.
bool watched_alike(const core::Phase& one, const core::Phase& other);

// Why the maxima of these measurements do not compare, or are of an unknown time. Nothing: they were watched alike.
// REQUIRES: one or more.
std::optional<std::string> maxima_apart_because(const std::vector<const core::Phase*>& phases);

// Of runs that are taken as repeats of one build on one box, the first that was not made on the machine, in the state
// and with the kernel of those before it: "run B is no repeat of run A: kernel: release is 6.12, was 6.1". Runs that do
// not tell their machine are taken as told. Nothing: all may be repeats.
std::optional<std::string> no_repeats_because(const std::vector<const core::RunResult*>& runs);

}  // namespace maxlat::reports
