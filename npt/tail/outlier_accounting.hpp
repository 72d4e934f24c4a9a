// SPDX-License-Identifier: MIT
//
// --kernel-events: who had the time of the largest gaps, by the kernel's own events (attribution/). Started before the
// loops, entered into the result behind them; the loop itself only hands over which gaps it keeps.
#pragma once

#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <memory>
#include <string>

#include "loop/ended_run.hpp"
#include "loop/measurement_plan.hpp"

namespace maxlat::npt {

struct KernelWatching {
  std::unique_ptr<attribution::KernelWatch> watch;  // null: nobody asked for it, or it cannot be had
  std::string why_not;                              // it was asked for; "" where it is there
};

// `has_own_cpu`: the calling thread, whose CPUs the watch takes, is on none that is measured. Never an error: a
// measurement goes on without.
KernelWatching watch_kernel(const MeasurementPlan& plan, bool has_own_cpu);

// The facts before the run.
void tell_of(const KernelWatching& kernel, core::Phase& phase);
// The outliers' accounting, and the facts that are known at the end.
void enter_accounting(const attribution::WatchResult& watched, const EndedRun& run, core::Phase& phase);

}  // namespace maxlat::npt
