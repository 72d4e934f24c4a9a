// SPDX-License-Identifier: MIT
//
// The newest events of one CPU, and the largest gaps of its loop with what they were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/asked_gaps.hpp>
#include <span>
#include <vector>

namespace maxlat::attribution {

class CpuHistory {
 public:
  // `most_events`: of the oldest events the older half goes when there are more.
  CpuHistory(size_t gaps_kept, size_t most_events) : gaps_kept_(gaps_kept), most_events_(most_events) {}

  // To be filled by the source, then forget_old().
  std::vector<KernelEvent>& events() { return events_; }
  void forget_old() {
    if (events_.size() <= most_events_) return;
    events_.erase(events_.begin(), events_.end() - static_cast<std::ptrdiff_t>(most_events_ / 2));
    const KernelEvent oldest = events_.front();
    events_.insert(events_.begin(), {.tick = oldest.tick, .kind = EventKind::hole, .cpu = oldest.cpu});
  }

  // REQUIRES: all events up to its end are here, or a hole in their place.
  void account_for(const AskedGap& gap, Interval interval) {
    if (largest_.size() >= gaps_kept_ && gap.ticks <= largest_.back().to - largest_.back().from) return;
    interval.from = gap.end - gap.ticks;
    interval.to = gap.end;
    const auto after = std::upper_bound(events_.begin(), events_.end(), interval.from,
                                        [](uint64_t tick, const KernelEvent& event) { return tick < event.tick; });
    Accounting made = account({after, events_.end()}, interval);
    const auto place = std::find_if(largest_.begin(), largest_.end(),
                                    [&](const Accounting& other) { return other.to - other.from < gap.ticks; });
    largest_.insert(place, std::move(made));
    if (largest_.size() > gaps_kept_) largest_.pop_back();
  }
  const std::vector<Accounting>& largest() const { return largest_; }

 private:
  size_t gaps_kept_, most_events_;
  std::vector<KernelEvent> events_;
  std::vector<Accounting> largest_;  // largest first
};

}  // namespace maxlat::attribution
