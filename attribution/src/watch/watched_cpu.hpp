// SPDX-License-Identifier: MIT
//
// What a watch has of one CPU.
#pragma once

#include <maxlat/attribution/done_elsewhere.hpp>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/attribution/smi_windows.hpp>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <utility>
#include <vector>

#include "cpu_history.hpp"
#include "interference_ledger.hpp"
#include "wakeups/late_wakeups.hpp"
#include "wakeups/wakeup_finder.hpp"

namespace maxlat::attribution {

struct WatchedCpu {
  WatchedCpu(const WatchPlan& plan, size_t most_events, WakeupFinder::IsMeters is_meters)
      : history(plan.gaps_kept, most_events),
        ledger(plan.ticks_per_ns),
        finder(plan.threads, std::move(is_meters)),
        wakeups(plan.gaps_kept, plan.ticks_per_ns) {}

  void take_asked() {
    asked.take([this](const core::AskedGap& gap) { open.push_back(gap); });
  }

  core::AskedGaps asked;             // the meter's thread writes it; all else is the reader's
  std::vector<core::AskedGap> open;  // taken, and not accounted for yet
  bool is_read = false;              // to the end, in this turn
  uint64_t recorded_until = 0;       // the last of its own events that is here
  uint64_t known_until = 0;          // its own events are all here; later than that, where it recorded no more
  CpuHistory history;
  ElsewhereTurns elsewhere;
  InterferenceLedger ledger;
  SmiWindows smis;
  bool end_is_told = false;
  WakeupFinder finder;  // of another program
  std::vector<Wakeup> found;
  LateWakeups wakeups;
};

}  // namespace maxlat::attribution
