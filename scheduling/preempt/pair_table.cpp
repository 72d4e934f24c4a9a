// SPDX-License-Identifier: MIT
#include "pair_table.hpp"

namespace maxlat::scheduling {
namespace {

using core::Policy;
using Promise = core::PolicyPair::Promise;

// In a round the thread runs for some microseconds, and several rounds fit into a period: its runtime is never used up.
constexpr core::Scheduling kDeadline{
    .policy = Policy::deadline, .priority = 0, .runtime_ns = 500'000, .period_ns = 1'000'000};

int rank_of(const core::Scheduling& scheduling) {
  constexpr int kFair = 0, kAboveEveryPriority = 100;
  switch (scheduling.policy) {
    case Policy::fifo:
    case Policy::round_robin:
      return scheduling.priority;
    case Policy::deadline:
      return kAboveEveryPriority;
    case Policy::other:
    case Policy::batch:
    case Policy::idle:
      break;
  }
  return kFair;
}

}  // namespace

Promise promise_of(const core::Scheduling& running, const core::Scheduling& woken) {
  const int above = rank_of(woken) - rank_of(running);
  if (above != 0) return above > 0 ? Promise::must : Promise::must_not;
  return running.policy == Policy::fifo ? Promise::must_not : Promise::may;
}

std::vector<PairOfPolicies> pairs_of_policies(int priority) {
  const std::vector<core::Scheduling> running{{.policy = Policy::idle, .priority = 0},
                                              {.policy = Policy::batch, .priority = 0},
                                              {.policy = Policy::other, .priority = 0},
                                              {.policy = Policy::fifo, .priority = priority - 1},
                                              {.policy = Policy::round_robin, .priority = priority - 1},
                                              {.policy = Policy::fifo, .priority = priority},
                                              {.policy = Policy::round_robin, .priority = priority}};
  std::vector<core::Scheduling> woken = running;
  woken.push_back(kDeadline);
  std::vector<PairOfPolicies> pairs;
  for (const core::Scheduling& below : running)
    for (const core::Scheduling& above : woken) pairs.push_back({below, above, promise_of(below, above)});
  return pairs;
}

}  // namespace maxlat::scheduling
