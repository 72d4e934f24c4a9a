// SPDX-License-Identifier: MIT
//
// The run in a terminal: verdict and its reasons, what cannot be compared, which run and box it is, then in the order
// of the page phases and what to look at closer. ASCII, so that it survives every serial console and log.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/report.hpp>

#include "text_arms.hpp"
#include "text_histogram.hpp"
#include "text_style.hpp"
#include "view/box.hpp"
#include "view/culprits.hpp"
#include "view/latest_wakeups.hpp"
#include "view/phase_view.hpp"
#include "view/suspicions.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kOutliersOnTerminal = 8;
constexpr unsigned kWide = 96;            // from here tables have room for what can be left out
constexpr int kOnlyIfWide[] = {5, 4, 2};  // of the table of phases: p50, minimum, CPUs
constexpr const char* kTimeUnknown = "time unknown";

std::string heading(const TextStyle& style, const std::string& text) {
  return "\n" + style.paint("1", text) + "\n";
}

std::string verdict(const core::RunResult& run, const TextStyle& style) {
  std::string out = verdict_line(run, style) + "\n";
  for (const auto& reason : run.verdict.reasons) out += core::wrapped(reason, style.width, "  - ");
  if (run.state != core::RunResult::State::complete)
    out += style.paint("1;33", fmt::format("This run is not complete ({}).", core::to_string(run.state))) + "\n";
  if (!run.verdict.not_comparable.empty()) {
    out += "\n" + style.paint("1;33", "NOT COMPARABLE WITH BARE METAL") + "\n";
    for (const auto& reason : run.verdict.not_comparable) out += core::wrapped(reason, style.width, "  - ");
  }
  return out;
}

// As at the top of the page. What the user wrote may hold anything.
std::string about(const core::RunResult& run, const TextStyle& style) {
  std::string out;
  for (const std::string& line : {run.label, box_text(run), fmt::format("{}", fmt::join(run_facts(run), "; "))})
    if (!line.empty()) out += core::wrapped(core::printable(line), style.width, "");
  return out.empty() ? out : "\n" + out;
}

std::string rules(const core::RunResult& run, const TextStyle& style) {
  if (run.verdict.rules.empty()) return {};
  core::TextTable table({"rule", "limit", "observed", "result"});
  for (const auto& rule : run.verdict.rules)
    table.row({rule.rule, rule.limit, rule.observed, core::to_string(rule.outcome)});
  return heading(style, "Rules") + table.text(style.width);
}

// Observed and expected in a table; below it each fix whole, because half a command is none.
std::string preflight(const core::RunResult& run, const TextStyle& style) {
  using Seen = core::SettingObservation::Verdict;
  core::TextTable table({"result", "setting", "observed", "expected"});
  std::string fixes;
  bool any = false;
  for (const Seen seen : {Seen::bad, Seen::unknown}) {
    for (const auto& row : run.preflight) {
      if (row.verdict != seen) continue;
      table.row({core::to_string(row.verdict), row.name, row.observed, row.expected});
      if (seen == Seen::bad && !row.fix.empty()) fixes += core::wrapped(row.fix, style.width, "  " + row.name + ": ");
      any = true;
    }
  }
  if (!any) return {};
  if (!fixes.empty()) fixes = heading(style, "How to set them") + fixes;
  return heading(style, "Pre-flight: what is not as wanted") + table.text(style.width) + fixes;
}

