// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/import/import_definition.hpp>
#include <string>

#include "reading/words.hpp"

namespace maxlat::importing {
namespace {

std::string known_formats() {
  return "formats are " + core::names_of(import_table());
}

core::Result<core::RunResult> read_as(const ImportDefinition& format, InputText& input, const ImportOptions& options) {
  if (format.read_lines != nullptr) {
    core::Result<core::RunResult> run = format.read_lines(input, options);
    // What could not be read is why something is missing.
    if (const core::Status whole = input.status(); !whole) return whole.error();
    if (run && !input.last_line_ended())
      return in_line(input, "it ends in the middle of this line: is the file whole?");
    return run;
  }
  const core::Result<std::string_view> text = input.whole();
  if (!text) return text.error();
  return format.read(*text);
}

bool is_ours(std::string_view beginning) {
  const size_t key = beginning.find("\"schema\"");
  const size_t value = key == beginning.npos ? key : beginning.find_first_not_of(": \t\r\n", key + 8);
  return beginning.starts_with('{') && value != beginning.npos &&
         beginning.substr(value).starts_with("\"maxlat-result/");
}

}  // namespace

std::vector<const ImportDefinition*> import_rows();  // of CMakeLists.txt

std::vector<const ImportDefinition*>& import_table() {
  static std::vector<const ImportDefinition*> table = import_rows();
  return table;
}

core::Result<core::RunResult> import_run(InputText& input, const ImportOptions& options) {
  const core::Result<std::string_view> beginning = input.beginning();
  if (!beginning) return beginning.error();
  if (is_ours(*beginning))
    return core::Error{"it is a result of maxlat already, and needs no import",
                       "maxlat report, gate and compare take it"};
  const auto& table = import_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const ImportDefinition* definition) {
    return options.format.empty() ? definition->recognises(*beginning) : definition->name == options.format;
  });
  if (found == table.end() && !options.format.empty())
    return core::Error{fmt::format("there is no format \"{}\"", options.format), known_formats()};
  if (beginning->empty()) return core::Error{"it is empty", known_formats()};
  if (found == table.end()) return core::Error{"it is of no format that maxlat knows", known_formats()};
  core::Result<core::RunResult> run = read_as(**found, input, options);
  if (!run) return run;
  if (const core::Status valid = core::validate(*run); !valid)
    return core::Error{fmt::format("its figures contradict one another: {}", valid.error().text),
                       "is the file whole, and was it edited?"};
  return run;
}

core::Result<core::RunResult> import_text(std::string_view text, std::string_view format) {
  InputText input(text);
  return import_run(input, {.format = std::string(format)});
}

}  // namespace maxlat::importing
