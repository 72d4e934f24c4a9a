// SPDX-License-Identifier: MIT
//
// The threads of one measurement, one for each CPU of the plan, from their start to their end; and what they share: the
// barrier behind which all begin together, and the flags that end them.
//
// OWNERSHIP  the books of all CPUs: what run() returns points into them. The plan and the arm must live as long.
// THREADS    run() is for the thread that made it, once; it supervises (supervision.hpp) until all have ended.
// ERRORS     a thread that cannot be had or set up ends the others at the barrier, before the first sample. The first
//            such error is the measurement's.
#pragma once

#include <atomic>
#include <barrier>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm.hpp>
#include <maxlat/npt/measure.hpp>
#include <optional>
#include <string>

#include "ended_run.hpp"
#include "measurement_plan.hpp"
#include "measuring_thread.hpp"
#include "supervision.hpp"

namespace maxlat::npt {

class MeasuringThreads {
 public:
  // `arm`: null where there is none. `has_own_cpu`: the caller has one that is not measured, and takes the stop signals
  // there; else the measuring threads must. `watch` accounts for the largest gaps, and `mark` is struck by a gap above
  // the limit; null where nobody asked for it.
  MeasuringThreads(const MeasurementPlan& plan, Arm* arm, bool has_own_cpu, attribution::KernelWatch* watch,
                   attribution::TraceMark* mark);
  MeasuringThreads(const MeasuringThreads&) = delete;

  // `before` is phase_before()'s. ERRORS, beyond those above: a loop that never came to run, since another task kept
  // its CPU (Exit::invalid).
  core::Result<EndedRun> run(const core::Phase& before, const Observer& observer);

 private:
  core::Status launch();
  core::Status check_set_up(const std::optional<std::string>& starved_by) const;
  EndedRun ended() const;

  const MeasurementPlan& plan_;
  const bool has_own_cpu_;
  std::atomic<bool> halt_{false}, set_up_failed_{false}, grant_failed_{false};
  std::barrier<> barrier_;
  const Start start_;
  Threads threads_;  // last: they end before what they read
};

}  // namespace maxlat::npt
