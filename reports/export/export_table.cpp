// SPDX-License-Identifier: MIT
#include <maxlat/reports/export_definition.hpp>

namespace maxlat::reports {

std::vector<const ExportDefinition*> export_rows();  // of CMakeLists.txt

std::vector<const ExportDefinition*>& export_table() {
  static std::vector<const ExportDefinition*> table = export_rows();
  return table;
}

}  // namespace maxlat::reports
