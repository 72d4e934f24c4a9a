// SPDX-License-Identifier: MIT
//
// Every setting of the table that a program can set: journalled, written and read back. At the end, when the other
// steps have been made, what still takes a reboot or a person is told, so that nothing is thought to be done that is
// not.
#include <fmt/format.h>

#include <algorithm>

#include "step.hpp"

namespace maxlat::shield {
namespace {

using Outcome = StepReport::Outcome;
using Verdict = core::SettingObservation::Verdict;

std::vector<Change> changes_of(const core::Setting& setting, const core::MachineView& machine) {
  std::vector<Change> changes;
  for (const core::FileWrite& write : core::writes_of(setting, machine)) {
    const auto before = core::held_value(write.path, machine);
    if (!before || core::is_written(write, machine)) continue;
    changes.push_back({.kind = Change::Kind::file, .path = write.path, .before = *before, .wanted = write.value});
  }
  return changes;
}

std::string first_of(const std::vector<std::string>& refused) {
  return refused.size() == 1 ? refused.front() : fmt::format("{}, and {} more", refused.front(), refused.size() - 1);
}

// Of a setting that no write of ours can make right.
StepReport told(const core::Setting& setting, const core::SettingObservation& seen) {
  const Outcome outcome = setting.needs_reboot || !setting.boot.empty() ? Outcome::needs_reboot : Outcome::by_hand;
  return {outcome, std::string(setting.name), fmt::format("{}: {}", seen.observed, seen.fix)};
}

core::Status make_right(const core::Setting& setting, Workshop& workshop) {
  const core::MachineView& machine = workshop.surface().view();
  const std::vector<Change> changes = setting.only_when_asked ? std::vector<Change>{} : changes_of(setting, machine);
  if (changes.empty()) return {};
  const core::SettingObservation before = core::observe(setting, machine);
  if (const core::Status recorded = workshop.record(changes); !recorded) return recorded;
  const std::vector<std::string> refused = workshop.make(changes);
  const core::SettingObservation after = core::observe(setting, machine);
  const bool none_made = refused.size() == changes.size();
  // An interrupt, for example, goes elsewhere when it comes the next time.
  const bool right = after.verdict == Verdict::ok;
  std::string text = right ? fmt::format("was {}, is {}", before.observed, after.observed)
                           : fmt::format("was {}; written, and reads {} as yet", before.observed, after.observed);
  if (none_made)
    text = first_of(refused);
  else if (!refused.empty())
    text += "; " + first_of(refused);
  workshop.report({none_made ? Outcome::not_possible : Outcome::done, before.name, std::move(text)});
  return {};
}

}  // namespace

core::Status make_settings(Workshop& workshop) {
  for (const core::Setting& setting : core::settings())
    if (const core::Status made = make_right(setting, workshop); !made) return made;
  return {};
}

// What cannot be read, or has no right value, is not ours to report.
core::Status tell_what_is_left(Workshop& workshop) {
  for (const core::Setting& setting : core::settings()) {
    if (workshop.has_reported(setting.name)) continue;
    const core::SettingObservation seen = core::observe(setting, workshop.surface().view());
    if (seen.verdict == Verdict::ok)
      workshop.report({Outcome::already, seen.name, seen.observed});
    else if (seen.verdict == Verdict::bad)
      workshop.report(told(setting, seen));
  }
  return {};
}

}  // namespace maxlat::shield
