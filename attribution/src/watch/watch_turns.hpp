// SPDX-License-Identifier: MIT
//
// The turns of a watch: each reads what the kernel recorded since the last one, and accounts for what was asked for.
//
//     own events of each CPU, portion by portion    what other CPUs did    gaps and wake-ups that are complete
//   --|------------------------------------------|--|-------------------|--|-----------------------------------|--
//
// What other CPUs did is read behind the CPU's own events, so that all that led to these is known.
//
// A turn may read more than a history keeps: in a flood of events, or behind a reader that got no CPU for a while. So
// before the oldest are forgotten, the two other steps are taken for that CPU, too: what is complete by then is
// accounted for while its events are there.
//
// THREADS   one at a time, but for the gaps that are asked for (core/sys/asked_gaps.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "event_source.hpp"
#include "monotonic_ticks.hpp"
#include "watch/watched_cpu.hpp"

namespace maxlat::attribution {

// Of whatever is handed over as a gap: who is woken has the scheduler's way, too.
inline double switch_at_most_ns(Watched watched) {
  return watched == Watched::loop ? kAroundAtMost_ns : kSwitchAtMost_ns;
}

class WatchTurns {
 public:
  // Adds to done[i] what other CPUs did to the i-th since the last call, as ElsewhereSource::read().
  using ReadElsewhere = std::function<core::Result<bool>(std::vector<std::vector<KernelEvent>>& done)>;

  // Events that are kept of each CPU.
  static size_t most_events_of_each(size_t cpus);

  // `source` lives as long. Without `read_elsewhere` nobody tells what other CPUs did. `start` is now.
  WatchTurns(const WatchPlan& plan, EventSource& source, ReadElsewhere read_elsewhere, base::Moment start,
             size_t most_events, const WakeupFinder::IsMeters& is_meters);

  // One turn. RETURNS: whether all was read. Nothing is, once there is damage().
  bool take();

  const std::vector<std::unique_ptr<WatchedCpu>>& cpus() const { return cpus_; }  // in the order of the plan
  uint64_t unreadable_elsewhere() const { return unreadable_elsewhere_; }
  const std::string& damage() const { return damage_; }  // why the watch ended before the run; "" when it did not

 private:
  bool read(size_t index);
  core::Result<bool> read_once(WatchedCpu& cpu, size_t index);
  void find_wakeups(WatchedCpu& cpu, std::span<const KernelEvent> events);
  void sum_up(WatchedCpu& cpu, std::span<const KernelEvent> events) const;
  void make_room(WatchedCpu& cpu);
  void read_elsewhere();
  static void account_for_found(WatchedCpu& cpu);
  void account_for_open(WatchedCpu& cpu, uint64_t until);
  void forget_old(WatchedCpu& cpu);
  Interval interval_of(const core::AskedGap& gap, int32_t thread) const;
  bool of_timer() const { return plan_.watched == Watched::timer; }
  uint64_t ticks_at(uint64_t meters_time) const { return of_timer() ? monotonic_.at(meters_time) : meters_time; }

  const WatchPlan plan_;
  EventSource& source_;
  const ReadElsewhere read_elsewhere_;
  uint64_t unreadable_elsewhere_ = 0;                     // turns in which it was; each counts as a lost event
  std::vector<std::vector<KernelEvent>> done_elsewhere_;  // in this turn
  MonotonicTicks monotonic_;
  std::vector<std::unique_ptr<WatchedCpu>> cpus_;
  std::string damage_;
};

}  // namespace maxlat::attribution
