// SPDX-License-Identifier: MIT
//
// Which pairs of scheduling policies are tried, and what the kernel promises of each (sched(7)).
//
// A thread runs before all others that are below it. The order is
//
//   SCHED_IDLE, SCHED_BATCH, SCHED_OTHER  <  SCHED_FIFO and SCHED_RR, by their priority  <  SCHED_DEADLINE
//
// so a woken thread must preempt one that is below it, and must not preempt one that is above it. Between two of the
// fair policies the scheduler weighs who has had how much: nothing is promised. Between equal priorities a SCHED_FIFO
// thread keeps its CPU; a SCHED_RR thread keeps it until its time slice ends, which may be in the middle of a round:
// nothing is promised there either.
//
// The table has each of seven policies as the one that runs, and each of them and SCHED_DEADLINE as the one that is
// woken. A SCHED_DEADLINE thread that spins would use up its runtime, so it is only woken.
#pragma once

#include <maxlat/core/result/preemption.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <vector>

namespace maxlat::scheduling {

struct PairOfPolicies {
  core::Scheduling running, woken;
  core::PolicyPair::Promise promise;
};

core::PolicyPair::Promise promise_of(const core::Scheduling& running, const core::Scheduling& woken);

// The higher real-time threads have this priority, the lower ones the next below it. REQUIRES: 2 to 99.
std::vector<PairOfPolicies> pairs_of_policies(int priority);

}  // namespace maxlat::scheduling
