// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/reports/compare_command.hpp>
#include <maxlat/reports/report.hpp>

#include "compare/compare_page.hpp"
#include "compare/compare_text.hpp"
#include "compare/compared_runs.hpp"
#include "result_path.hpp"
#include "view/box.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kCompareHelp = {
    "maxlat compare [options] BASE OTHER...",
    "Runs side by side: in what their machines differ, every figure of every phase, and what is worse than in BASE.\n"
    "Each is a run, a result file, or a folder of runs or result files: repeats of one build, which know their own "
    "noise.",
    "  maxlat compare good/ new/                   two builds, several runs of each\n"
    "  maxlat compare before.json after.json -o difference.html    two runs, as a page with curves\n"};

po::options_description compare_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("FILE"), "also writes a page, with curves where gnuplot is installed");
  add("ratio",
      core::argument<double>("R")->default_value(CompareOptions{}.ratio, fmt::format("{:.3g}", CompareOptions{}.ratio)),
      "leaves out differences that are smaller");
  add("fail-if-worse", "exit status 2 when something is worse, 3 when these runs do not tell");
  add("help,h", "this help");
  return options;
}

// "good", of "../runs/good/": what tells it from the others.
std::string name_of(const std::string& operand) {
  const std::filesystem::path path(operand);
  const std::string last = (path.has_filename() ? path : path.parent_path()).filename().string();
  return last.empty() ? operand : last;
}

// Repeats are of one box, as far as the runs tell theirs.
core::Status check_one_box(const std::string& operand, const RunGroup& group, const std::vector<std::string>& paths) {
  std::optional<std::string> first;
  size_t at = 0;
  for (size_t i = 0; i < group.runs.size(); ++i) {
    const std::optional<std::string> box = box_of(group.runs[i]);
    if (first && box && *box != *first)
      return core::Error{
          fmt::format("{} holds runs of two boxes: {} of {}, {} of {}", operand, paths[at], *first, paths[i], *box),
          "give each box a folder of its own: repeats are of one box and one build"};
    if (!first && box) first = box, at = i;
  }
  return {};
}

core::Result<std::vector<RunGroup>> read_groups(const std::vector<std::string>& operands, const std::string& page) {
  if (operands.size() < 2)
    return core::Error{operands.empty() ? "no run given" : "one run alone cannot be compared",
                       "name the base first, then what is compared with it"};
  std::vector<RunGroup> groups;
  for (const std::string& operand : operands) {
    RunGroup& group = groups.emplace_back(RunGroup{name_of(operand), {}});
    const auto paths = runs_at(operand);
    if (!paths) return paths.error();
    for (const std::string& path : *paths) {
      auto stored = read_operand({path});
      if (!stored) return stored.error();
      if (const core::Status apart = core::check_apart({page}, {stored->path}); !apart) return apart.error();
      group.runs.push_back(std::move(stored->run));
    }
    if (const core::Status one = check_one_box(operand, group, *paths); !one) return one.error();
  }
  const bool same_names = std::any_of(groups.begin() + 1, groups.end(),
                                      [&](const RunGroup& group) { return group.name == groups[0].name; });
  if (same_names)  // result.json of two folders
    for (size_t i = 0; i < groups.size(); ++i) groups[i].name = operands[i];
  return groups;
}

core::Result<core::Exit> run_compare(const core::Arguments& arguments) {
  const auto parsed = core::parse_or_help(kCompareHelp, compare_options(), arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  const auto ratio = line.get<double>("ratio");
  if (!(ratio >= 1) || !std::isfinite(ratio)) return core::Error{"--ratio must be 1 or more", "1.1 is a tenth"};
  const std::string page = line.has("output") ? line.get<std::string>("output") : "";
  if (!page.empty())
    if (const core::Status writable = core::check_writable(page); !writable) return writable.error();
  const auto groups = read_groups(line.operands, page);
  if (!groups) return groups.error();
  const ComparedRuns compared = compare_runs(*groups, {.ratio = ratio});
  if (page != "-") {
    const std::string text = compare_text(compared, core::kTextWidth);
    if (const core::Status printed = core::write_atomically("-", text); !printed) return printed.error();
  }
  if (!page.empty()) {
    if (const core::Status written = write_compare_page(compared, page); !written) return written.error();
    if (const std::string why = no_plots_because(); !why.empty()) core::tell("maxlat compare: {}\n", why);
  }
  if (!line.has("fail-if-worse")) return core::Exit::pass;
  if (compared.worse) return core::Exit::limit_exceeded;
  return compared.alike && !compared.undecided ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace

const core::Command& compare_command() {
  static constexpr core::Command kCommand = {"compare", "runs side by side, and what is worse", run_compare};
  return kCommand;
}

}  // namespace maxlat::reports
