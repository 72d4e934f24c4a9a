// SPDX-License-Identifier: MIT
//
// One CPU's books, and the run that fills them: warm-up, then segment after segment with rests between them, and with
// windows (windows.hpp) in two sets of books.
//
// A template over the counter and the sleep, so that tests can script both.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/stats/journal.hpp>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/npt/measure.hpp>
#include <string>

#include "interrupts.hpp"
#include "live/cpu_sensors.hpp"
#include "loop.hpp"
#include "windows.hpp"

namespace maxlat::npt {

struct CpuRun {
  // `seen`: where others see the histogram while it grows; null: nowhere. It must live as long.
  CpuRun(unsigned cpu_number, const core::JournalSpec& spec, CpuSensors* seen = nullptr)
      : cpu(cpu_number),
        sensors(seen),
        histogram(seen == nullptr ? base::Histogram() : base::Histogram::in(seen->gaps())),
        journal(spec) {}

  unsigned cpu;
  CpuSensors* sensors;
  base::Histogram histogram;
  core::Journal journal;
  uint64_t samples = 0;  // counted by the loop
  uint64_t exposure_ticks = 0;
  uint64_t start_monotonic_ns = 0;  // CLOCK_MONOTONIC at time 0 of the journal
  uint64_t end_ticks = 0;
  uint64_t probes = 0;  // calls of the probe, those of the warm-up included
  core::Journal::Why why =
      core::Journal::Why::running;  // the run's end, also in the books of the windows that it did not fall into
  uint64_t voluntary_switches = 0, involuntary_switches = 0, page_faults = 0;  // within the loop
  uint64_t taken_by_others_ns = 0;  // within the loop's time: it could have run and did not
  bool interrupts_enabled = true;   // at any look at the processor's flag
  int kernel_loop_error = 0;        // errno of a loop in the kernel that failed
  std::string why_left{};           // why not all of it is of this CPU; "" when it is
};

// What the scheduler and the memory did to the calling thread so far.
struct ThreadUsage {
  uint64_t voluntary = 0, involuntary = 0, faults = 0, taken_by_others_ns = 0;

  static ThreadUsage now(const core::RunQueueWait& wait) {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return {static_cast<uint64_t>(usage.ru_nvcsw), static_cast<uint64_t>(usage.ru_nivcsw),
            static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt), wait.ns()};
  }
};

inline void enter(const ThreadUsage& before, const ThreadUsage& after, CpuRun& run) {
  run.voluntary_switches = after.voluntary - before.voluntary;
  run.involuntary_switches = after.involuntary - before.involuntary;
  run.page_faults = after.faults - before.faults;
  run.taken_by_others_ns = after.taken_by_others_ns - before.taken_by_others_ns;
}

struct Sleep {
  void operator()(uint64_t ns) const {
    const timespec span{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &span, nullptr);
  }
};

// `warm_up` has books of its own: caches and predictors get to know the code, and the results have nothing of it.
struct Books {
  CpuRun& warm_up;
  CpuRun& traced;
  CpuRun* waiting = nullptr;  // of the windows without tracepoints. REQUIRES: there, when they are asked for
};

template <class Counter, class SleepFor>
void rest_until_its_end(Counter counter, SleepFor sleep_for, const base::CounterClock& clock,
                        const core::Journal& journal) {
  const uint64_t now = counter.read();
  if (now < journal.rest_end()) sleep_for(clock.to_ns(journal.rest_end() - now));
}

// Whether another segment comes after one that ended so.
inline bool goes_on(core::Journal::Why why) {
  return why == core::Journal::Why::rest || why == core::Journal::Why::window_over || why == core::Journal::Why::pause;
}

// `interrupts` are off from before the first read of a segment until after the last. In a pause nothing else is done:
// it is there for what has waited meanwhile.
template <class Counter, class Probe, class SleepFor, class Interrupts = InterruptsStayOn>
void run_cpu(Counter counter, Probe probe, SleepFor sleep_for, const Options& options, const base::CounterClock& clock,
             const Books& books, Interrupts interrupts = {}) {
  // Whoever waits for this CPU is served now: else the scheduler's stop could come before the first rest.
  const core::RunQueueWait wait;  // opened before what is measured
  if (options.rest_ns > 0) sleep_for(options.rest_ns);
  if (options.uncounted_loops > 0) {
    CpuRun& warm_up = books.warm_up;
    warm_up.journal.begin(counter.read());
    const Segment uncounted =
        run_segment(counter, probe, &warm_up.histogram.raw(), &warm_up.journal, options.uncounted_loops);
    books.traced.probes += uncounted.probes;
  }
  probe.begin();
  bool enabled = false;
  const ThreadUsage before = ThreadUsage::now(wait);
  const uint64_t start_ns = base::monotonic_ns();
  const uint64_t start = counter.read();
  for (CpuRun* run : {&books.traced, books.waiting}) {
    if (run == nullptr) continue;
    run->start_monotonic_ns = start_ns;
    run->journal.begin(start);
  }
  Windows windows(clock.to_ticks(options.trace_window_ns), clock.to_ticks(options.wait_window_ns), start);
  uint64_t remaining = options.loops == 0 ? UINT64_MAX : options.loops;
  core::Journal::Why why = core::Journal::Why::running;
  for (;;) {
    CpuRun& run = windows.traced() ? books.traced : *books.waiting;
    run.journal.resume(windows.end());
    interrupts.turn_off();
    const Segment segment = windows.traced()
                                ? run_segment(counter, probe, &run.histogram.raw(), &run.journal, remaining)
                                : run_segment(counter, NoProbe{}, &run.histogram.raw(), &run.journal, remaining);
    enabled = enabled || interrupts_enabled();  // off at its end: off in all of it, since only turn_off() does that
    if (run.sensors != nullptr) run.sensors->segment_ended();
    interrupts.turn_on();
    run.samples += segment.samples;
    run.probes += windows.traced() ? segment.probes : 0;
    run.exposure_ticks += segment.last - segment.first;
    run.end_ticks = segment.last;
    remaining -= segment.samples;
    why = run.journal.why();
    if (!goes_on(why) || remaining == 0) break;
    if (why == core::Journal::Why::rest) rest_until_its_end(counter, sleep_for, clock, run.journal);
    windows.advance_to(counter.read());
  }
  const ThreadUsage after = ThreadUsage::now(wait);
  for (CpuRun* run : {&books.traced, books.waiting}) {
    if (run == nullptr) continue;
    if (run->sensors != nullptr) run->sensors->run_ended();
    run->why = why;
    run->why_left = run->journal.why_left();
    run->interrupts_enabled = enabled;
    enter(before, after, *run);
  }
}

}  // namespace maxlat::npt
