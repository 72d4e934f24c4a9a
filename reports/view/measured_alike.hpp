// SPDX-License-Identifier: MIT
//
// Whether two phases are measurements of the same thing, so that their figures may be compared.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>

namespace maxlat::reports {

// In what they were measured otherwise, the first that differs: kind, meter, arm, CPUs, loads, back end, threshold,
// policy, timer, bound, kernel events. Nothing: they are alike.
std::optional<std::string> measured_otherwise(const core::Phase& phase, const core::Phase& baseline);

// The same for one phase, in words: equal when neither is measured otherwise than the other.
std::string how_measured(const core::Phase& phase);

// Maxima grow with the time watched: neither was watched more than twice as long as the other.
bool watched_alike(const core::Phase& one, const core::Phase& other);

}  // namespace maxlat::reports
