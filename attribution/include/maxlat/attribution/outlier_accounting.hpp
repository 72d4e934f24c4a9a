// SPDX-License-Identifier: MIT
//
// --kernel-events of a meter: who had the time of its largest samples. The watch is started before the meter, and what
// it found is entered into the result behind it; in between the meter's journals hand over which samples they keep.
#pragma once

#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/base/clock.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/outliers.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace maxlat::attribution {

struct KernelWatching {
  std::unique_ptr<KernelWatch> watch;  // null: nobody asked for it, or it cannot be had
  std::string why_not;                 // it was asked for; "" where it is there
};

// Never an error: a measurement goes on without.
KernelWatching watch_kernel(const WatchPlan& plan);
// The ticks are those of `counter`, which has to be trusted.
KernelWatching watch_kernel(WatchPlan plan, const base::CounterClock& counter);
// The same of another program's threads, by whatever back end can.
KernelWatching watch_program(const core::CpuList& cpus, const WatchedThreads& threads);

// The facts before the run.
void tell_of(const KernelWatching& kernel, core::Phase& phase);
// The outliers' accounting, the table of the whole run, and the facts that are known at the end. REQUIRES: `kept` are
// the outliers of each of the phase's CPUs, in the order in which these have them, which is that of the plan.
void enter_accounting(const WatchResult& watched, std::span<const std::vector<core::OutlierSample>> kept,
                      core::Phase& phase);
// Of another program's threads: the table of the run with the latest wake-ups, and the facts.
void enter_wakeups(const WatchResult& watched, core::Phase& phase);

}  // namespace maxlat::attribution
