// SPDX-License-Identifier: MIT
//
// A gate and the runs of its baseline, from the disk.
#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/sys/input_file.hpp>
#include <maxlat/core/sys/toml_reader.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/limit_toml.hpp>
#include <sstream>

#include "../command/result_path.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlanHint = "it was read to judge the run by the limits of its plan, too (docs/gate.md)";
constexpr size_t kSeries = 3;  // with two runs, what they differ by is one number

core::Error of_baseline(const std::string& gate_file, const core::Error& error) {
  return {fmt::format("{}: [baseline] runs: {}", gate_file, error.text),
          error.hint.empty() ? "a relative path begins in the folder of the gate file" : error.hint};
}

core::Result<std::vector<std::string>> runs_named(const std::string& gate_file, const fs::path& folder,
                                                  const std::vector<std::string>& written) {
  std::vector<std::string> runs;
  for (const std::string& text : written) {
    const fs::path path = folder / text;  // an absolute one stays as it is
    const auto found = runs_at(path.string());
    if (!found) return of_baseline(gate_file, found.error());
    runs.insert(runs.end(), found->begin(), found->end());
  }
  if (runs.size() > 1 && runs.size() < kSeries)
    return of_baseline(gate_file, {fmt::format("{} runs do not tell their noise", runs.size()),
                                   "name one run, or three and more"});
  return runs;
}

// The gate of that file with the runs of its baseline; `folder` is where relative ones begin.
core::Result<Gate> with_baseline(GateText read, const std::string& file, const fs::path& folder) {
  if (!read.gate.baseline) return std::move(read.gate);
  const auto runs = runs_named(file, read.folder.empty() ? folder : fs::path(read.folder), read.baseline_paths);
  if (!runs) return runs.error();
  for (const std::string& name : *runs) {
    auto stored = read_operand({name});
    if (!stored) return of_baseline(file, stored.error());
    read.gate.baseline->runs.push_back({name, std::move(stored->run)});
  }
  return std::move(read.gate);
}

// A run that did not keep them has failed, whatever else judges it.
core::Result<std::vector<Rule>> limits_of_plan(const core::RunResult& run, const std::string& file) {
  if (run.plan_text.empty()) return std::vector<Rule>{};
  return core::read_toml(run.plan_text, file + " (its plan)", kPlanHint, [](const toml::table& document) {
    std::vector<Rule> rules;
    const toml::array* phases = document["phase"].as_array();
    if (phases == nullptr) core::refuse(document, "the plan has no [[phase]]");
    for (const toml::node& phase : *phases) {
      const toml::table& table = core::toml_table(phase, "phase");
      const toml::node* name = table.get("name");
      const toml::node* limits = table.get("limits");
      if (limits == nullptr) continue;
      if (name == nullptr) core::refuse(phase, "a [[phase]] needs a name");
      for (Rule& rule : toml_limits_of_phase(*limits, core::toml_text(*name, "name"))) rules.push_back(std::move(rule));
    }
    return rules;
  });
}

}  // namespace

core::Result<std::string> gate_to_keep(const std::string& path) {
  const core::Result<std::string> text = core::read_input(path);
  if (!text) return text.error();
  const core::Result<GateText> read = parse_gate(*text, path);
  if (!read) return read.error();
  // What it has none of its own of. (Read without a file's name, a gate without a name has none.)
  toml::table first;
  if (read->folder.empty()) first.insert("folder", fs::absolute(path).parent_path().string());
  if (parse_gate(*text, "")->gate.name.empty()) first.insert("name", path);
  if (first.empty()) return *text;
  std::ostringstream kept;
  kept << first << "\n" << *text;
  return kept.str();
}

core::Result<Gate> read_gate(const std::string& path) {
  const core::Result<std::string> text = core::read_input(path);
  if (!text) return text.error();
  core::Result<GateText> read = parse_gate(*text, path);
  if (!read) return read.error();
  return with_baseline(*std::move(read), path, fs::path(path).parent_path());
}

core::Result<Gate> gate_of_run(const core::RunResult& run, const std::string& file, std::optional<Gate> other) {
  core::Result<std::vector<Rule>> limits = limits_of_plan(run, file);
  if (!limits) return limits.error();
  core::Result<Gate> gate = Gate{.name = run.plan, .rules = {}};
  if (other) {
    gate = *std::move(other);
  } else if (!run.gate_text.empty()) {
    const std::string kept = file + " (its gate)";
    core::Result<GateText> read = parse_gate(run.gate_text, kept);
    if (!read) return read.error();
    gate = with_baseline(*std::move(read), kept, fs::path(file).parent_path());
  }
  if (gate) gate->rules.insert(gate->rules.begin(), limits->begin(), limits->end());
  return gate;
}

}  // namespace maxlat::reports
