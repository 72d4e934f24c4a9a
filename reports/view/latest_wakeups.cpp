// SPDX-License-Identifier: MIT
#include "latest_wakeups.hpp"

#include <algorithm>

namespace maxlat::reports {

std::vector<LatestWakeup> latest_wakeups(const std::vector<const core::Phase*>& phases, std::size_t most) {
  std::vector<LatestWakeup> all;
  for (const core::Phase* phase : phases)
    for (const core::CpuInterference& of_cpu : phase->interference)
      for (const core::LateWakeup& wakeup : of_cpu.wakeups) all.push_back({&wakeup, of_cpu.cpu, phase});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.wakeup->latency_ns > b.wakeup->latency_ns; });
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace maxlat::reports
