// SPDX-License-Identifier: MIT
//
// "Tracers": what each tracer adds, as the paper's tables have it (Beamonte 2015, Tables 2 to 4) and its figures, for
// this machine; each comparison with the command that makes it again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

std::string signed_latency(double ns) {
  return (ns < 0 ? "−" : "+") + latency_html(std::abs(ns));
}

void number_cell(Html& html, const std::string& text) {
  html.leaf("td", text, {{"class", "n"}});
}

std::string quantile_html(const core::CpuResult& cpu, double level) {
  const auto ns = core::measured_quantile(cpu, level);
  return ns ? latency_html(*ns) : "–";
}

void statistics_table(Html& html, const std::vector<const core::Phase*>& arms) {
  std::vector<std::string> columns{""};
  for (const core::Phase* arm : arms) columns.push_back("#" + arm->arm);
  const Table table(html, "Statistics of the arms", columns, "dense");
  const auto row = [&](std::string_view name, auto cell) {
    const auto guard = html.element("tr");
    html.leaf("th", name, {{"scope", "row"}});
    for (const core::Phase* arm : arms) number_cell(html, cell(*arm, arm->per_cpu.front()));
  };
  using Arm = const core::Phase&;
  using Cpu = const core::CpuResult&;
  row("minimum", [](Arm, Cpu cpu) { return latency_html(cpu.min_ns); });
  row("mean", [](Arm, Cpu cpu) { return latency_html(cpu.mean_ns); });
  row("standard deviation", [](Arm, Cpu cpu) { return latency_html(cpu.stddev_ns); });
  row("variance (µs²)", [](Arm, Cpu cpu) { return fmt::format("{:.3g}", cpu.stddev_ns / 1e3 * cpu.stddev_ns / 1e3); });
  for (const core::QuantileLevel& level : core::kQuantileLevels)
    row(level.label, [&](Arm, Cpu cpu) { return quantile_html(cpu, level.level); });
  row("maximum", [](Arm, Cpu cpu) { return latency_html(cpu.max_ns); });
  row("samples", [](Arm, Cpu cpu) { return grouped(cpu.samples); });
  row("events", [](Arm arm, Cpu) { return arm.events ? grouped(arm.events->produced) : std::string("–"); });
  row("events lost", [](Arm arm, Cpu) { return arm.events ? grouped(arm.events->lost()) : std::string("–"); });
}

void difference_table(Html& html, const core::Comparison& comparison) {
  html.leaf("h3", fmt::format("{} against {}{}", comparison.arm, comparison.base,
                              comparison.gaps.empty() ? "" : ": " + comparison.gaps));
  html.leaf("p", with_micro_sign(comparison.verdict) + ".");
  const Table table(html, fmt::format("Differences of {} and {}", comparison.arm, comparison.base),
                    {"measure", "#" + comparison.base, "#" + comparison.arm, "#difference by round", "#95 % interval",
                     "#noise floor", "#p", "verdict"},
                    "dense");
  for (const core::MeasureDifference& measure : comparison.measures) {
    const auto row = html.element("tr");
    html.leaf("th", measure.measure, {{"scope", "row"}});
    if (measure.verdict == core::MeasureDifference::Verdict::not_measured) {
      for (int column = 0; column < 6; ++column) number_cell(html, "–");
      html.leaf("td", core::verdict_text(measure));
      continue;
    }
    number_cell(html, latency_html(measure.base_ns));
    number_cell(html, latency_html(measure.arm_ns));
    number_cell(html, signed_latency(measure.difference_ns));
    number_cell(html, signed_latency(measure.interval_ns.low) + " … " + signed_latency(measure.interval_ns.high));
    number_cell(html, measure.noise_floor_ns ? latency_html(*measure.noise_floor_ns) : "–");
    number_cell(html, fmt::format("{:.3f}", measure.p));
    html.leaf("td", core::verdict_text(measure));
  }
}

// What the tracer did in each gap of the arm, as its own trace tells.
void paths_table(Html& html, const core::Phase& arm) {
  if (arm.paths.empty()) return;
  html.leaf("h3", "Where the tail of " + arm.arm + " comes from");
  html.leaf("p", with_micro_sign(core::worst_in_words(arm)) + ".", {{"class", "statement"}});
  const Table table(html, "Paths of " + arm.arm, {"in the gap", "#gaps", "#p50", "#p99.9", "#maximum"}, "dense");
  for (const core::PathResult& path : arm.paths) {
    const auto row = html.element("tr");
    html.leaf("th", path.name, {{"scope", "row"}});
    number_cell(html, grouped(path.gaps.samples));
    for (const double level : {0.5, 0.999}) number_cell(html, quantile_html(path.gaps, level));
    number_cell(html, latency_html(path.gaps.max_ns));
  }
}

