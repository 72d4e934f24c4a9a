// SPDX-License-Identifier: MIT
//
// tracefs and debugfs, only on request: the audit's names are in the first, the fair server's settings in the second.
// It is the first step and the last to be undone.
#include <fmt/format.h>

#include "step.hpp"

namespace maxlat::shield {
namespace {

core::Status mount_what_is_asked_for(Workshop& workshop) {
  using Outcome = StepReport::Outcome;
  if (!workshop.plan().mounts) return {};
  for (const auto& [kind, place] :
       {std::pair("tracefs", "/sys/kernel/tracing"), std::pair("debugfs", "/sys/kernel/debug")}) {
    const Change change{.kind = Change::Kind::mount, .path = place, .wanted = kind};
    if (standing(change, workshop.surface()) == Standing::ours) {
      workshop.report({Outcome::already, kind, std::string("mounted at ") + place});
      continue;
    }
    if (const core::Status recorded = workshop.record({&change, 1}); !recorded) return recorded;
    const std::vector<std::string> refused = workshop.make({&change, 1});
    workshop.report({refused.empty() ? Outcome::done : Outcome::not_possible, kind,
                     refused.empty() ? std::string("mounted at ") + place : refused.front()});
  }
  return {};
}

}  // namespace

extern const Step kMountsStep{"mounts", mount_what_is_asked_for};

}  // namespace maxlat::shield
