// SPDX-License-Identifier: MIT
//
// One thread's wake-ups by its timer, and its books of them.
//
//   due          due + interval       due + 2 x interval          the thread sleeps until each of them
//    |~~~~> now   |~~~~~~~~~~~~~~~~~~~~|~~~~> now
//    latency      latency .................             one sample: how late it runs after what it slept for
//                                      missed           due while the thread was late: no sample of its own
//
// Both times are of CLOCK_MONOTONIC, by which the timer goes, so the books are in nanoseconds. A clock that runs faster
// or slower than the time-stamp counter (NTP bends it) would otherwise add a millisecond to each latency in a minute.
//
// A missed cycle is counted and told. Whoever wants a sample for each may not take them from one late wake-up: they
// would weigh a single stall by its length.
//
// A template over the timer, so that tests can script it.
#pragma once

#include <atomic>
#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/stats/journal.hpp>
#include <string>

namespace maxlat::scheduling {

struct WakeBooks {
  WakeBooks(unsigned cpu_number, const core::JournalSpec& spec) : cpu(cpu_number), journal(spec) {}

  unsigned cpu;
  base::Histogram histogram;  // of latencies in ns
  core::Journal journal;      // of the same; its times are ns of CLOCK_MONOTONIC
  // Written by the thread alone. relaxed: numbers that another thread shows, complete after the thread's end.
  std::atomic<uint64_t> missed{0}, last_ns{0};
  std::string why_left{};  // when it has ended: why not all of it is of this CPU; "" when it is
};

struct Pace {
  uint64_t first_due_ns = 0, interval_ns = 0;
  uint64_t loops = UINT64_MAX;  // wake-ups
};

// Until the journal says so, or for pace.loops. Timer: wait_until(ns), and now(), which is never before what was waited
// for.
template <class Timer>
void take_wakeups(Timer& timer, const Pace& pace, WakeBooks& books) {
  maxlat_histogram* const histogram = &books.histogram.raw();
  core::Journal::Limits limits{0, 0};  // the first wake-up is looked at
  books.journal.begin(pace.first_due_ns);
  uint64_t missed = 0, due = pace.first_due_ns;
  for (uint64_t left = pace.loops; left > 0; --left) {
    timer.wait_until(due);
    const uint64_t now = timer.now(), latency = now - due;
    maxlat_histogram_record(histogram, latency, now);
    books.last_ns.store(now, std::memory_order_relaxed);
    if (latency > limits.rare_above || now >= limits.block_end) limits = books.journal.look(latency, now);
    if (limits.leave()) return;
    const uint64_t passed = latency / pace.interval_ns;
    if (passed != 0) books.missed.store(missed += passed, std::memory_order_relaxed);
    due += (passed + 1) * pace.interval_ns;
  }
}

}  // namespace maxlat::scheduling
