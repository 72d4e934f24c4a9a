// SPDX-License-Identifier: MIT
//
// A form in which other programs take a run. Adding one is a file that defines one of these, and a row in
// reports/CMakeLists.txt (docs/where-to-change-what.md).
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

struct ExportDefinition {
  std::string_view name;  // "csv"
  std::string_view what;  // one line for the help
  // The whole text. `phases` are those that have samples, or the one that the user named; never none.
  // ERRORS: what cannot be said in this form.
  core::Result<std::string> (*write)(const core::RunResult& run, const std::vector<const core::Phase*>& phases);
  bool tells_failed = false;  // `phases` are also those that were to measure, and did not
};

// Another program may add its own before it reads anything.
std::vector<const ExportDefinition*>& export_table();

}  // namespace maxlat::reports
