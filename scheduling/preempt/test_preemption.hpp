// SPDX-License-Identifier: MIT
//
// For tests: a phase of the preemption test, with a pair of each kind.
#pragma once

#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_result.hpp>

namespace maxlat::scheduling::test {

inline core::PolicyPair policy_pair(const std::string& running, const std::string& woken,
                                    core::PolicyPair::Promise promise, uint64_t preempted, uint64_t waited,
                                    uint64_t untold) {
  core::PolicyPair pair{.cpu = 1, .running = running, .woken = woken, .promise = promise, .latency = {}};
  pair.rounds = preempted + waited + untold;
  pair.preempted = preempted;
  pair.waited = waited;
  pair.untold = untold;
  if (preempted > 0) pair.latency = core::PreemptionLatency{.min_ns = 1200, .median_ns = 2300, .max_ns = 45000};
  return pair;
}

// Every promise is kept.
inline core::Phase preempt_phase() {
  using Promise = core::PolicyPair::Promise;
  core::Phase phase;
  phase.name = phase.kind = core::kPreemptKind.name;
  phase.status = core::PhaseStatus::ok;
  core::CpuResult cpu;
  cpu.cpu = 1;
  cpu.exposure_s = 0.01;
  cpu.bins = {{1200, 1201, 49}, {2300, 2301, 49}, {45000, 45001, 1}};
  core::fill_statistics_from_bins(cpu);
  phase.exposure_s = cpu.exposure_s;
  phase.per_cpu = {cpu};
  phase.pairs = {policy_pair("SCHED_OTHER", "SCHED_BATCH", Promise::may, 40, 60, 0),
                 policy_pair("SCHED_OTHER", "SCHED_FIFO 95", Promise::must, 99, 0, 1),
                 policy_pair("SCHED_FIFO 95", "SCHED_OTHER", Promise::must_not, 0, 100, 0),
                 policy_pair("SCHED_FIFO 95", "SCHED_DEADLINE 500 us of 1 ms", Promise::must, 0, 0, 0)};
  phase.pairs.back().refused = "operation not permitted; a cpuset partition";
  return phase;
}

}  // namespace maxlat::scheduling::test
