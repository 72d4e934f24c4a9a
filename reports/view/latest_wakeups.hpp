// SPDX-License-Identifier: MIT
//
// The latest wake-ups of phases whose meter is another program: by the kernel's events, latest first.
#pragma once

#include <cstddef>
#include <maxlat/core/result/late_wakeup.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <vector>

namespace maxlat::reports {

struct LatestWakeup {
  const core::LateWakeup* wakeup;
  unsigned cpu;
  const core::Phase* phase;
};

// At most `most` of them. They point into the phases.
std::vector<LatestWakeup> latest_wakeups(const std::vector<const core::Phase*>& phases, std::size_t most);

}  // namespace maxlat::reports
