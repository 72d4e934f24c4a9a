// SPDX-License-Identifier: MIT
#include <array>

#include "step.hpp"

namespace maxlat::shield {

// The settings before the cpuset: a kernel that isolates CPUs changes some of them by itself (the mask of unbound work),
// and what was there before is then no longer to be read.
std::span<const Step> step_table() {
  static constexpr std::array<Step, 3> kSteps{{
      {"settings", make_settings},
      {"idle latency", make_idle_latency},
      {"cpuset and affinity", make_cpuset_and_affinity},
  }};
  return kSteps;
}

std::vector<std::string> Workshop::make(std::span<const Change> changes) {
  std::vector<std::string> refused;
  for (const Change& change : changes)
    if (const core::Status made = apply(change, surface_); !made) refused.push_back(made.error().text);
  return refused;
}

}  // namespace maxlat::shield