void paths_part(Html& html, const std::vector<const core::Phase*>& arms) {
  if (std::none_of(arms.begin(), arms.end(), [](const core::Phase* arm) { return !arm->paths.empty(); })) return;
  for (const core::Phase* arm : arms) paths_table(html, *arm);
  html.leaf(
      "p",
      "maxlat's own tracer tells from its trace, afterwards and at no cost in the loop, what it did in each gap. "
      "Gaps with something rare are few and short, so hardly ever something else falls into one: their maximum is "
      "mostly the tracer's own, while what an ordinary event's gap holds beyond the ordinary is mostly the "
      "machine's. A flush is not among the paths: the consumer copies what stands in an open sub-buffer by itself, "
      "and the traced thread does nothing for it. With timer delivery nobody is woken either.",
      {{"class", "soft"}});
}

void rate_table(Html& html, const std::vector<const core::Phase*>& rates) {
  html.leaf("h3", "Highest rate of events without a loss");
  {
    const Table table(
        html, "Maximum rates",
        {"arm", "#nothing lost at", "#in trials", "#lost at", "#in trials", "#all trials", "#of", "confirmed"});
    for (const core::Phase* phase : rates) {
      const core::MaximumRate& rate = *phase->maximum_rate;
      const auto row = html.element("tr");
      html.leaf("th", phase->arm, {{"scope", "row"}});
      number_cell(html, rate.lossless_hz > 0 ? core::rate_text(rate.lossless_hz) : "-");
      number_cell(html, lossless_trials(rate));
      number_cell(html, rate.lossy_hz ? core::rate_text(*rate.lossy_hz) : "nothing, as fast as the loop goes");
      number_cell(html, lossy_trials(rate));
      number_cell(html, fmt::format("{}", rate.trials.size()));
      number_cell(html, seconds_html(rate.trial_s));
      html.leaf("td", rate.confirmed ? "yes" : "no");
    }
  }
  html.leaf(
      "p",
      "The highest rate at which most trials lost nothing, and the lowest at which at least half of them, and three or "
      "more, lost something. Trials of the confirmation, of which the figure is, are twice as long as the others. A "
      "search that is not confirmed promises neither.",
      {{"class", "soft"}});
  html.leaf("code", rates.front()->command, {{"class", "command"}});
}

void comparison_part(Html& html, const ArmsView& view, const std::vector<DrawnPlot>& plots) {
  if (!view.gaps.empty()) html.leaf("h3", "Of " + view.title());
  html.leaf("code", view.arms.front()->command, {{"class", "command"}});
  if (const auto measured = view.measured(); !measured.empty()) statistics_table(html, measured);
  for (const core::Phase* arm : view.arms)
    if (arm->status != core::PhaseStatus::ok)
      html.leaf("p", fmt::format("{}: {}: {}", arm->arm, core::to_string(arm->status), arm->reason),
                {{"class", "warning"}});
  for (const core::Comparison* comparison : view.comparisons) difference_table(html, *comparison);
  paths_part(html, view.arms);
  plot_grid(html, plots);
}

}  // namespace

void tracers_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views,
                     const std::vector<ArmsView>& comparisons, const std::vector<std::vector<DrawnPlot>>& plots) {
  const std::vector<const core::Phase*> rates = rates_of(run);
  if (comparisons.empty() && rates.empty()) return;
  const auto section = html.element("section", {{"id", "tracers"}});
  html.leaf("h2", "Tracers");
  html.leaf("p",
            "Each arm is the same loop with another tracer at its tracepoint, or with none. All arms are measured in "
            "every round, in random order, so that what the machine does in between is in all of them. The first is "
            "the base; it runs a second time in each round, and what it differs from itself is the noise floor. A "
            "difference is called when it shows round after round and is larger than that; \"same\" is said when its "
            "whole interval lies within that, where that is small, or within a hundredth of the base's usual figure; "
            "what is neither is not shown. The figures of an arm are of all its rounds together. A difference is "
            "taken in each round, and the median of the rounds is given: it is not the difference of the two figures "
            "beside it.",
            {{"class", "soft"}});
  for (size_t i = 0; i < comparisons.size(); ++i) comparison_part(html, comparisons[i], plots[i]);
  if (!rates.empty()) rate_table(html, rates);
  if (comparisons.empty()) return;
  html.leaf("h3", "Each arm");
  for (size_t i = 0; i < views.size(); ++i)
    if (!views[i].phase.comparison.empty()) arm_details(html, views[i], phase_anchor(i));
}

}  // namespace maxlat::reports
