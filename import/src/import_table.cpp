// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/import/import_definition.hpp>
#include <string>

namespace maxlat::importing {

std::vector<const ImportDefinition*> import_rows();  // of CMakeLists.txt

std::vector<const ImportDefinition*>& import_table() {
  static std::vector<const ImportDefinition*> table = import_rows();
  return table;
}

core::Result<core::RunResult> import_text(std::string_view text, std::string_view format) {
  std::string known;
  for (const ImportDefinition* definition : import_table())
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", definition->name, definition->made_by);
  const auto& table = import_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const ImportDefinition* definition) {
    return format.empty() ? definition->recognises(text) : definition->name == format;
  });
  if (found != table.end()) return (*found)->read(text);
  if (!format.empty()) return core::Error{fmt::format("there is no format \"{}\"", format), "formats are " + known};
  return core::Error{text.empty() ? "it is empty" : "it is of no format that maxlat knows", "formats are " + known};
}

}  // namespace maxlat::importing
