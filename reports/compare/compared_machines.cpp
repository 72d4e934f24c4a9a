// SPDX-License-Identifier: MIT
#include "compared_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/machine_difference.hpp>

#include "view/box.hpp"

namespace maxlat::reports {
namespace {

// "A / B" where the runs of a group differ.
std::string value_in(const RunGroup& group, const std::string& in, const std::string& name) {
  std::vector<std::string> values;
  for (const core::RunResult& run : group.runs) {
    std::string value = machine_value(run, in, name);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return fmt::format("{}", fmt::join(values, " / "));
}

// Each group of the fingerprints as the first run that tells it has it.
std::vector<core::FingerprintGroup> first_told(const std::vector<RunGroup>& groups) {
  std::vector<core::FingerprintGroup> first;
  for (const RunGroup& group : groups)
    for (const core::RunResult& run : group.runs)
      for (const core::FingerprintGroup& told : run.machine)
        if (!told.values.empty() &&
            std::none_of(first.begin(), first.end(), [&](const auto& known) { return known.name == told.name; }))
          first.push_back(told);
  return first;
}

}  // namespace

void compare_machines(const std::vector<RunGroup>& groups, ComparedRuns& compared) {
  const auto add = [&](const std::string& in, const std::string& name) {
    for (const MachineRow& row : compared.machine)
      if (row.group == in && row.name == name) return;
    MachineRow& row = compared.machine.emplace_back(MachineRow{in, name});
    for (const RunGroup& group : groups) row.values.push_back(value_in(group, in, name));
  };
  const std::vector<core::FingerprintGroup> first = first_told(groups);
  std::vector<std::string>& not_told = compared.machine_not_told;
  for (const RunGroup& group : groups)
    for (const core::RunResult& run : group.runs) {
      compared.machines_known &= !run.machine.empty();
      if (run.machine.empty()) continue;
      for (const auto& difference : core::machine_differences(first, run.machine)) {
        std::string said = fmt::format("{} does not tell its {}", group.name, difference.group);
        if (difference.there_tells)
          for (const auto& value : difference.values) add(difference.group, value.name);
        else if (std::find(not_told.begin(), not_told.end(), said) == not_told.end())
          not_told.push_back(std::move(said));
      }
    }
}

}  // namespace maxlat::reports
