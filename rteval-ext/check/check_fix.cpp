// SPDX-License-Identifier: MIT
#include "check_fix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/shield/held_shield.hpp>

namespace maxlat::rteval_ext {
namespace {

using core::Remedy;
using Means = Remedy::Means;
using Judgement = core::SettingObservation::Verdict;

std::string comment(const std::string& text, const FixStyle& style) {
  return core::wrapped(text, style.width, "# ", "#   ");
}

std::string item(const std::string& text, const FixStyle& style) {
  return core::wrapped(text, style.width, "#   ", "#     ");
}

// Those that make right what only a reboot does, or does wholly.
std::vector<core::BootParameter> parameters_for(const std::vector<Remedy>& remedies, const core::MachineView& machine) {
  std::vector<const core::Setting*> settings;
  for (const Remedy& remedy : remedies)
    if (remedy.means == Means::reboot || remedy.some_wait_for_reboot) settings.push_back(remedy.setting);
  return core::boot_parameters(settings, machine);
}

// A reboot, but not with other parameters: another kernel, for example.
bool is_by_hand(const Remedy& remedy, const core::MachineView& machine) {
  return remedy.means == Means::person ||
         (remedy.means == Means::reboot && core::boot_words(*remedy.setting, machine).empty());
}

std::string writes_text(const Remedy& remedy, const FixStyle& style) {
  const core::SettingObservation& seen = remedy.seen;
  std::string text = comment(fmt::format("{}: {}; expected: {}", seen.name, seen.observed, seen.expected), style);
  for (const Remedy::Write& write : remedy.writes)
    text += fmt::format("echo {} > {}  # was {}\n", write.file.value, write.file.path,
                        write.before.empty() ? "empty" : write.before);
  return text + "\n";
}

std::string standing_text(const core::BootParameter& parameter) {
  switch (parameter.standing) {
    case core::BootParameter::Standing::there:
      return "; on this kernel's command line already";
    case core::BootParameter::Standing::other:
      return fmt::format("; this kernel has {}={}", parameter.name, parameter.running);
    case core::BootParameter::Standing::missing:
      break;
  }
  return {};
}

std::string reboot_text(const std::vector<Remedy>& remedies, const core::MachineView& machine, const FixStyle& style) {
  const auto parameters = parameters_for(remedies, machine);
  if (parameters.empty()) return {};
  std::string text = comment("needs a reboot, with these parameters of the kernel:", style);
  for (const core::BootParameter& parameter : parameters)
    text += item(
        fmt::format("{} for {}{}", parameter.text(), fmt::join(parameter.settings, ", "), standing_text(parameter)),
        style);
  return text +
         comment(fmt::format("`maxlat shield boot --cpus {}` says where they go", core::to_string(machine.measured())),
                 style) +
         "\n";
}

std::string by_hand_text(const std::vector<Remedy>& remedies, const core::MachineView& machine, const FixStyle& style) {
  std::string text;
  for (const Remedy& remedy : remedies)
    if (is_by_hand(remedy, machine))
      text += item(fmt::format("{}: {}: {}", remedy.seen.name, remedy.seen.observed, remedy.seen.fix), style);
  return text.empty() ? text : comment("by hand:", style) + text + "\n";
}

std::vector<std::string> not_known(const std::vector<Remedy>& remedies) {
  std::vector<std::string> names;
  for (const Remedy& remedy : remedies)
    if (remedy.means == Means::nothing && remedy.seen.verdict == Judgement::unknown) names.push_back(remedy.seen.name);
  return names;
}

// The writes below are what of it is settings.
std::string title(const core::MachineView& machine, const FixStyle& style) {
  const std::string cpus = core::to_string(machine.measured());
  std::string text =
      comment(fmt::format("what `maxlat shield on --cpus {}` would write. Nothing has been written.", cpus), style);
  if (const core::Result<std::string> steps = shield::steps_of_shield(machine))
    text += comment(fmt::format("step by step, it would {}, and keep the old values for `maxlat shield off`", *steps),
                    style);
  return text;
}

}  // namespace

std::vector<Remedy> remedies(const core::MachineView& machine) {
  std::vector<Remedy> all;
  for (const core::Setting& setting : core::settings()) all.push_back(core::remedy_of(setting, machine));
  return all;
}

std::string fix_script(const std::vector<Remedy>& remedies, const core::MachineView& machine, const FixStyle& style) {
  std::string text = "#!/bin/sh\n" + title(machine, style) + "\n";
  for (const Remedy& remedy : remedies)
    if (remedy.means == Means::write) text += writes_text(remedy, style);
  text += reboot_text(remedies, machine, style) + by_hand_text(remedies, machine, style);
  if (const auto names = not_known(remedies); !names.empty())
    text +=
        comment(fmt::format("not known{}: {}", style.is_root ? "" : ", but perhaps to root", fmt::join(names, ", ")),
                style) +
        "\n";
  return text;
}

std::string fix_summary(const std::vector<Remedy>& remedies, const core::MachineView& machine) {
  size_t files = 0, by_hand = 0;
  for (const Remedy& remedy : remedies) {
    files += remedy.writes.size();
    by_hand += is_by_hand(remedy, machine) ? 1 : 0;
  }
  const size_t parameters = parameters_for(remedies, machine).size();
  const auto counted = [](size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return fmt::format("{} to write, {} of the kernel, {} by hand, {} not known", counted(files, "file"),
                     counted(parameters, "parameter"), counted(by_hand, "setting"), not_known(remedies).size());
}

}  // namespace maxlat::rteval_ext
