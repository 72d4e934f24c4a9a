// SPDX-License-Identifier: MIT
#include "result_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <maxlat/core/sys/counted.hpp>
#include <system_error>

#include "series/series_files.hpp"

namespace maxlat::reports {

namespace fs = std::filesystem;

namespace {

// Also where nobody may look into it, or a link leads nowhere: reading it says so.
bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return fs::exists(status) || status.type() == fs::file_type::none;
}

}  // namespace

core::Result<std::vector<std::string>> runs_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || is_there(fs::path(path) / "result.json")) return std::vector{path};
  std::vector<std::string> runs;
  size_t others = 0;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& found = entry->path();
    std::error_code ignored;
    const bool folder = fs::is_directory(found, ignored), json = !folder && found.extension() == ".json";
    if (folder ? is_there(found / "result.json") : json && may_be_a_result(found.string()))
      runs.push_back(found.string());
    else
      others += json;
  }
  if (error) return core::system_error("cannot read " + path, error.value());
  if (runs.empty())
    return core::Error{fmt::format("{} holds no run", path),
                       others > 0
                           ? fmt::format("of its {}, none is a result of maxlat: maxlat import reads other tools'",
                                         core::counted(others, ".json file"))
                           : "it is a run, or a folder of runs, each with its result.json, or of result files"};
  std::sort(runs.begin(), runs.end());
  return runs;
}

core::Result<StoredRun> read_operand(const std::vector<std::string>& operands) {
  if (operands.size() != 1) {
    return core::Error{operands.empty() ? "no run given" : fmt::format("one run at a time, not {}", operands.size()),
                       "name the folder of a run, or a result file"};
  }
  fs::path path = operands.front();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    path /= "result.json";
    if (!fs::exists(path, ignored)) {
      if (const auto runs = runs_at(operands.front()); runs)
        return core::Error{
            fmt::format("{} holds {}, and this takes one run", operands.front(), core::counted(runs->size(), "run")),
            "name it: " + runs->front()};
      return core::Error{fmt::format("{} has no result.json", operands.front()),
                         "a run writes it after its pre-flight, before it measures"};
    }
  }
  auto run = core::read_run(path.string());
  if (!run) return run.error();
  return StoredRun{path.string(), *std::move(run)};
}

std::string report_path(const std::string& result_path) {
  fs::path path = result_path;
  if (path.filename() == "result.json") return path.replace_filename("report.html").string();
  return path.replace_extension(".html").string();
}

}  // namespace maxlat::reports
