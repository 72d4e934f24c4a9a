// SPDX-License-Identifier: MIT
//
// Where an arm's tail comes from, as far as its own trace tells it: the gaps by what the tracer did in them, and what
// was traced around each outlier. Made by trace_paths.hpp, afterwards and outside of the loop; entered into the result
// here.
//
// Everything is in ticks of the loop's counter, which is the tracer's clock.
#pragma once

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/outliers.hpp>
#include <string>
#include <vector>

namespace maxlat::npt {

// One measuring thread, after its end.
struct MeasuredThread {
  unsigned cpu = 0;
  uint32_t thread_id = 0;
  uint64_t begin = 0;                         // the uncounted loops were over
  std::vector<core::OutlierSample> outliers;  // largest first, as in the CPU's result
};

// What the arm must know of the run to tell its tail.
struct ArmRun {
  uint64_t produced = 0;
  bool event_in_every_turn = true;      // the rate was not limited
  std::vector<MeasuredThread> threads;  // as the CPUs of the result. Empty: the loop read another counter than tracers
};

struct PathGaps {
  std::string name;
  bool rare = false;
  base::Histogram gaps;
};

struct TracedEvent {
  uint64_t time = 0;
  std::string name, fields;
  std::string path;  // when that was something rare
};

struct OutlierStory {
  std::string path, cause;  // as in core::Outlier
  std::vector<TracedEvent> events;
};

struct ArmTail {
  std::vector<PathGaps> paths;
  std::string untold;  // the name of the gaps that had an event in them and are in none of the paths
  std::vector<std::vector<OutlierStory>> stories;  // as ArmRun::threads, and their outliers
};

// Into the phase: its paths, and path, cause and events of its outliers. `with_events`: all gaps that had an event in
// them. What is left of these when the paths are taken away is a path, too: `untold`.
void enter_tail(const ArmTail& tail, const ArmRun& run, const base::Histogram& with_events,
                const base::CounterClock& clock, core::Phase& phase);

}  // namespace maxlat::npt
