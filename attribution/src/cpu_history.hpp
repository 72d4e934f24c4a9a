// SPDX-License-Identifier: MIT
//
// The newest events of one CPU, and the largest gaps of its loop with what they were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <span>
#include <utility>
#include <vector>

#include "watch/around_calibration.hpp"

namespace maxlat::attribution {

class CpuHistory {
 public:
  // `most_events`: of the oldest events the older half goes when there are more.
  CpuHistory(size_t gaps_kept, size_t most_events) : gaps_kept_(gaps_kept), most_events_(most_events) {}

  // To be filled by the source, then forget_old().
  std::vector<KernelEvent>& events() { return events_; }
  bool is_full() const { return events_.size() > most_events_; }
  void forget_old() {
    if (!is_full()) return;
    events_.erase(events_.begin(), events_.end() - static_cast<std::ptrdiff_t>(most_events_ / 2));
    events_.insert(events_.begin(), {.tick = events_.front().tick, .kind = EventKind::hole});
    has_forgotten_ = true;
  }
  bool has_forgotten() const { return has_forgotten_; }

  // `interval` is where the gap lies on the counter. REQUIRES: all events up to its end are here, or a hole in their
  // place.
  void account_for(const core::AskedGap& gap, const Interval& interval) {
    if (largest_.size() >= gaps_kept_ && gap.ticks <= largest_.back().gap.ticks) return;
    const auto place =
        std::find_if(largest_.begin(), largest_.end(), [&](const Kept& other) { return other.gap.ticks < gap.ticks; });
    Kept kept{gap, accounted(interval)};
    around_.see(kept.accounting);
    largest_.insert(place, std::move(kept));
    if (largest_.size() > gaps_kept_) largest_.pop_back();
  }

  // The same of an interval that is not kept.
  Accounting accounted(const Interval& interval) const { return account(events_for(interval), interval); }

  struct Kept {
    core::AskedGap gap;
    Accounting accounting;
  };
  const std::vector<Kept>& largest() const { return largest_; }

  // Of all gaps that were accounted for, kept or not.
  const AroundCalibration& around() const { return around_; }
  void tighten_around_of_all(const LongestWays& longest) {
    for (Kept& kept : largest_) tighten_around(longest, kept.accounting);
  }

  // When all is told: what was asked for may lie before the look that found more of them.
  void name_smis_of(std::span<const SmiWindow> windows) {
    std::vector<Accounting*> accountings;
    for (Kept& kept : largest_) accountings.push_back(&kept.accounting);
    name_smis(windows, accountings);
  }

 private:
  // Who sent the interrupt that begins a gap, or woke whom it brings, is some events before.
  static constexpr std::ptrdiff_t kEventsBefore = 512;

  // Those in the interval, some before it, and, where its thread sleeps at the beginning, at least back to the last
  // switch or hole before.
  std::span<const KernelEvent> events_for(const Interval& interval) const {
    const auto inside = std::upper_bound(events_.begin(), events_.end(), interval.from,
                                         [](uint64_t tick, const KernelEvent& event) { return tick < event.tick; });
    auto first = inside;
    if (interval.begins_asleep) {
      const auto last = std::find_if(std::make_reverse_iterator(first), events_.rend(), [](const KernelEvent& event) {
        return event.kind == EventKind::task_switch || event.kind == EventKind::hole;
      });
      if (last != events_.rend()) first = std::prev(last.base());
    }
    if (inside - first < kEventsBefore) first = inside - std::min(kEventsBefore, inside - events_.begin());
    return {first, events_.end()};
  }

  size_t gaps_kept_, most_events_;
  std::vector<KernelEvent> events_;
  bool has_forgotten_ = false;
  std::vector<Kept> largest_;  // largest first
  AroundCalibration around_;
};

}  // namespace maxlat::attribution
