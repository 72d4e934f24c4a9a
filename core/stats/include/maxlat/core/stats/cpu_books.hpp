// SPDX-License-Identifier: MIT
//
// From the books of one CPU's meter, in ticks, to the result model, in nanoseconds.
//
// All CPUs of a phase share one time 0, the start of the phase: `time_zero` is what the counter of these books read
// then. REQUIRES: time_zero <= journal.start().
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/raw_gaps.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/journal.hpp>

namespace maxlat::core {

// A look at what a meter owns.
struct CpuBooks {
  unsigned cpu;
  const base::Histogram& histogram;
  const Journal& journal;
  uint64_t exposure_ticks;
  uint64_t time_zero;
};

// Timeline, outliers, exposure and the histogram's statistics of a CPU that has ended.
CpuResult ended_cpu(const CpuBooks& books, const base::CounterClock& clock);
// The same of one that runs on. Its outliers are the largest sample of each second: the list itself is the meter's. Its
// exposure is the caller's to say. REQUIRES: journal.steps() > 0.
CpuResult running_cpu(const CpuBooks& books, const base::CounterClock& clock, size_t outliers);
// Every sample above the raw limit of a CPU that has ended.
RawGaps raw_gaps_of(const CpuBooks& books, const base::CounterClock& clock, uint64_t above_ns);

}  // namespace maxlat::core
