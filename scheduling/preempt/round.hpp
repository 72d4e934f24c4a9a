// SPDX-License-Identifier: MIT
//
// One round: what the two threads read from the counter, and what that says.
//
//   running   spin_begin ...... before |                      | after     spins, keeps its last read; ends at `after`,
//                                      |                      |           or when it has waited too long: gave_up
//   woken        (sleeps)       wake ~~|~~> first .. last     |           `wake` is when its timer was set to
//                                latency = first - wake
//
// The woken thread preempted if it ran inside a gap of the running one, while that still wanted the CPU. Both are bound
// to one CPU, so what falls out of the gap means that they were not on one CPU; that is no preemption. A round tells
// nothing if somebody else had the CPU at the moment of the wake-up: the gap begins too early then, or the running
// thread had not begun to spin.
#pragma once

#include <cstdint>

namespace maxlat::scheduling {

struct Round {  // in ticks; 0: did not happen
  uint64_t spin_begin = 0;
  uint64_t before = 0, after = 0;  // the running thread's reads around the woken one's first
  uint64_t gave_up = 0;            // it spun up to the limit, and had not seen the woken one
  uint64_t wake = 0, first = 0, last = 0;

  // False: stopped from outside.
  bool ended() const { return after != 0 || gave_up != 0; }
};

enum class RoundOutcome { preempted, waited, untold };

// `tolerance`: by how much the gap may begin before the wake-up. The timer's interrupt may come that early, and the
// moment of the wake-up was taken over from another clock.
RoundOutcome judge(const Round& round, uint64_t tolerance);
// REQUIRES: preempted. A first read that is early by the tolerance is a latency of 0.
inline uint64_t latency_of(const Round& round) {
  return round.first > round.wake ? round.first - round.wake : 0;
}

}  // namespace maxlat::scheduling
