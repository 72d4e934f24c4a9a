// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/npt/arm_definition.hpp>

namespace maxlat::npt {

std::vector<const ArmDefinition*> arm_rows();  // of CMakeLists.txt

std::vector<const ArmDefinition*>& arm_table() {
  static std::vector<const ArmDefinition*> table = arm_rows();
  return table;
}

const ArmDefinition* find_arm(std::string_view name) {
  const auto& table = arm_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const ArmDefinition* arm) { return arm->name == name; });
  return found == table.end() ? nullptr : *found;
}

}  // namespace maxlat::npt
