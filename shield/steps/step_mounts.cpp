// SPDX-License-Identifier: MIT
//
// tracefs and debugfs, only on request: the audit's names are in the first, the fair server's settings in the second.
// It is the first step and the last to be undone.
#include <maxlat/core/sys/tracefs.hpp>

#include "step.hpp"

namespace maxlat::shield {
namespace {

core::Status mount_what_is_asked_for(Workshop& workshop) {
  using Outcome = StepReport::Outcome;
  if (!workshop.plan().mounts) return {};
  for (const Change& change : mounts()) {
    const std::string mounted = "mounted at " + change.path;
    if (standing(change, workshop.surface()) == Standing::ours) {
      workshop.report({Outcome::already, change.wanted, mounted});
      continue;
    }
    if (const core::Status recorded = workshop.record({&change, 1}); !recorded) return recorded;
    const std::vector<std::string> refused = workshop.make({&change, 1});
    workshop.report({refused.empty() ? Outcome::done : Outcome::not_possible, change.wanted,
                     refused.empty() ? mounted : refused.front()});
  }
  return {};
}

}  // namespace

std::vector<Change> mounts() {
  return {{.kind = Change::Kind::mount, .path = core::kTracefsPlaces[0], .wanted = "tracefs"},
          {.kind = Change::Kind::mount, .path = "/sys/kernel/debug", .wanted = "debugfs"}};
}

extern const Step kMountsStep{"mounts", mount_what_is_asked_for};

}  // namespace maxlat::shield
