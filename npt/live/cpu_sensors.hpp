// SPDX-License-Identifier: MIT
//
// What others see of a CPU's books while its loop runs: a group of sensors, `maxlat/npt-cpu1`, that `maxlat sensors`
// and any monitor read in place (docs/sensors.md).
//
//   gaps      the histogram itself: the loop counts in sensor memory, with the instructions that it has without
//   longest   the longest gap so far, in ns
//   outliers  each gap that was one of the run's longest when it came, with its time
//
// The loop keeps sum and extremes in registers until a segment ends. As long as it runs, the head of `gaps` has none,
// rather than old ones, and a monitor takes its quantiles from the buckets; at the end all are there. The loop in the
// kernel keeps its own histogram, whole: it is copied there once a second.
//
// OWNERSHIP  the memory of the CPU's histogram. It must outlive whatever reads that.
// THREADS    made and used by the measuring thread, so that the memory is on its node.
// COST       in the loop none; where it looks up (core/stats/journal.hpp), a post of an event for each outlier.
#pragma once

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/event.hpp>
#include <memory>

MAXLAT_TRACE_EVENT(npt, gap, (std::uint64_t, ns))

namespace maxlat::npt {

class CpuSensors {
 public:
  // `clock`: of the gaps; it must live as long. ERRORS: what publish_group() says.
  static core::Result<std::unique_ptr<CpuSensors>> publish(unsigned cpu, const base::CounterClock& clock);
  CpuSensors(const CpuSensors&) = delete;

  maxlat_histogram& gaps() { return group_->gaps.in_place(); }
  // As JournalSpec::show has it. `state` is this.
  static void show(void* state, std::uint64_t gap, std::uint64_t max);

  // Behind each segment, and behind the last one.
  void segment_ended();
  void run_ended();

 private:
  struct Group {
    explicit Group(const sensors::Unit& unit) : gaps("gaps", unit, "gaps of the loop") {}

    sensors::Histogram<MAXLAT_HISTOGRAM_SUB_BITS, MAXLAT_HISTOGRAM_RANGE_BITS> gaps;
    sensors::Gauge longest{"longest", "ns", "the longest gap so far"};
    sensors::EventList<256, MAXLAT_LISTED_EVENT(npt, gap)> outliers{"outliers",
                                                                    "gaps that were among the longest when they came"};
  };

  explicit CpuSensors(const base::CounterClock& clock);
  void put(const maxlat_moments& moments);

  const base::CounterClock& clock_;
  sensors::OwnedGroup<Group> group_;
  maxlat_moments moments_ = MAXLAT_MOMENTS_EMPTY;  // of the segments that have ended
};

}  // namespace maxlat::npt
