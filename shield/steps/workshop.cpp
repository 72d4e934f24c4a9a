// SPDX-License-Identifier: MIT
#include <algorithm>

#include "step.hpp"

namespace maxlat::shield {

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
