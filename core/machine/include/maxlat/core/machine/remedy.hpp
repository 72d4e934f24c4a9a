// SPDX-License-Identifier: MIT
//
// What is to be done about a setting that is not right, and by whom: a program that writes files, a reboot with other
// parameters of the kernel, or a person. The shield does it, `maxlat check --fix` shows it, and both from here, so what
// is shown is what would be done.
//
// Nothing here writes.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <span>
#include <string>
#include <vector>

namespace maxlat::core {

struct Remedy {
  // nothing: it is right already, and no write keeps it so; or it has no right value, or cannot be read and there is
  // nothing to write
  enum class Means { nothing, write, reboot, person } means = Means::nothing;
  const Setting* setting = nullptr;
  SettingObservation seen{};
  // The files that hold something else than they should, with what they hold.
  struct Write {
    FileWrite file;
    std::string before;
  };
  std::vector<Write> writes{};
  // Beside the writes: parts that no write can move (Setting::immovable) wait for the parameters, or are not known.
  bool some_wait_for_reboot = false;
};
Remedy remedy_of(const Setting& setting, const MachineView& machine);

// A parameter of the kernel that makes settings right from the next boot on.
struct BootParameter {
  std::string name, value{};                 // "nohz_full", "2-3"; without a value: "nosmt"
  std::vector<std::string_view> settings{};  // which it makes right
  // On the command line of the kernel that runs. other: with a value that is not, or does not include, this one.
  enum class Standing { there, other, missing } standing = Standing::missing;
  std::string running{};  // the value there
  std::string text() const { return value.empty() ? name : name + "=" + value; }
};

// Those of the settings, each once: where two settings want the same parameter, it has the words of both
// ("isolcpus=managed_irq,domain,2-3"). Without those that are for a person to ask for (Setting::only_when_asked), and
// those that need a CPU that is not measured where none is left.
std::vector<BootParameter> boot_parameters(std::span<const Setting* const> settings, const MachineView& machine);
// Those of the whole table.
std::vector<BootParameter> boot_parameters(const MachineView& machine);

}  // namespace maxlat::core
