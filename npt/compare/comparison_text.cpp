// SPDX-License-Identifier: MIT
#include "comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <iterator>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <set>
#include <vector>

#include "maximum_rate.hpp"
#include "text/paths_text.hpp"

namespace maxlat::npt {
namespace {

using Text = std::back_insert_iterator<std::string>;

constexpr std::size_t kRowName = 14, kColumn = 12;
constexpr const char* kNotMeasured = "-";

std::string signed_latency(double ns) {
  return (ns < 0 ? "-" : "+") + core::latency_text(std::abs(ns));
}

// The arms that have figures of these gaps.
using Arms = std::vector<const core::Phase*>;

Arms arms_with(const std::vector<core::Phase>& phases, const std::string& gaps) {
  Arms arms;
  for (const core::Phase& phase : phases)
    if (phase.gaps == gaps && !phase.per_cpu.empty() && phase.per_cpu.front().samples > 0) arms.push_back(&phase);
  return arms;
}

core::TextTable table_of(const Arms& arms) {
  std::vector<std::string> columns{""};
  for (const core::Phase* arm : arms) columns.push_back("#" + arm->arm);
  core::TextTable table(columns);
  std::vector<std::size_t> widths(columns.size(), kColumn);
  widths.front() = kRowName;
  table.at_least(widths);
  return table;
}

void print_table(Text out, const Arms& arms) {
  core::TextTable table = table_of(arms);
  const auto row = [&](const std::string& name, const auto& cell) {
    std::vector<std::string> cells{name};
    for (const core::Phase* arm : arms) cells.push_back(cell(*arm));
    table.row(std::move(cells));
  };
  const auto statistic = [&](const char* name, double core::CpuResult::*value) {
    row(name, [&](const core::Phase& arm) { return core::latency_text(arm.per_cpu.front().*value); });
  };
  statistic("min", &core::CpuResult::min_ns);
  statistic("mean", &core::CpuResult::mean_ns);
  statistic("std dev", &core::CpuResult::stddev_ns);
  row("variance (us2)", [](const core::Phase& arm) {
    const double us = arm.per_cpu.front().stddev_ns / 1e3;
    return fmt::format("{:.4g}", us * us);
  });
  for (const core::QuantileLevel& quantile : core::kQuantileLevels)
    row(quantile.label, [&](const core::Phase& arm) {
      const auto ns = core::measured_quantile(arm.per_cpu.front(), quantile.level);
      return ns ? core::latency_text(*ns) : std::string(kNotMeasured);
    });
  statistic("max", &core::CpuResult::max_ns);
  row("samples", [](const core::Phase& arm) { return fmt::format("{}", arm.per_cpu.front().samples); });
  row("events", [](const core::Phase& arm) {
    return arm.events ? fmt::format("{}", arm.events->produced) : std::string(kNotMeasured);
  });
  row("lost", [](const core::Phase& arm) {
    return arm.events ? fmt::format("{}", arm.events->lost()) : std::string(kNotMeasured);
  });
  const auto busy = [](const core::Phase* arm) { return arm->facts.contains(core::fact::kConsumerCpu); };
  if (std::any_of(arms.begin(), arms.end(), busy))
    row("consumer CPU %", [&](const core::Phase& arm) {
      return busy(&arm) ? arm.facts.at(core::fact::kConsumerCpu) : std::string(kNotMeasured);
    });
  fmt::format_to(out, "{}", table.text(UINT_MAX, ""));
}

std::vector<std::string> cells_of(const core::MeasureDifference& measure) {
  const bool measured = measure.verdict != core::MeasureDifference::Verdict::not_measured;
  const auto cell = [&](const std::string& text) { return measured ? text : std::string(kNotMeasured); };
  return {measure.measure,
          cell(signed_latency(measure.difference_ns)),
          cell(signed_latency(measure.interval_ns.low) + " .. " + signed_latency(measure.interval_ns.high)),
          measure.noise_floor_ns ? core::latency_text(*measure.noise_floor_ns) : kNotMeasured,
          cell(fmt::format("{:.3f}", measure.p)),
          core::verdict_text(measure)};
}

void print_differences(Text out, const core::Comparison& comparison) {
  fmt::format_to(out, "\n{} against {}, {} round{}{}\n", comparison.arm, comparison.base, comparison.rounds,
                 comparison.rounds == 1 ? "" : "s", comparison.gaps.empty() ? "" : ", " + comparison.gaps);
  core::TextTable table({"", "#by round", "#95 % interval", "#noise floor", "#p", "verdict"});
  table.at_least({9, 10, 24, 11, 6});
  for (const core::MeasureDifference& measure : comparison.measures) table.row(cells_of(measure));
  fmt::format_to(out, "{}  {}\n", table.text(), comparison.verdict);
}

void print_rate(Text out, const std::string& arm, const core::MaximumRate& rate) {
  const char* const limit = rate.lossy_hz ? "" : ", the loop's own limit";
  if (rate.lossless_hz > 0)
    fmt::format_to(out, "{}: {}{}{}: ", arm, rate.lossy_hz ? "" : "not below ", core::rate_text(rate.lossless_hz), limit);
  else
    fmt::format_to(out, "{}: no rate without a loss is known: ", arm);
  if (const auto& borne = rate.lossless_evidence)
    fmt::format_to(out, "no event lost in {} of {} trials of {}", borne->lossless(), borne->trials,
                   core::duration_text(kConfirmationIsLonger * rate.trial_s));
  else
    fmt::format_to(out, "not confirmed");
  if (rate.lossy_hz) fmt::format_to(out, "; loss at {}", core::rate_text(*rate.lossy_hz));
  if (const auto& lossy = rate.lossy_evidence) fmt::format_to(out, " in {} of {}", lossy->lossy, lossy->trials);
  double stolen_s = 0;
  for (const core::RateTrial& trial : rate.trials) stolen_s += trial.stolen_s;
  fmt::format_to(out, "\n  {} trials; the host took {:.2f} s of CPU time meanwhile\n", rate.trials.size(), stolen_s);
}

// "# Waiting windows:", where there are several looks at the runs.
void print_heading(Text out, std::string gaps, bool first) {
  if (!first) fmt::format_to(out, "\n");
  if (gaps.empty()) return;
  gaps.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(gaps.front())));
  fmt::format_to(out, "# {}{}:\n", gaps, first ? ", which the verdict is of" : "");
}

