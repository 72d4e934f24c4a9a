// SPDX-License-Identifier: MIT
#include "result_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace maxlat::reports {

namespace fs = std::filesystem;

core::Result<StoredRun> read_operand(const std::vector<std::string>& operands) {
  if (operands.size() != 1) {
    return core::Error{operands.empty() ? "no run given" : fmt::format("one run at a time, not {}", operands.size()),
                       "name the folder of a run, or a result file"};
  }
  fs::path path = operands.front();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    path /= "result.json";
    if (!fs::exists(path, ignored))
      return core::Error{fmt::format("{} has no result.json", operands.front()),
                         "a run writes it after its pre-flight, before it measures"};
  }
  auto run = core::read_run(path.string());
  if (!run) return run.error();
  return StoredRun{path.string(), *std::move(run)};
}

std::vector<std::string> runs_at(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) || fs::exists(fs::path(path) / "result.json", ignored)) return {path};
  std::vector<std::string> runs;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (fs::exists(entry.path() / "result.json", ignored)) runs.push_back(entry.path().string());
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::string report_path(const std::string& result_path) {
  fs::path path = result_path;
  if (path.filename() == "result.json") return path.replace_filename("report.html").string();
  return path.replace_extension(".html").string();
}

}  // namespace maxlat::reports
