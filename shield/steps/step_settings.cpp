// SPDX-License-Identifier: MIT
//
// Every setting of the table that a program can set: journalled, written and read back. At the end, when the other
// steps have been made, what still takes a reboot or a person is told, so that nothing is thought to be done that is
// not.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/sys/counted.hpp>

#include "step.hpp"

namespace maxlat::shield {
namespace {

using Outcome = StepReport::Outcome;
using Verdict = core::SettingObservation::Verdict;

std::vector<Change> changes_of(const core::Remedy& remedy, bool precautions) {
  std::vector<Change> changes;
  for (const auto& [file, before] : remedy.writes)
    if (file.precaution == precautions)
      changes.push_back({.kind = Change::Kind::file, .path = file.path, .before = before, .wanted = file.value});
  return changes;
}

std::string first_of(const std::vector<std::string>& refused) {
  return refused.size() == 1 ? refused.front() : fmt::format("{}, and {} more", refused.front(), refused.size() - 1);
}

std::string what_became(const core::SettingObservation& before, const core::SettingObservation& after) {
  switch (after.verdict) {
    case Verdict::ok:
      return fmt::format("was {}, is {}", before.observed, after.observed);
    case Verdict::unknown:
      return fmt::format("written; whether that is enough cannot be read: {}", after.observed);
    default:  // an interrupt, for example, goes elsewhere when it comes the next time
      return fmt::format("was {}; written, and reads {} as yet", before.observed, after.observed);
  }
}

// The parts of a setting that no write moves on this kernel, and what does; empty where there are none, or it does not
// tell.
std::string what_stays(const core::Setting& setting, const core::MachineView& machine) {
  const auto parts = setting.immovable != nullptr ? setting.immovable(machine) : std::nullopt;
  if (!parts || parts->empty()) return {};
  return fmt::format("{} cannot be moved while the machine runs: needs {} and a reboot", fmt::join(*parts, ", "),
                     core::boot_words(setting, machine));
}

// RETURNS: what of it was taken, in words.
core::Result<std::string> take_precautions(const core::Remedy& remedy, Workshop& workshop) {
  const std::vector<Change> changes = changes_of(remedy, true);
  if (changes.empty()) return std::string();
  if (const core::Status recorded = workshop.record(changes); !recorded) return recorded.error();
  const size_t taken = changes.size() - workshop.make(changes).size();
  return taken == 0 ? std::string() : core::counted(taken, "file") + " written so that it stays so";
}

StepReport report_of(const core::Remedy& remedy, size_t files, const std::vector<std::string>& refused,
                     const core::MachineView& machine) {
  const core::SettingObservation& before = remedy.seen;
  const core::SettingObservation after = core::observe(*remedy.setting, machine);
  const std::string stays = after.verdict == Verdict::bad ? what_stays(*remedy.setting, machine) : "";
  std::string text = stays.empty() ? what_became(before, after)
                                   : fmt::format("was {}, is {}; {}", before.observed, after.observed, stays);
  if (refused.size() == files)
    text = first_of(refused);
  else if (!refused.empty())
    text = fmt::format("{} of {} files written; {}; {}", files - refused.size(), files, text, first_of(refused));
  const Outcome outcome = !refused.empty() ? Outcome::not_possible
                          : stays.empty()  ? Outcome::done
                                           : Outcome::needs_reboot;
  return {outcome, before.name, std::move(text)};
}

core::Status make_right(const core::Remedy& remedy, const core::MachineView& machine, Workshop& workshop) {
  const core::Result<std::string> precautions = take_precautions(remedy, workshop);
  if (!precautions) return precautions.error();
  const std::vector<Change> changes = changes_of(remedy, false);
  if (changes.empty()) {
    if (!precautions->empty())
      workshop.report({Outcome::done, remedy.seen.name, fmt::format("{}; {}", remedy.seen.observed, *precautions)});
    return {};
  }
  if (const core::Status recorded = workshop.record(changes); !recorded) return recorded;
  const std::vector<std::string> refused = workshop.make(changes);
  StepReport report = report_of(remedy, changes.size(), refused, machine);
  if (!precautions->empty()) report.text += "; " + *precautions;
  workshop.report(std::move(report));
  return {};
}

core::Status make_settings(Workshop& workshop) {
  const core::MachineView& machine = workshop.surface().view();
  for (const core::Setting& setting : core::settings())
    if (const core::Status made = make_right(core::remedy_of(setting, machine), machine, workshop); !made) return made;
  return {};
}

// What cannot be read, or has no right value, is not ours to report.
core::Status tell_what_is_left(Workshop& workshop) {
  for (const core::Setting& setting : core::settings()) {
    if (workshop.has_reported(setting.name)) continue;
    const core::Remedy remedy = core::remedy_of(setting, workshop.surface().view());
    if (remedy.seen.verdict == Verdict::ok)
      workshop.report({Outcome::already, remedy.seen.name, remedy.seen.observed});
    else if (remedy.seen.verdict == Verdict::bad)
      workshop.report({remedy.means == core::Remedy::Means::reboot ? Outcome::needs_reboot : Outcome::by_hand,
                       remedy.seen.name, fmt::format("{}: {}", remedy.seen.observed, remedy.seen.fix)});
  }
  return {};
}

std::string would_make_settings(const ShieldPlan&, const Surface& surface) {
  size_t settings = 0, files = 0;
  for (const core::Setting& setting : core::settings()) {
    const auto writes = core::remedy_of(setting, surface.view()).writes.size();
    settings += writes > 0 ? 1 : 0;
    files += writes;
  }
  if (files == 0) return {};
  return fmt::format("make {} right ({})", core::counted(settings, "setting"), core::counted(files, "file"));
}

// At most: a cpuset makes some of them right, too.
std::string would_leave(const ShieldPlan&, const Surface& surface) {
  size_t reboot = 0, person = 0;
  for (const core::Setting& setting : core::settings()) {
    const core::Remedy remedy = core::remedy_of(setting, surface.view());
    if (remedy.seen.verdict != Verdict::bad || !remedy.writes.empty()) continue;
    ++(remedy.means == core::Remedy::Means::reboot ? reboot : person);
  }
  if (reboot + person == 0) return {};
  return fmt::format("leave at most {} to a reboot and {} to a person", core::counted(reboot, "setting"), person);
}

// What a line of the journal has is seen to stand, or not, by that line.
bool has_line(const JournalContent& journal, const std::string& path) {
  return std::any_of(journal.changes.begin(), journal.changes.end(),
                     [&](const Change& change) { return change.kind == Change::Kind::file && change.path == path; });
}

}  // namespace

core::MachineView machine_of(const JournalContent& journal, const Surface& surface) {
  core::MachineView machine = surface.view();
  machine.measured_cpus = journal.header.cpus;
  machine.other_cpus = journal.header.housekeeping;
  return machine;
}

std::vector<core::Remedy> turned_wrong(const JournalContent& journal, const core::MachineView& machine) {
  std::vector<core::Remedy> remedies;
  for (const core::Setting& setting : core::settings()) {
    core::Remedy remedy = core::remedy_of(setting, machine);
    if (remedy.seen.verdict != Verdict::bad) continue;
    std::erase_if(remedy.writes, [&](const core::Remedy::Write& write) {
      return write.file.precaution || has_line(journal, write.file.path);
    });
    if (!remedy.writes.empty()) remedies.push_back(std::move(remedy));
  }
  return remedies;
}

core::Status make_right(std::span<const core::Remedy> remedies, const core::MachineView& machine, Workshop& workshop) {
  for (const core::Remedy& remedy : remedies)
    if (const core::Status made = make_right(remedy, machine, workshop); !made) return made;
  return {};
}

extern const Step kSettingsStep{"settings", make_settings, would_make_settings};
extern const Step kWhatIsLeftStep{"what is left", tell_what_is_left, would_leave};

}  // namespace maxlat::shield
