// SPDX-License-Identifier: MIT
//
// The two threads of a pair of policies, bound to one CPU, and their rounds.
//
// What wakes the woken thread is a timer of that CPU, set to a moment that is known beforehand. So the same test works
// with one CPU and with many, and the moment of the wake-up is exact: had another thread to wake it, whatever delays
// that thread between reading the clock and the wake-up would look like a latency. In a round
//
//   1. the woken thread chooses both moments, gives the running one its turn and goes to sleep,
//   2. the running thread sleeps, too. If it is above the other one, it was faster, and the other can go to sleep now,
//   3. it wakes up and spins; a little later the timer of the woken thread expires.
//
// So that sleep is also the rest that keeps RT throttling away: most of a round, the CPU is free.
//
// THREADS   one caller. The two threads have all signals blocked.
// THE MACHINE IS SAFE   the running thread ends its round by itself, at the limit or when a stop is requested
//           (core/sys/stop.hpp), and the other one sleeps. Whoever has no CPU to end on, because another task keeps
//           it, is moved to another one by the destructor, which joins both.
#pragma once

#include <atomic>
#include <chrono>
#include <maxlat/base/clock.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <thread>

#include "pair_table.hpp"
#include "round.hpp"
#include "turn.hpp"

namespace maxlat::scheduling {

class PairThreads {
 public:
  // How long the running thread spins from the wake-up on, if the other does not come; and how many times longer than
  // on a fast machine the threads have to get ready.
  struct Pace {
    uint64_t limit_ns;
    uint64_t slowness = 1;
  };

  // `clock` has to live as long.
  PairThreads(unsigned cpu, const PairOfPolicies& pair, const base::CounterClock& clock)
      : cpu_(cpu), pair_(pair), clock_(clock) {}
  ~PairThreads();
  PairThreads(const PairThreads&) = delete;
  PairThreads& operator=(const PairThreads&) = delete;

  // Once. ERRORS: what the kernel says to such a thread on such a CPU. A thread that got no CPU in time is starved().
  core::Status start();
  // Nothing when a thread got no CPU in time: it is starved() then; or when one is not on that CPU any more: left().
  // REQUIRES: started, not starved, not left.
  std::optional<Round> round(Pace pace);
  bool starved() const { return starved_; }
  // Why a thread is elsewhere, as a sentence; "": both are on their CPU. REQUIRES: not starved, for such a thread may
  // be about to say it.
  const std::string& left() const { return running_.left.empty() ? woken_.left : running_.left; }
  // Their numbers, by which the kernel knows them. REQUIRES: started.
  int32_t running_thread() const { return running_.id.load(std::memory_order_relaxed); }  // relaxed: a number alone
  int32_t woken_thread() const { return woken_.id.load(std::memory_order_relaxed); }      // relaxed: a number alone
  // Of a thread that starved: at a real-time policy, where only a higher one can have kept it from its CPU.
  std::optional<core::Scheduling> starved_at_real_time() const;

 private:
  struct Side {
    core::Scheduling scheduling;
    Turn turn;
    std::atomic<pid_t> id{0};
    std::atomic<bool> has_turn{true};  // of which the first is to get ready
    core::Status ready;
    std::string left;
    std::thread thread;
  };

  void launch(Side& side, void (PairThreads::*act)());
  void live(Side& side, void (PairThreads::*act)());
  core::Status become(const core::Scheduling& scheduling) const;
  void spin();
  void sleep_and_wake();
  void give_turn(Side& side);
  void end_turn(Side& side);
  bool both_done(std::chrono::nanoseconds time);

  const unsigned cpu_;
  const PairOfPolicies pair_;
  const base::CounterClock& clock_;
  Side running_{.scheduling = pair_.running, .turn = {}, .ready = {}, .left = {}, .thread = {}},
      woken_{.scheduling = pair_.woken, .turn = {}, .ready = {}, .left = {}, .thread = {}};
  Turn done_;
  std::atomic<bool> ending_{false};
  bool starved_ = false;
  // Of the round: handed over with the turns.
  Pace pace_{0};
  Round round_;
  uint64_t spin_at_ns_ = 0;
  std::atomic<uint64_t> arrived_{0};  // the woken thread's first read; 0 before
};

}  // namespace maxlat::scheduling