std::string phases(const std::vector<PhaseView>& views, const TextStyle& style) {
  if (views.empty()) return {};
  const bool wide = style.width >= kWide;
  std::vector<std::string> columns = {"phase", "status", "#CPUs",     "#exposure", "#min",
                                      "#p50",  "#p99.9", "#p99.9999", "#max"};
  const auto fit = [wide](std::vector<std::string>& cells) {
    for (const int column : kOnlyIfWide)
      if (!wide) cells.erase(cells.begin() + column);
  };
  fit(columns);
  core::TextTable table(columns);
  std::string reasons;
  for (const auto& view : views) {
    const auto& all = view.all;
    std::vector<std::string> row = {core::shown_name(view.phase), core::to_string(view.phase.status)};
    row.push_back(view.phase.per_cpu.empty() ? "-" : fmt::format("{}", view.phase.per_cpu.size()));
    row.push_back(view.phase.exposure_s > 0 ? core::duration_text(view.phase.exposure_s) : "-");
    if (all.samples > 0) {
      row.push_back(core::latency_text(all.min_ns));
      for (const double level : {0.5, 0.999, 0.999999}) {
        const auto ns = shown_quantile(view.phase, all, level);
        row.push_back(ns ? core::latency_text(*ns) : "-");
      }
      row.push_back(core::latency_text(all.max_ns));
    }
    row.resize(9, "-");
    fit(row);
    table.row(std::move(row));
    if (const auto reason = unfit_because(view.phase))
      reasons += core::wrapped(view.phase.name + ": " + *reason, style.width, "  ! ");
    for (const auto& warning : view.phase.warnings)
      reasons += core::wrapped(view.phase.name + ": " + warning, style.width, "  ! ");
  }
  return heading(style, "Phases") + table.text(style.width) + reasons;
}

// Hints, not part of the verdict.
std::string suspicious_tails(const std::vector<PhaseView>& views, const TextStyle& style) {
  std::string out;
  for (const std::string& text : suspicious_phases(views))
    out += core::wrapped(core::printable(text), style.width, "  - ");
  return out.empty() ? out : heading(style, "Suspicious tails (a hint, not part of the verdict)") + out;
}

std::string extrapolated_tails(const std::vector<PhaseView>& views, const TextStyle& style) {
  std::string out;
  for (const PhaseView& view : views)
    if (const auto tail = tail_view(view))
      out += core::wrapped(core::printable(core::shown_name(view.phase)) + ": " + tail_sentence(*tail), style.width,
                           "  - ");
  return out.empty() ? out : heading(style, "Tails, extrapolated: what is exceeded once in so long") + out;
}

std::string tracers(const core::RunResult& run, const TextStyle& style) {
  const std::string text = text_arms(run, style.width);
  return text.empty() ? text : heading(style, "Tracers") + text;
}

std::string loads(const core::RunResult& run, const TextStyle& style) {
  core::TextTable table({"phase", "load", "state", "#slowest", "#fastest", "unit", "reason"});
  bool any = false;
  for (const auto& phase : run.phases) {
    for (const auto& load : phase.load) {
      const auto [low, high] = std::minmax_element(load.progress.begin(), load.progress.end());
      const bool known = !load.progress.empty();
      table.row({phase.name, load.name, load.alive ? "alive" : "DEAD", known ? fmt::format("{:.4g}", *low) : "-",
                 known ? fmt::format("{:.4g}", *high) : "-", load.unit, load.reason});
      any = true;
    }
  }
  return any ? heading(style, "Loads") + table.text(style.width) : std::string();
}

std::string controls(const core::RunResult& run, const TextStyle& style) {
  core::TextTable table({"phase", "meter", "#CPU", "#planted", "#actual", "#found", "result"});
  bool any = false;
  for (const auto& phase : run.phases) {
    if (!phase.control) continue;
    for (const auto& stall : phase.control->stalls) {
      table.row({phase.name, phase.control->meter, fmt::format("{}", stall.cpu), core::latency_text(stall.planted_ns),
                 core::latency_text(stall.actual_ns), stall.found_ns > 0 ? core::latency_text(stall.found_ns) : "-",
                 core::to_string(core::outcome_of(stall))});
      any = true;
    }
  }
  return any ? heading(style, "Positive control") + table.text(style.width) : std::string();
}

