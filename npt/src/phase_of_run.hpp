// SPDX-License-Identifier: MIT
//
// From the threads' books, in ticks, to the result model, in nanoseconds.
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/core/run_result.hpp>
#include <string>
#include <vector>

#include "measuring_thread.hpp"

namespace maxlat::npt {

// Timeline, outliers, exposure and the histogram's statistics of a CPU that has ended.
core::CpuResult cpu_result_of(const CpuRun& run, const base::CounterClock& clock);
// The same of one that runs on. Its outliers are the largest gap of each second: the list itself is the loop's.
core::CpuResult cpu_snapshot_of(const CpuRun& run, const base::CounterClock& clock, size_t outliers);

// "2026-11-21T12:00:00Z", of CLOCK_REALTIME.
std::string utc_now();

}  // namespace maxlat::npt