// "interrupted: 5 of 8 rounds are complete"; a status that has no other reason than itself is told once.
std::string status_text(const core::Phase& phase) {
  const std::string status = core::to_string(phase.status);
  return phase.reason.empty() || phase.reason == status ? status : status + ": " + phase.reason;
}

}  // namespace

std::string comparison_text(const core::RunResult& run) {
  std::string text;
  Text out(text);
  std::vector<std::string> looks;
  for (const core::Phase& phase : run.phases)
    if (std::find(looks.begin(), looks.end(), phase.gaps) == looks.end()) looks.push_back(phase.gaps);
  for (const std::string& gaps : looks) {
    const Arms arms = arms_with(run.phases, gaps);
    if (arms.empty()) continue;
    print_heading(out, gaps, gaps == looks.front());
    print_table(out, arms);
    for (const core::Comparison& comparison : run.comparisons)
      if (comparison.gaps == gaps) print_differences(out, comparison);
  }
  for (const core::Phase& phase : run.phases)
    if (const std::string paths = paths_text(phase, ""); !paths.empty()) text += "\n" + paths;
  bool blank = false;
  std::set<std::string> warned;  // a warning of the whole run is in each of its looks
  for (const core::Phase& phase : run.phases)
    for (const std::string& warning : phase.warnings) {
      const std::string line = fmt::format("{}: Warning: {}\n", phase.arm, warning);
      if (!warned.insert(line).second) continue;
      text += (blank ? "" : "\n") + line;
      blank = true;
    }
  for (const core::Phase& phase : run.phases) {
    if (phase.status == core::PhaseStatus::ok || phase.gaps != looks.front()) continue;
    fmt::format_to(out, "{}{}: {}\n", blank ? "" : "\n", phase.arm, status_text(phase));
    blank = true;
  }
  return text;
}

std::string maximum_rate_text(const core::RunResult& run) {
  std::string text;
  Text out(text);
  for (const core::Phase& phase : run.phases) {
    if (!phase.maximum_rate) {
      fmt::format_to(out, "{}: {}\n", phase.arm, status_text(phase));
      continue;
    }
    print_rate(out, phase.arm, *phase.maximum_rate);
    if (const auto load = phase.facts.find("load"); load != phase.facts.end())
      fmt::format_to(out, "  meanwhile {}\n", load->second);
    for (const std::string& warning : phase.warnings) fmt::format_to(out, "  Warning: {}\n", warning);
    if (!phase.reason.empty()) fmt::format_to(out, "  {}\n", status_text(phase));
  }
  return text;
}

}  // namespace maxlat::npt
