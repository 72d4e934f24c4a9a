// SPDX-License-Identifier: MIT
//
// What was asked for, turned once into what a run needs: the CPUs by number, the clock that measures and how it is
// read, all limits in its ticks, and how much room the journals take.
//
// It is made before anything is set up and does not change any more: the threads that measure, who supervises them and
// who makes the result read the same one. What there is only while they run, the flags that end them and the arm, is
// added by measuring_threads.hpp.
//
// THREADS  a plain value: any number may read it.
// INVARIANTS
//   (1) options.cpus is not empty, and all of them may be used: MeasurementPlan.WhoNamesNoCpuHasOne
//   (2) reads_raw_clock() where the clock's source is monotonic_raw, and nowhere else: MeasurementPlan.*RawClock
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/core/stats/journal.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/measure.hpp>

namespace maxlat::npt {

struct MeasurementPlan {
  Options options;                            // as asked, with the CPUs filled in
  base::CounterClock clock;                   // every tick below is one of its
  CounterRead counter = CounterRead::fenced;  // raw_clock also where the one that was asked for is not trusted
  core::JournalSpec journal;                  // of each CPU, without its flags and without whom it tells
  uint64_t event_every_ticks = 0;             // on each CPU. REQUIRES: limits_rate()

  bool reads_raw_clock() const { return counter == CounterRead::raw_clock; }
  bool limits_rate() const { return options.max_event_hz > 0; }
  bool has_windows() const { return options.trace_window_ns > 0; }
  bool has_arm() const { return !options.arm.is_none(); }
  bool ends_by_signal_only() const { return options.duration_ns == 0 && options.loops == 0; }
};

// ERRORS: check(); a CPU that is not there or not ours; the loop in the kernel where its counter cannot be trusted
// (Exit::invalid).
core::Result<MeasurementPlan> make_plan(const Options& asked);

// Its arithmetic: what these options are by this clock. REQUIRES: check(), the CPUs filled in.
MeasurementPlan plan_by(const base::CounterClock& clock, const Options& options);

}  // namespace maxlat::npt
