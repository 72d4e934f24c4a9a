// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "step.hpp"

namespace maxlat::shield {

// The settings before the cpuset: a kernel that isolates CPUs changes some of them by itself (the mask of unbound
// work), and what was there before is then no longer to be read.
std::span<const Step> step_table() {
  static constexpr std::array<Step, 4> kSteps{{
      {"settings", make_settings},
      {"idle latency", make_idle_latency},
      {"cpuset and affinity", make_cpuset_and_affinity},
      {"what is left", tell_what_is_left},
  }};
  return kSteps;
}

bool Workshop::has_reported(std::string_view step) const {
  return std::any_of(reports_.begin(), reports_.end(), [&](const StepReport& report) { return report.step == step; });
}

std::vector<std::string> Workshop::make(std::span<const Change> changes) {
  std::vector<std::string> refused;
  for (const Change& change : changes)
    if (const core::Status made = apply(change, surface_); !made) refused.push_back(made.error().text);
  return refused;
}

}  // namespace maxlat::shield
