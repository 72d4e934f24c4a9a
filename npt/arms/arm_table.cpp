// SPDX-License-Identifier: MIT
#include <algorithm>

#include "arm_definition.hpp"

namespace maxlat::npt {
namespace {

const ArmDefinition kNoArm{.name = "none"};

}  // namespace

std::vector<const ArmDefinition*>& arm_table() {
  static std::vector<const ArmDefinition*> table = {
      &kNoArm,   &kMaxlatArm,    &kLttngModulesArm, &kLttngUstArm,     &kLockedPrintfArm, &kSpdlogAsyncArm,
      &kUsdtArm, &kSystemtapArm, &kUprobeArm,       &kFtraceMarkerArm, &kDelayArm};
  return table;
}

const ArmDefinition* find_arm(std::string_view name) {
  const auto& table = arm_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const ArmDefinition* arm) { return arm->name == name; });
  return found == table.end() ? nullptr : *found;
}

}  // namespace maxlat::npt
