// SPDX-License-Identifier: MIT
//
// A format of another tool's result. Adding one is one file that defines one of these, and a row in
// import/CMakeLists.txt (docs/where-to-change-what.md).
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/import/input_text.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::importing {

// What the user tells, because some formats do not.
struct ImportOptions {
  std::string format{};  // a name; empty: the first that recognises the text
  double unit_ns = 0;    // of the numbers in a file that does not tell their unit; 0: not told
};

struct ImportDefinition {
  std::string_view name;     // "cyclictest-json"
  std::string_view made_by;  // "cyclictest --json (rt-tests 2)"
  // Whether the text is of this format, by a look at its beginning (InputText::kBeginning); of one that is damaged,
  // too. Never of an empty one.
  bool (*recognises)(std::string_view beginning);
  // One of the two: a document is read as a whole, a text line by line, in memory that does not grow with it.
  // ERRORS: what is damaged or missing, with the line where there are lines. What the format does not tell (loads,
  // settings) is said to be unknown, never made up.
  core::Result<core::RunResult> (*read)(std::string_view text) = nullptr;
  core::Result<core::RunResult> (*read_lines)(InputText& input, const ImportOptions& options) = nullptr;
};

// Another program may add its own before it reads anything. The first that recognises a text has it.
std::vector<const ImportDefinition*>& import_table();

// A valid run (core::validate). ERRORS: no such format, nothing that is known, and what the format's own reader says.
core::Result<core::RunResult> import_run(InputText& input, const ImportOptions& options = {});
core::Result<core::RunResult> import_text(std::string_view text, std::string_view format);

}  // namespace maxlat::importing
