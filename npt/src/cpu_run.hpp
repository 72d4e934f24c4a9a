// SPDX-License-Identifier: MIT
//
// One CPU's books, and the run that fills them: warm-up, then segment after segment with rests between them.
//
// A template over the counter and the sleep, so that tests can script both.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/npt/measure.hpp>

#include "interrupts.hpp"
#include "journal.hpp"
#include "loop.hpp"

namespace maxlat::npt {

struct CpuRun {
  CpuRun(unsigned cpu_number, const JournalSpec& spec) : cpu(cpu_number), journal(spec) {}

  unsigned cpu;
  base::Histogram histogram;
  Journal journal;
  uint64_t samples = 0;  // counted by the loop
  uint64_t exposure_ticks = 0;
  uint64_t start_monotonic_ns = 0;  // CLOCK_MONOTONIC at time 0 of the journal
  uint64_t end_ticks = 0;
  uint64_t voluntary_switches = 0, involuntary_switches = 0, page_faults = 0;  // within the loop
  bool interrupts_enabled = true;
};

// What the scheduler and the memory did to the calling thread so far.
struct ThreadUsage {
  uint64_t voluntary = 0, involuntary = 0, faults = 0;

  static ThreadUsage now() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return {static_cast<uint64_t>(usage.ru_nvcsw), static_cast<uint64_t>(usage.ru_nivcsw),
            static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt)};
  }
};

inline uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

struct Sleep {
  void operator()(uint64_t ns) const {
    const timespec span{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &span, nullptr);
  }
};

// `warm_up` has books of its own: caches and predictors get to know the code, and the results have nothing of it.
template <class Counter, class Probe, class SleepFor>
void run_cpu(Counter counter, Probe probe, SleepFor sleep_for, const Options& options, const base::CounterClock& clock,
             CpuRun& warm_up, CpuRun& run) {
  // Whoever waits for this CPU is served now: else the scheduler's stop could come before the first rest.
  if (options.rest_ns > 0) sleep_for(options.rest_ns);
  if (options.uncounted_loops > 0) {
    warm_up.journal.begin(counter.read());
    run_segment(counter, probe, &warm_up.histogram.raw(), &warm_up.journal, options.uncounted_loops);
  }
  run.interrupts_enabled = interrupts_enabled();
  const ThreadUsage before = ThreadUsage::now();
  run.start_monotonic_ns = monotonic_ns();
  run.journal.begin(counter.read());
  uint64_t remaining = options.loops == 0 ? UINT64_MAX : options.loops;
  for (;;) {
    const Segment segment = run_segment(counter, probe, &run.histogram.raw(), &run.journal, remaining);
    run.samples += segment.samples;
    run.exposure_ticks += segment.last - segment.first;
    run.end_ticks = segment.last;
    remaining -= segment.samples;
    if (run.journal.why() != Journal::Why::rest || remaining == 0) break;
    const uint64_t now = counter.read();
    if (now < run.journal.step_end()) sleep_for(clock.to_ns(run.journal.step_end() - now));
    run.journal.resume();
  }
  const ThreadUsage after = ThreadUsage::now();
  run.voluntary_switches = after.voluntary - before.voluntary;
  run.involuntary_switches = after.involuntary - before.involuntary;
  run.page_faults = after.faults - before.faults;
}

}  // namespace maxlat::npt
