// SPDX-License-Identifier: MIT
//
// Finds in one ring's events, as they go by in the order of time, those around each outlier of its thread.
//
//        read n                    read n+1 = OutlierSample::time
//   ------|------ event n ------------|------ event n+1 ------
//         |<-------- the gap -------->|
//
// An event stamped within a gap was made by the tracepoint in that gap: the path that it took is the outlier's. A gap
// without one had no tracepoint in it, if nothing was lost between the events around it.
//
// BOUNDED: of each outlier kBefore events up to its end and kAfter behind it, for the kWithEvents largest.
#pragma once

#include <array>
#include <cstdint>
#include <maxlat/npt/arm_tail.hpp>
#include <vector>

namespace maxlat::npt {

// An event as it went by.
struct SeenEvent {
  uint64_t time = 0;
  const std::string* name = nullptr;  // of the trace's description, which outlives us
  uint64_t count = 0, ticks = 0;
  bool has_fields = false;         // count and ticks: npt:loop
  const PathGaps* path = nullptr;  // that it took
};

// What the outliers are told where the trace has no event for them.
struct UntoldWords {
  std::string lost_path;   // its event was lost: this is its path
  std::string lost_cause;  // or, where it is not certain that it had one, its cause
  std::string no_event = "no tracepoint in it: not the tracer's";
};

class OutlierWatch {
 public:
  static constexpr size_t kBefore = 4, kAfter = 2, kWithEvents = 20;

  // `thread` must outlive the watch.
  OutlierWatch(const MeasuredThread& thread, const UntoldWords& words);

  // `after_a_hole`: events before this one are missing.
  void see(const SeenEvent& event, bool after_a_hole) {
    if (event.time > next_end_ || following_ > 0) look(event, after_a_hole);
    recent_[seen_++ % kBefore] = event;
  }
  // As the outliers of the thread. `complete`: the trace has the end of the run.
  std::vector<OutlierStory> stories(bool complete);

 private:
  struct Following {
    size_t outlier;
    size_t left;
  };
  void look(const SeenEvent& event, bool after_a_hole);
  void tell(size_t outlier, bool hole);
  void go_to_next();

  const MeasuredThread& thread_;
  UntoldWords words_;
  std::vector<size_t> by_time_;  // outliers that are not told yet, the first at next_
  size_t next_ = 0;
  uint64_t next_end_ = UINT64_MAX;
  std::array<SeenEvent, kBefore> recent_;
  uint64_t seen_ = 0;
  std::vector<Following> followed_;
  size_t following_ = 0;
  std::vector<OutlierStory> stories_;
};

}  // namespace maxlat::npt
