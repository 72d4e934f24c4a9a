// SPDX-License-Identifier: MIT
//
// What a user names when they name a run: its folder, or its result file.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::reports {

struct StoredRun {
  std::string path;  // of the result file
  core::RunResult run;
};

// Takes exactly one operand. ERRORS: none or several, a folder of runs, or of none, what core::read_run says.
core::Result<StoredRun> read_operand(const std::vector<std::string>& operands);

// A run, or a result file, itself; of another folder the runs and the result files (NAME.json) that are in it, by name.
// Files of other tools are passed over (may_be_a_result()); one that cannot be opened, or was emptied, is not, so that
// reading it says why. ERRORS: the folder cannot be read, or holds no result.
core::Result<std::vector<std::string>> runs_at(const std::string& path);

// Where the report of a result file belongs: result.json -> report.html beside it, npt.json -> npt.html.
std::string report_path(const std::string& result_path);

}  // namespace maxlat::reports
