// SPDX-License-Identifier: MIT
//
// From one CPU's books, in ticks, to the result model, in nanoseconds.
//
// All CPUs of a phase share one time 0: the first read of the CPU that began first, `phase_start_ns` on
// CLOCK_MONOTONIC. REQUIRES: phase_start_ns <= run.start_monotonic_ns.
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/core/result/run_result.hpp>

#include "cpu_run.hpp"

namespace maxlat::npt {

// Timeline, outliers, exposure and the histogram's statistics of a CPU that has ended.
core::CpuResult cpu_result_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns);
// Every gap above the raw limit of a CPU that has ended.
core::RawGaps raw_gaps_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns,
                          uint64_t above_ns);
// The same of one that runs on. Its outliers are the largest gap of each second: the list itself is the loop's.
// REQUIRES: run.journal.steps() > 0.
core::CpuResult cpu_snapshot_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns,
                                size_t outliers);

}  // namespace maxlat::npt
