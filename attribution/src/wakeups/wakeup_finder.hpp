// SPDX-License-Identifier: MIT
//
// The wake-ups of a timer's thread in another program, found in the kernel's events of its CPU:
//
//     set for      due            interrupt            woken               ran            back
//   --|-- sleeps --|--------------|=== handler ========|-------------------|--- thread ---|--
//     hrtimer_start               local_timer_entry    sched_waking        sched_switch   hrtimer_start
//
// Where it ends: the program reads its clock between the switch and the next setting of its timer, which cyclictest
// does at once. So a wake-up ends there (tracefs), or where the thread sleeps again (our module): what delays it behind
// the switch is in it, and it is longer than the program's own figure by the way from that read to there.
//
// Which thread: the first of that name and priority on this CPU that `is_meters` takes. When it was due: the time that
// it set its timer to before it slept (tracefs), or the lateness with which the timer expired (our module). Without
// either, or where the two are of different clocks, `due` is the interrupt, and is_due_known false.
//
// LIMIT    By our module, of a timer that expires behind another in the same interrupt: its lateness is as of the
//          interrupt's beginning, so it seems due later by what the other's function took.
// THREADS  one at a time. One object for each CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/kernel_watch.hpp>
#include <optional>

#include "monotonic_ticks.hpp"

namespace maxlat::attribution {

struct Wakeup {
  uint64_t due = 0, interrupt = 0, woken = 0, ran = 0, back = 0;  // ticks, in this order
  bool is_due_known = false;
  uint64_t function = 0;  // of its timer
};

class WakeupFinder {
 public:
  using IsMeters = std::function<bool(int32_t thread)>;

  WakeupFinder(WatchedThreads threads, IsMeters is_meters)
      : threads_(std::move(threads)), is_meters_(std::move(is_meters)) {}

  // A wake-up that is complete with this event. REQUIRES: events in the order in which the CPU recorded them.
  std::optional<Wakeup> see(const KernelEvent& event, const MonotonicTicks& monotonic);

  int32_t thread() const { return thread_; }  // 0: not met yet

 private:
  static constexpr size_t kMostKnown = 64;  // of threads that may turn out to be the meter's

  bool is_meters(const KernelEvent& event);
  void see_set(const KernelEvent& event);
  void see_waking(const KernelEvent& event, const MonotonicTicks& monotonic);
  void see_switch(const KernelEvent& event);
  std::optional<Wakeup> ended_by(const KernelEvent& event);

  const WatchedThreads threads_;
  const IsMeters is_meters_;
  int32_t thread_ = 0;
  std::map<int32_t, bool> judged_;       // threads of that name and priority
  std::map<int32_t, uint64_t> set_for_;  // by thread: CLOCK_MONOTONIC
  uint64_t interrupt_ = 0;               // entry of the vector that is on; 0: none
  std::optional<KernelEvent> expiry_;    // entry of the timer's function that is on
  std::optional<Wakeup> open_;           // woken; `ran` is 0: not running yet
};

// Whether the thread is of a child process of ours, by /proc. False: it has ended, too.
bool is_of_a_child(int32_t thread);

}  // namespace maxlat::attribution
