// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/report.hpp>

#include "markdown.hpp"
#include "view/box.hpp"
#include "view/phase_view.hpp"
#include "view/suspicions.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {
namespace {

std::string bullet_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += "- " + markdown_text(item) + "\n";
  return text.empty() ? text : text + "\n";
}

std::string rule_table(const core::RunResult& run) {
  if (run.verdict.rules.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const core::RuleResult& rule : run.verdict.rules)
    rows.push_back({core::to_string(rule.outcome), rule.rule, rule.limit, rule.observed, rule.note});
  return markdown_table({"result", "rule", "limit", "observed", "note"}, rows) + "\n";
}

std::vector<std::string> phase_cells(const PhaseView& view) {
  const core::CpuResult& all = view.all;
  std::vector<std::string> cells = {core::shown_name(view.phase), core::to_string(view.phase.status),
                                    fmt::format("{}", view.phase.per_cpu.size()),
                                    view.phase.exposure_s > 0 ? core::duration_text(view.phase.exposure_s) : "-"};
  for (const core::QuantileLevel& level : core::kQuantileLevels) {
    const auto ns = shown_quantile(view.phase, all, level.level);
    cells.push_back(ns ? core::latency_text(*ns) : "-");
  }
  cells.push_back(all.samples > 0 ? core::latency_text(all.max_ns) : "-");
  return cells;
}

std::string phase_table(const std::vector<PhaseView>& views) {
  std::vector<std::string> columns = {"phase", "status", "#CPUs", "#watched"};
  for (const core::QuantileLevel& level : core::kQuantileLevels) columns.push_back(std::string("#") + level.label);
  columns.emplace_back("#max");
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> reasons;
  for (const PhaseView& view : views) {
    const core::Phase& phase = view.phase;
    if (!phase.per_cpu.empty()) rows.push_back(phase_cells(view));
    if (const auto reason = unfit_because(phase)) reasons.push_back(phase.name + ": " + *reason);
  }
  if (rows.empty() && reasons.empty()) return {};
  return (rows.empty() ? "" : markdown_table(columns, rows) + "\n") + bullet_list(reasons);
}

std::string tail_list(const std::vector<PhaseView>& views) {
  std::vector<std::string> suspicious, tails;
  for (const std::string& text : suspicious_phases(views)) suspicious.push_back("suspicious: " + text);
  for (const PhaseView& view : views)
    if (const auto tail = tail_view(view))
      tails.push_back("tail of " + core::shown_name(view.phase) + ": " + tail_sentence(*tail));
  return bullet_list(suspicious) + bullet_list(tails);
}

std::string bad_settings(const core::RunResult& run) {
  std::vector<std::vector<std::string>> rows;
  for (const core::SettingObservation& row : run.preflight)
    if (row.verdict == core::SettingObservation::Verdict::bad)
      rows.push_back({row.name, row.observed, row.expected, row.fix});
  if (rows.empty()) return {};
  return "Not set as wanted:\n\n" + markdown_table({"setting", "observed", "expected", "fix"}, rows) + "\n";
}

}  // namespace

std::string markdown_summary(const core::RunResult& run) {
  std::string text = fmt::format("## Latency: {}\n\n", core::to_string(run.verdict.kind));
  for (const std::string& line : {run.label, box_text(run), fmt::format("{}", fmt::join(run_facts(run), "; "))})
    if (!line.empty()) text += markdown_text(line) + "\n\n";
  text += bullet_list(run.verdict.reasons);
  if (const auto incomplete = incomplete_because(run)) text += bullet_list({*incomplete});
  if (!run.verdict.not_comparable.empty())
    text += "Not comparable with bare metal:\n\n" + bullet_list(run.verdict.not_comparable);
  std::vector<PhaseView> views;
  views.reserve(run.phases.size());
  for (const core::Phase& phase : run.phases) views.emplace_back(phase);
  text += rule_table(run) + phase_table(views) + tail_list(views);
  std::vector<std::string> verdicts;
  for (const core::Comparison& comparison : run.comparisons)
    if (!comparison.beside) verdicts.push_back(comparison.verdict);
  text += bullet_list(verdicts) + bad_settings(run);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace maxlat::reports
