// SPDX-License-Identifier: MIT
//
// Whether a thread of one scheduling policy takes a CPU from a thread of another one, and how fast: a pair of policies
// on one CPU, in rounds. In each round a thread of the policy `running` spins there, and one of the policy `woken` is
// woken.
//
// INVARIANT: rounds = preempted + waited + untold. Of a pair that the kernel refused there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace maxlat::core {

// From the moment of the wake-up to the first instruction of the woken thread.
struct PreemptionLatency {
  double min_ns = 0, median_ns = 0, max_ns = 0;
};

struct PolicyPair {
  // What the kernel promises (sched(7)): that the woken thread preempts; that it does not; neither.
  enum class Promise { must, must_not, may };
  // What the rounds say of the promise. not_shown: there is no round that could have broken it, or kept it.
  enum class Verdict { kept, broken, no_promise, not_shown, refused };

  unsigned cpu = 0;
  std::string running, woken;  // "SCHED_FIFO 94"
  Promise promise = Promise::may;
  uint64_t rounds = 0;
  uint64_t preempted = 0;                    // the woken thread ran while the other one still wanted the CPU
  uint64_t waited = 0;                       // it came only after the other one had ended, or never
  uint64_t untold = 0;                       // the running thread had not the CPU when the other one was woken
  std::optional<PreemptionLatency> latency;  // of the rounds that preempted; absent: none did
  std::string refused{};                     // why the kernel would not have such threads; empty: it had

  Verdict verdict() const;
};

const char* to_string(PolicyPair::Promise promise);  // as in the file: "must not"
// "CPU 1: SCHED_FIFO 95 over SCHED_OTHER"
std::string shown_name(const PolicyPair& pair);
// "CPU 1: SCHED_FIFO 95 over SCHED_OTHER: must preempt, and did not in 1 of 100 rounds". REQUIRES: it is broken.
std::string broken_text(const PolicyPair& pair);

}  // namespace maxlat::core
