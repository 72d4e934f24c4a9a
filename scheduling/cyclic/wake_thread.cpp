// SPDX-License-Identifier: MIT
#include "wake_thread.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace maxlat::scheduling {
namespace {

// Wake-ups before the first sample, so that caches and branch predictors know the way: ten, if they do not take longer
// than a tenth of a second.
uint64_t uncounted(uint64_t interval_ns) {
  return std::clamp<uint64_t>(100'000'000 / interval_ns, 1, 10);
}

// The threads' times are spread over an interval: timers that expire everywhere at once wait for each other.
uint64_t offset_of(const CyclicSettings& settings, size_t place, size_t of) {
  return settings.aligned ? 0 : settings.interval_ns * place / of;
}

core::Status become(unsigned cpu, const CyclicSettings& settings) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // of the fair policies: 50 us otherwise
  if (core::Status set = core::become_real_time_on(cpu, settings.scheduling); !set) return set;
  core::touch_stack();
  return {};
}

core::JournalSpec journal_of(const WakeStart& start, unsigned cpu) {
  core::JournalSpec journal = start.journal;
  if (start.watch != nullptr) journal.accounted = &start.watch->gaps_of(cpu);
  return journal;
}

}  // namespace

WakeThread::WakeThread(WakeStart& start, unsigned cpu, size_t place, size_t of)
    : start_(start), offset_ns_(offset_of(start.settings, place, of)), books_(cpu, journal_of(start, cpu)) {}

core::WatchedLoop WakeThread::watched() const {
  return {.thread = id_.load(std::memory_order_relaxed),  // relaxed: a number alone
          .cpu = books_.cpu,
          .finished = finished(),
          .has_samples = books_.journal.steps() > 0};
}

void WakeThread::body() {
  id_.store(::gettid(), std::memory_order_relaxed);  // relaxed: a number alone
  if (start_.watch != nullptr) start_.watch->gaps_of(books_.cpu).watch(::gettid());
  set_up_ = become(books_.cpu, start_.settings);
  if (start_.settings.timer == TimerKind::nanosleep) {
    if (waits_for_the_start()) measure(NanosleepTimer{});
  } else {
    core::Result<TimerfdTimer> timer = TimerfdTimer::open();
    if (!timer && set_up_) set_up_ = timer.error();
    if (waits_for_the_start()) measure(std::move(*timer));
  }
  finished_.store(true, std::memory_order_release);  // pairs with finished()
}

// False when there is none.
bool WakeThread::waits_for_the_start() {
  if (!set_up_) start_.failed.store(true, std::memory_order_relaxed);  // relaxed: the next line orders it
  start_.ready.fetch_add(1, std::memory_order_release);                // pairs with who waits for all of them
  start_.go.wait();
  return !start_.failed.load(std::memory_order_relaxed);  // relaxed: the latch ordered it
}

void WakeThread::mark_the_break() const {
  start_.mark->strike(fmt::format(
      "maxlat cyclic: a wake-up {} ns late, above {} ns, on CPU {}; it was at {} ns of "
      "CLOCK_MONOTONIC",
      books_.journal.breaking_gap(), start_.settings.break_above_ns, books_.cpu, books_.journal.breaking_time()));
}

template <class Timer>
void WakeThread::measure(Timer timer) {
  const uint64_t interval_ns = start_.settings.interval_ns;
  uint64_t due_ns = start_.begin_at_ns + offset_ns_;
  books_.journal.stay_on(core::HomeCpu::of_this_thread(books_.cpu));
  for (uint64_t left = uncounted(interval_ns); left > 0; --left, due_ns += interval_ns) timer.wait_until(due_ns);
  take_wakeups(timer, {due_ns, interval_ns, start_.settings.loops}, books_);
  books_.why_left = books_.journal.why_left();
  if (start_.mark != nullptr && books_.journal.why() == core::Journal::Why::broken) mark_the_break();
  if (start_.watch != nullptr)
    start_.watch->gaps_of(books_.cpu).end(books_.last_ns.load(std::memory_order_relaxed));  // relaxed: our own
}

}  // namespace maxlat::scheduling
