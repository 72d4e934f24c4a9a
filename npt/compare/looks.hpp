// SPDX-License-Identifier: MIT
//
// The looks at an arm's runs: which of the gaps, and these gaps' rounds (comparison_run.hpp says what they are for).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "merged_phase.hpp"

namespace maxlat::npt {

struct Look {
  std::string gaps;                // core::Phase::gaps
  std::vector<RoundOfArm> rounds;  // complete ones
};

struct ArmLooks {
  std::vector<Look> looks;                     // the first is the whole run
  std::map<std::string, std::string> missing;  // by gaps: "3 of 8 rounds have no ..."
};

// Files a round of one of the looks, which is told by its Phase::gaps.
void enter(RoundOfArm round, std::vector<Look>& looks);

// nullptr: the arm does not have it.
const Look* look_at(const std::vector<Look>& looks, const std::string& gaps);

// All rounds are in. Leaves each arm with the looks that can be compared, under names that tell them apart, and returns
// these names, that with the tracepoints first: also where an arm, or the base, turns out not to have it.
std::vector<std::string> arrange_looks(const std::vector<ArmLooks*>& arms, unsigned complete_rounds);

}  // namespace maxlat::npt
