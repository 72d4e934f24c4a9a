// SPDX-License-Identifier: MIT
//
// A gate and the runs of its baseline, from the disk.
#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/sys/input_file.hpp>
#include <maxlat/core/sys/toml_reader.hpp>
#include <maxlat/reports/gate.hpp>
#include <sstream>

#include "../command/result_path.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSeries = 3;  // with two runs, what they differ by is one number

core::Result<std::vector<std::string>> runs_named(const fs::path& folder, const std::vector<std::string>& written) {
  std::vector<std::string> runs;
  for (const std::string& text : written) {
    const fs::path path = folder / text;  // an absolute one stays as it is
    const auto found = runs_at(path.string());
    if (!found) return core::Error{"baseline: " + found.error().text, found.error().hint};
    runs.insert(runs.end(), found->begin(), found->end());
  }
  if (runs.size() > 1 && runs.size() < kSeries)
    return core::Error{fmt::format("a baseline of {} runs does not tell its noise", runs.size()),
                       "name one run, or three and more"};
  return runs;
}

}  // namespace

core::Result<std::string> gate_to_keep(const std::string& path) {
  const core::Result<std::string> text = core::read_input(path);
  if (!text) return text.error();
  const core::Result<GateText> read = parse_gate(*text, path);
  if (!read) return read.error();
  if (!read->folder.empty()) return *text;
  std::ostringstream kept;
  kept << toml::table{{"folder", fs::absolute(path).parent_path().string()}} << "\n" << *text;
  return kept.str();
}

core::Result<Gate> read_gate(const std::string& path) {
  const core::Result<std::string> text = core::read_input(path);
  if (!text) return text.error();
  core::Result<GateText> read = parse_gate(*text, path);
  if (!read) return read.error();
  if (!read->gate.baseline) return std::move(read->gate);
  const fs::path folder = read->folder.empty() ? fs::path(path).parent_path() : fs::path(read->folder);
  const auto runs = runs_named(folder, read->baseline_paths);
  if (!runs) return runs.error();
  for (const std::string& name : *runs) {
    auto stored = read_operand({name});
    if (!stored) return core::Error{"baseline: " + stored.error().text, stored.error().hint};
    read->gate.baseline->runs.push_back({name, std::move(stored->run)});
  }
  return std::move(read->gate);
}

}  // namespace maxlat::reports
