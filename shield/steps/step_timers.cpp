// SPDX-License-Identifier: MIT
//
// Timers, only on request. A timer stays on the CPU on which it was armed, and one that arms itself anew stays there
// for ever: what ran on a CPU before its shield comes back to it. A CPU that goes offline gives its timers away; so
// each goes, and comes back (admin-guide/kernel-per-CPU-kthreads.rst).
//
// Interrupts and threads that are bound to these CPUs alone lose that when their last CPU goes. What they had is
// journalled before, and given back with the CPU. This is the second step: what others see of them is as it was.
#include <fmt/format.h>

#include "step.hpp"

namespace maxlat::shield {
namespace {

using Outcome = StepReport::Outcome;

constexpr const char* kTimers = "timers";

std::vector<Change> bound_there(Workshop& workshop) {
  std::vector<Change> changes = interrupts_of(workshop.plan().cpus, workshop.surface());
  for (const core::Task& task : workshop.surface().tasks()) {
    const auto cpus = core::cpus_of(workshop.surface().view(), task);
    if (cpus && !task.bound && lie_within(*cpus, workshop.plan().cpus))
      changes.push_back(affinity_change(task, *cpus, *cpus));
  }
  return changes;
}

core::Status send_timers_away(Workshop& workshop) {
  if (!workshop.plan().timers) return {};
  if (const std::string why = why_no_cpu_may_go(workshop.surface()); !why.empty()) {
    workshop.report({Outcome::not_possible, kTimers, why});
    return {};
  }
  std::vector<Change> bound = bound_there(workshop), cpus;
  for (const unsigned cpu : workshop.plan().cpus)
    cpus.push_back({.kind = Change::Kind::kept, .path = online_file(cpu), .before = "1", .wanted = "1"});
  // Undone backwards: CPUs first, for nothing can be bound to one that is offline.
  std::vector<Change> all = bound;
  all.insert(all.end(), cpus.begin(), cpus.end());
  if (const core::Status recorded = workshop.record(all); !recorded) return recorded;
  std::vector<std::string> refused;
  for (const Change& cpu : cpus) {
    if (const core::Status gone = workshop.surface().write(cpu.path, "0"); !gone) refused.push_back(gone.error().text);
    for (std::string& why : workshop.make({&cpu, 1})) refused.push_back(std::move(why));
  }
  // What the kernel has left as it was may be one of its own interrupts, whose mask it lets nobody write.
  std::erase_if(bound,
                [&](const Change& change) { return standing(change, workshop.surface()) == Standing::as_before; });
  for (std::string& why : workshop.make(bound)) refused.push_back(std::move(why));
  if (refused.empty())
    workshop.report({Outcome::done, kTimers,
                     fmt::format("CPU {} went offline and came back", core::to_string(workshop.plan().cpus))});
  else
    workshop.report({Outcome::not_possible, kTimers, refused.front()});
  return {};
}

}  // namespace

extern const Step kTimersStep{kTimers, send_timers_away};

}  // namespace maxlat::shield
