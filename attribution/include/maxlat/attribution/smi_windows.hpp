// SPDX-License-Identifier: MIT
//
// When a CPU had system management interrupts, as far as our module's looks at the processor's count tell
// (machine_counts, at each tick): between the look that found more of them and the one before. A look that finds no
// more is not recorded; that it was, the tick's own events tell.
//
//   tick                 tick                 tick
//   ---|--------------------|--------------------|---
//      look: 5 SMIs         look, not recorded   look: 7 SMIs
//                           |<---- window, 2 --->|
#pragma once

#include <algorithm>
#include <cstdint>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <optional>
#include <vector>

namespace maxlat::attribution {

class SmiWindows {
 public:
  // All events of one CPU, in its order.
  void see(const KernelEvent& event) {
    const bool of_tick = event.number == static_cast<int32_t>(VectorUse::local_timer);
    if (event.kind == EventKind::hole) {  // looks may be among what is lost
      count_.reset();
    } else if (event.kind == EventKind::vector_entry && of_tick) {
      tick_ = event.tick;
    } else if (event.kind == EventKind::vector_exit && of_tick) {
      looked_ = std::max(looked_, tick_);
    } else if (event.kind == EventKind::machine_counts) {
      if (count_ && event.value > *count_ && windows_.size() < kMost)
        windows_.push_back({looked_, event.tick, event.value - *count_});
      count_ = event.value;
      looked_ = event.tick;
    }
  }

  const std::vector<SmiWindow>& windows() const { return windows_; }

 private:
  static constexpr std::size_t kMost = 1 << 16;  // what comes later is not named

  std::optional<uint64_t> count_;  // nothing: of no look before
  uint64_t tick_ = 0, looked_ = 0;
  std::vector<SmiWindow> windows_;
};

}  // namespace maxlat::attribution
