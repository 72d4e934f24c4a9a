// SPDX-License-Identifier: MIT
//
// The other hardware threads of the shielded cores, offline: only on request, for it takes CPUs from the box. It is the
// last step and the first to be undone, because a thread's mask is only given back where its CPUs are.
#include <fmt/format.h>

#include "step.hpp"

namespace maxlat::shield {
namespace {

// As the setting is called: what is reported here is not left to a person at the end.
constexpr const char* kSiblings = "SMT siblings";

core::Status take_siblings_offline(Workshop& workshop) {
  using Outcome = StepReport::Outcome;
  if (workshop.plan().siblings.empty()) return {};
  if (const std::string why = why_no_cpu_may_go(workshop.surface()); !why.empty()) {
    workshop.report({Outcome::not_possible, kSiblings, why});
    return {};
  }
  std::vector<Change> changes;
  for (const unsigned cpu : workshop.plan().siblings)
    changes.push_back({.kind = Change::Kind::file, .path = online_file(cpu), .before = "1", .wanted = "0"});
  // Undone backwards: nothing can be bound to a CPU before it is back.
  std::vector<Change> all = interrupts_of(workshop.plan().siblings, workshop.surface());
  all.insert(all.end(), changes.begin(), changes.end());
  if (const core::Status recorded = workshop.record(all); !recorded) return recorded;
  const std::vector<std::string> refused = workshop.make(changes);
  std::string text =
      refused.empty() ? fmt::format("CPU {} is offline", core::to_string(workshop.plan().siblings)) : refused.front();
  workshop.report({refused.empty() ? Outcome::done : Outcome::not_possible, kSiblings, std::move(text)});
  return {};
}

}  // namespace

extern const Step kSiblingsStep{kSiblings, take_siblings_offline};

}  // namespace maxlat::shield
