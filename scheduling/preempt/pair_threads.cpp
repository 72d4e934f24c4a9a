// SPDX-License-Identifier: MIT
#include "pair_threads.hpp"

#include <maxlat/base/counter.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <maxlat/base/moment.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/home_cpu.hpp>
#include <maxlat/core/sys/stop.hpp>

namespace maxlat::scheduling {
namespace {

// Enough for both threads to go to sleep, and for the running one to come out of an idle state before the wake-up.
constexpr uint64_t kToGoToSleep_ns = 500'000, kToSpinBefore_ns = 100'000;
// For so long the woken thread keeps the CPU: if the other one runs meanwhile, they are not on one CPU.
constexpr uint64_t kToStay_ns = 2'000;
// Whoever takes longer than that beyond what a round takes has no CPU.
constexpr std::chrono::seconds kPatience{2};

void sleep_until(uint64_t monotonic_ns) {
  const timespec until{static_cast<time_t>(monotonic_ns / 1'000'000'000),
                       static_cast<long>(monotonic_ns % 1'000'000'000)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

// Threads inherit what is blocked in the one that makes them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

PairThreads::~PairThreads() {
  ending_.store(true, std::memory_order_relaxed);  // relaxed: the turns hand it over
  core::AffinityMask elsewhere;
  if (starved_)
    if (const auto cpus = core::assignable_cpus(); cpus)
      elsewhere = core::AffinityMask(core::difference(*cpus, {cpu_}));
  for (Side* side : {&running_, &woken_}) {
    side->turn.give();
    const pid_t id = side->id.load(std::memory_order_relaxed);  // relaxed: a number alone
    // Refused for a SCHED_DEADLINE thread, which has its CPU in any case.
    if (!elsewhere.empty() && id != 0) elsewhere.apply(id);
  }
  for (Side* side : {&running_, &woken_})
    if (side->thread.joinable()) side->thread.join();
}

core::Status PairThreads::start() {
  {
    const SignalsBlocked blocked;
    launch(running_, &PairThreads::spin);
    launch(woken_, &PairThreads::sleep_and_wake);
  }
  if (!both_done(kPatience)) return {};
  return running_.ready ? woken_.ready : running_.ready;
}

std::optional<Round> PairThreads::round(Pace pace) {
  pace_ = pace;
  round_ = {};
  arrived_.store(0, std::memory_order_relaxed);  // relaxed: the turn hands it over
  give_turn(woken_);
  const uint64_t longest_ns = pace.slowness * (kToGoToSleep_ns + kToSpinBefore_ns) + pace.limit_ns;
  if (!both_done(kPatience + std::chrono::nanoseconds(longest_ns)) || !left().empty()) return {};
  return round_;
}

bool PairThreads::both_done(std::chrono::nanoseconds time) {
  starved_ = !done_.wait_for(time) || !done_.wait_for(time);
  return !starved_;
}

// relaxed, both: whether it has one is asked only of those that are given up
void PairThreads::give_turn(Side& side) {
  side.has_turn.store(true, std::memory_order_relaxed);
  side.turn.give();
}

void PairThreads::end_turn(Side& side) {
  side.has_turn.store(false, std::memory_order_relaxed);
  done_.give();
}

std::optional<core::Scheduling> PairThreads::starved_at_real_time() const {
  if (!starved_) return {};
  for (const Side* side : {&running_, &woken_}) {
    const core::Policy policy = side->scheduling.policy;
    const bool fair = policy == core::Policy::other || policy == core::Policy::batch || policy == core::Policy::idle;
    if (!fair && side->has_turn.load(std::memory_order_relaxed)) return side->scheduling;
  }
  return {};
}

void PairThreads::launch(Side& side, void (PairThreads::*act)()) {
  side.thread = std::thread([this, &side, act] { live(side, act); });
}

void PairThreads::live(Side& side, void (PairThreads::*act)()) {
  side.id.store(::gettid(), std::memory_order_relaxed);  // relaxed: a number alone
  side.ready = become(side.scheduling);
  const core::HomeCpu home = core::HomeCpu::of_this_thread(cpu_);
  end_turn(side);
  if (!side.ready) return;
  for (;;) {
    side.turn.wait();
    if (ending_.load(std::memory_order_relaxed)) return;  // relaxed: the turn handed it over
    (this->*act)();
    if (!home.is_here()) side.left = home.why_left(true);  // on two CPUs each would run beside the other: no verdict
    end_turn(side);
  }
}

core::Status PairThreads::become(const core::Scheduling& scheduling) const {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // of the fair policies: 50 us otherwise
  if (core::Status set = core::become_real_time_on(cpu_, scheduling); !set) return set;
  core::touch_stack();
  return {};
}

void PairThreads::sleep_and_wake() {
  const base::Moment now = base::read_both(CLOCK_MONOTONIC);
  spin_at_ns_ = now.ns + pace_.slowness * kToGoToSleep_ns;
  const uint64_t wake_ns = spin_at_ns_ + pace_.slowness * kToSpinBefore_ns;
  round_.wake = now.ticks + clock_.to_ticks(wake_ns - now.ns);
  give_turn(running_);
  sleep_until(wake_ns);
  const uint64_t first = maxlat_counter_fenced();
  round_.first = first;
  arrived_.store(first, std::memory_order_release);  // release: whoever sees it sees what it preempted for
  const uint64_t stay_until = first + clock_.to_ticks(kToStay_ns);
  uint64_t last = first;
  while (last < stay_until) last = maxlat_counter_fenced();
  round_.last = last;
}

void PairThreads::spin() {
  sleep_until(spin_at_ns_);
  const uint64_t give_up_at = round_.wake + clock_.to_ticks(pace_.limit_ns);
  const std::atomic<bool>& stop = core::stop_requested();
  uint64_t previous = 0, latest = maxlat_counter_fenced();
  round_.spin_begin = latest;
  for (;;) {
    const uint64_t first = arrived_.load(std::memory_order_acquire);  // acquire: pairs with the release above
    if (first != 0) {
      // It came after the latest read, or between that and the one before.
      const bool after_latest = latest <= first;
      round_.before = after_latest ? latest : previous;
      round_.after = after_latest ? maxlat_counter_fenced() : latest;
      return;
    }
    if (latest >= give_up_at) {
      round_.gave_up = latest;
      return;
    }
    if (stop.load(std::memory_order_relaxed)) return;  // relaxed: a flag alone
    previous = latest;
    latest = maxlat_counter_fenced();
  }
}

}  // namespace maxlat::scheduling
