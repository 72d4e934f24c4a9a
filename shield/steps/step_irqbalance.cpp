// SPDX-License-Identifier: MIT
//
// irqbalance looks at the load every ten seconds and gives interrupts other masks, all of them when a device or a CPU
// comes: those too that a shield has moved. Where it was not told by its own configuration to leave the shielded CPUs
// alone, it is paused: it stops before the first mask is written, and goes on when the last one is what it was before.
// (The real one, and what it does otherwise: tests/guest/shield_irqbalance.guest.sh.)
//
// It could be told over its socket instead (irqbalance(1), "API"), and then balance the others. But off() could not
// keep its promises. What it is told takes effect at its next round, some ten seconds later, and can be read back only
// then. It tells which CPUs it leaves alone, and not whether somebody has told it so before. And with other CPUs to
// choose from it writes all masks anew, so that none of them is what a journal has.
#include <algorithm>
#include <charconv>
#include <maxlat/core/machine/setting_readers.hpp>
#include <optional>

#include "step.hpp"

namespace maxlat::shield {
namespace {

constexpr const char* kIrqbalance = "irqbalance";

bool leaves_them_alone(const core::MachineView& machine) {
  const std::vector<core::Setting>& settings = core::settings();
  const auto row = std::find_if(settings.begin(), settings.end(),
                                [](const core::Setting& setting) { return setting.name == kIrqbalance; });
  return row == settings.end() || core::observe(*row, machine).verdict == core::SettingObservation::Verdict::ok;
}

std::vector<Change> pauses(const core::MachineView& machine, const Surface& surface) {
  std::vector<Change> changes;
  if (leaves_them_alone(machine)) return changes;
  for (const core::Process& process : core::processes_of(machine)) {
    unsigned number = 0;
    std::from_chars(process.pid.data(), process.pid.data() + process.pid.size(), number);
    const auto task = process.comm == kIrqbalance ? core::task_of(machine, number) : std::nullopt;
    if (!task) continue;
    Change change = affinity_change(*task, {}, {});
    change.kind = Change::Kind::paused;
    change.before.clear(), change.wanted.clear();
    if (standing(change, surface) == Standing::as_before) changes.push_back(std::move(change));
  }
  return changes;
}

core::Status pause(Workshop& workshop) {
  using Outcome = StepReport::Outcome;
  const std::vector<Change> changes = pauses(workshop.surface().view(), workshop.surface());
  if (changes.empty()) return {};
  if (const core::Status recorded = workshop.record(changes); !recorded) return recorded;
  const std::vector<std::string> refused = workshop.make(changes);
  workshop.report(refused.empty() ? StepReport{Outcome::done, kIrqbalance, "is paused until off"}
                                  : StepReport{Outcome::not_possible, kIrqbalance,
                                               refused.front() + "; systemctl stop irqbalance"});
  return {};
}

std::string would_pause(const ShieldPlan&, const Surface& surface) {
  return pauses(surface.view(), surface).empty() ? "" : std::string("pause ") + kIrqbalance;
}

}  // namespace

std::vector<Change> irqbalance_since(const JournalContent& journal, const Surface& surface) {
  std::vector<Change> fresh = pauses(machine_of(journal, surface), surface);
  std::erase_if(fresh, [&](const Change& change) {
    return std::find(journal.changes.begin(), journal.changes.end(), change) != journal.changes.end();
  });
  return fresh;
}

extern const Step kIrqbalanceStep{kIrqbalance, pause, would_pause};

}  // namespace maxlat::shield
