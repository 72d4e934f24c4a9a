// SPDX-License-Identifier: MIT
//
// A format of another tool's result. Adding one is one file that defines one of these, and a row in
// import/CMakeLists.txt (docs/where-to-change-what.md).
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string_view>
#include <vector>

namespace maxlat::importing {

struct ImportDefinition {
  std::string_view name;     // "cyclictest-json"
  std::string_view made_by;  // "cyclictest --json (rt-tests 2)"
  // Whether the text is of this format, by a look at it; of one that is damaged, too. Never of an empty one.
  bool (*recognises)(std::string_view text);
  // ERRORS: what is damaged or missing. What the format does not tell (loads, settings) is said to be unknown, never
  // made up.
  core::Result<core::RunResult> (*read)(std::string_view text);
};

// Another program may add its own before it reads anything. The first that recognises a text has it.
std::vector<const ImportDefinition*>& import_table();

// `format`: a name, or empty for the first that recognises the text. ERRORS: no such format, nothing that is known.
core::Result<core::RunResult> import_text(std::string_view text, std::string_view format);

}  // namespace maxlat::importing