std::string outliers(const std::vector<PhaseView>& views, const TextStyle& style) {
  struct Row {
    const PhaseView* view;
    LargeSample sample;
  };
  std::vector<Row> rows;
  for (const auto& view : views) {
    for (const auto& sample : largest_samples(view.phase)) rows.push_back({&view, sample});
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.sample.latency_ns > b.sample.latency_ns; });
  rows.resize(std::min(rows.size(), kOutliersOnTerminal));
  const auto clock_of = [](const Row& row) {
    const auto* outlier = row.sample.outlier;
    return outlier != nullptr ? core::wall_clock(row.view->phase, outlier->t_ns) : std::nullopt;
  };
  std::optional<core::WallClock> any;
  for (const Row& row : rows) any = any ? any : clock_of(row);
  const bool since_start = !any || style.width >= kWide;
  std::vector<std::string> columns = {"#latency", "#CPU"};
  if (since_start) columns.push_back("#after the start");
  if (any) columns.push_back("#by the clock");
  columns.insert(columns.end(), {"phase", "cause"});
  core::TextTable table(columns);
  for (const Row& row : rows) {
    const auto* outlier = row.sample.outlier;
    const auto clock = clock_of(row);
    std::vector<std::string> cells = {core::latency_text(row.sample.latency_ns), fmt::format("{}", row.sample.cpu)};
    if (since_start) cells.push_back(outlier != nullptr ? fmt::format("{:.6f} s", outlier->t_ns / 1e9) : kTimeUnknown);
    if (any) cells.push_back(clock ? clock->time + (clock->zone == any->zone ? "" : " " + clock->zone) : kTimeUnknown);
    cells.push_back(core::shown_name(row.view->phase));
    cells.push_back(outlier != nullptr ? core::story_of(*outlier) : "");
    table.row(std::move(cells));
  }
  return heading(style, any ? "Largest samples, in local time (" + any->zone + ")" : "Largest samples") +
         table.text(style.width);
}

// Of meters that are other programs, by the kernel's events.
std::string late_wakeups(const std::vector<PhaseView>& views, const TextStyle& style) {
  std::vector<const core::Phase*> phases;
  for (const auto& view : views) phases.push_back(&view.phase);
  const std::vector<LatestWakeup> rows = latest_wakeups(phases, kOutliersOnTerminal);
  if (rows.empty()) return {};
  core::TextTable table({"#latency", "#CPU", "phase", "steps", "who had the time"});
  for (const auto& [wakeup, cpu, phase] : rows)
    table.row({core::latency_text(wakeup->latency_ns), fmt::to_string(cpu), core::shown_name(*phase),
               core::split_text(*wakeup), core::accounting_text(wakeup->accounting)});
  return heading(style, "Latest wake-ups, by the kernel's events") + table.text(style.width);
}

std::string who_had_the_largest(const std::vector<PhaseView>& views, const TextStyle& style) {
  std::string out;
  for (const auto& lines : {culprit_lines(views), not_watched_lines(views)})
    for (const std::string& line : lines) out += core::wrapped(line, style.width, "  - ");
  return out.empty() ? out : heading(style, "Who had the largest samples") + out;
}

std::string histograms(const std::vector<PhaseView>& views, const TextStyle& style) {
  std::string out;
  for (const auto& view : views)
    out += (view.all.samples > 0 ? "\n" : "") + text_histogram(core::shown_name(view.phase), view.all, style.width);
  if (out.empty()) return out;
  return heading(style, "Histograms: phase, from ns, to ns, samples, bar on a logarithmic scale") + out;
}

}  // namespace

std::string terminal_summary(const core::RunResult& run, unsigned width, bool colour) {
  const TextStyle style{std::max(width, kNarrowest), colour};
  std::vector<PhaseView> views;
  views.reserve(run.phases.size());
  for (const auto& phase : run.phases) views.emplace_back(phase);
  return verdict(run, style) + about(run, style) + rules(run, style) + preflight(run, style) + phases(views, style) +
         suspicious_tails(views, style) + extrapolated_tails(views, style) + tracers(run, style) +
         controls(run, style) + loads(run, style) + who_had_the_largest(views, style) + outliers(views, style) +
         late_wakeups(views, style) + histograms(views, style);
}

}  // namespace maxlat::reports
