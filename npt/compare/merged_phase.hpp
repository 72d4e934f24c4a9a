// SPDX-License-Identifier: MIT
//
// The rounds of one arm as one phase: samples, exposure, events and bins added up, and a summary of each round.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <span>

namespace maxlat::npt {

struct RoundOfArm {
  unsigned round = 0, order = 0;  // as in core::RoundSummary
  core::Phase phase;              // of one CPU
};

// Facts that are the same in every round stay; of a number that is not, smallest and largest are given. An outlier is
// told with its round, because its time counts from the start of that. REQUIRES: not empty.
core::Phase merged_phase(std::span<const RoundOfArm> rounds);

void add(core::EventCounts& all, const core::EventCounts& one);

}  // namespace maxlat::npt
