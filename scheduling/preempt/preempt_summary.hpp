// SPDX-License-Identifier: MIT
//
// What the pairs of a preemption test say together.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <vector>

namespace maxlat::scheduling {

// Of the pairs with a promise; one that was refused is in none. Lives no longer than the phase.
struct PreemptSummary {
  size_t kept = 0;
  std::vector<const core::PolicyPair*> broken, not_shown;
};
PreemptSummary summary_of(const core::Phase& phase);

// The phase's status and reason from its pairs. REQUIRES: every pair of every CPU is there.
void conclude(core::Phase& phase);

}  // namespace maxlat::scheduling
