// SPDX-License-Identifier: MIT
#include "outlier_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace maxlat::npt {
namespace {

TracedEvent told(const SeenEvent& event) {
  return {event.time, *event.name,
          event.has_fields ? fmt::format("count {}, ticks {}", event.count, event.ticks) : std::string(),
          event.path->rare ? event.path->name : std::string()};
}

}  // namespace

OutlierWatch::OutlierWatch(const MeasuredThread& thread, const UntoldWords& words)
    : thread_(thread), words_(words), by_time_(thread.outliers.size()), stories_(thread.outliers.size()) {
  std::iota(by_time_.begin(), by_time_.end(), size_t{0});
  std::sort(by_time_.begin(), by_time_.end(),
            [&](size_t a, size_t b) { return thread_.outliers[a].time < thread_.outliers[b].time; });
  go_to_next();
}

void OutlierWatch::go_to_next() {
  next_end_ = next_ < by_time_.size() ? thread_.outliers[by_time_[next_]].time : UINT64_MAX;
}

void OutlierWatch::tell(size_t outlier, bool hole) {
  const core::OutlierSample& gap = thread_.outliers[outlier];
  OutlierStory& story = stories_[outlier];
  const SeenEvent* last = seen_ == 0 ? nullptr : &recent_[(seen_ - 1) % kBefore];
  if (last != nullptr && last->time >= gap.time - gap.ticks) {
    story.path = last->path->name;
  } else if (hole) {
    story.path = words_.lost_path;
    story.cause = words_.lost_cause;
    return;  // what is left in the trace may be far away
  } else {
    story.cause = words_.no_event;
  }
  if (outlier >= kWithEvents) return;
  for (uint64_t i = seen_ - std::min<uint64_t>(seen_, kBefore); i < seen_; ++i)
    story.events.push_back(told(recent_[i % kBefore]));
  followed_.push_back({outlier, kAfter});
  following_ = followed_.size();
}

void OutlierWatch::look(const SeenEvent& event, bool after_a_hole) {
  for (; event.time > next_end_; go_to_next()) tell(by_time_[next_++], after_a_hole || seen_ == 0);
  for (Following& follower : followed_) {
    stories_[follower.outlier].events.push_back(told(event));
    --follower.left;
  }
  std::erase_if(followed_, [](const Following& follower) { return follower.left == 0; });
  following_ = followed_.size();
}

std::vector<OutlierStory> OutlierWatch::stories(bool complete) {
  for (; next_ < by_time_.size(); go_to_next()) tell(by_time_[next_++], !complete);
  return std::move(stories_);
}

}  // namespace maxlat::npt
