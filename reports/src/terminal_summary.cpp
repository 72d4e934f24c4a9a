// SPDX-License-Identifier: MIT
//
// The run in a terminal, in the order of the page: verdict and its reasons, what cannot be compared, phases, then what
// to look at closer. ASCII, so that it survives every serial console and log.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <maxlat/core/duration.hpp>
#include <maxlat/core/tracer_paths.hpp>
#include <maxlat/reports/report.hpp>

#include "phase_view.hpp"
#include "text_arms.hpp"
#include "text_histogram.hpp"
#include "text_table.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kOutliersShown = 8;
constexpr unsigned kNarrowest = 40;
constexpr unsigned kWide = 96;  // from here the table of phases has room for the minimum too
constexpr int kMinimumColumn = 4;

struct Style {
  unsigned width;
  bool colour;
  std::string paint(const char* code, const std::string& text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
};

// Words wrapped to the width, with `first` before the first line and as many spaces before the others.
std::string wrapped(const std::string& text, const std::string& first, unsigned width) {
  const std::string shown = printable(text), indent(first.size(), ' ');
  std::string out, line = first;
  size_t begin = 0;
  while (begin < shown.size()) {
    const size_t end = std::min(shown.find(' ', begin), shown.size());
    const std::string word = shown.substr(begin, end - begin);
    const bool fresh = line.size() == indent.size();
    if (!fresh && shown_width(line) + 1 + shown_width(word) > width) {
      out += line + "\n";
      line = indent + word;
    } else {
      line += (fresh ? "" : " ") + word;
    }
    begin = end + 1;
  }
  return out + line + "\n";
}

std::string heading(const Style& style, const std::string& text) {
  return "\n" + style.paint("1", text) + "\n";
}

std::string verdict(const core::RunResult& run, const Style& style) {
  using Kind = core::Verdict::Kind;
  std::string word = core::to_string(run.verdict.kind);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const char* code = run.verdict.kind == Kind::pass      ? "1;32"
                     : run.verdict.kind == Kind::fail    ? "1;31"
                     : run.verdict.kind == Kind::invalid ? "1;33"
                                                         : "1";
  std::string out = style.paint(code, "Verdict: " + word) + "\n";
  for (const auto& reason : run.verdict.reasons) out += wrapped(reason, "  - ", style.width);
  if (run.state != core::RunResult::State::complete)
    out += style.paint("1;33", fmt::format("This run is not complete ({}).", core::to_string(run.state))) + "\n";
  if (!run.verdict.not_comparable.empty()) {
    out += "\n" + style.paint("1;33", "NOT COMPARABLE WITH BARE METAL") + "\n";
    for (const auto& reason : run.verdict.not_comparable) out += wrapped(reason, "  - ", style.width);
  }
  return out;
}

std::string rules(const core::RunResult& run, const Style& style) {
  if (run.verdict.rules.empty()) return {};
  TextTable table({"rule", "limit", "observed", "result"});
  for (const auto& rule : run.verdict.rules)
    table.row({rule.rule, rule.limit, rule.observed, core::to_string(rule.outcome)});
  return heading(style, "Rules") + table.text(style.width);
}

std::string preflight(const core::RunResult& run, const Style& style) {
  using Seen = core::SettingObservation::Verdict;
  TextTable table({"result", "setting", "observed", "expected", "fix"});
  bool any = false;
  for (const Seen seen : {Seen::bad, Seen::unknown}) {
    for (const auto& row : run.preflight) {
      if (row.verdict != seen) continue;
      table.row({core::to_string(row.verdict), row.name, row.observed, row.expected, row.fix});
      any = true;
    }
  }
  return any ? heading(style, "Pre-flight: what is not as wanted") + table.text(style.width) : std::string();
}

std::string phases(const std::vector<PhaseView>& views, const Style& style) {
  if (views.empty()) return {};
  const bool wide = style.width >= kWide;
  std::vector<std::string> columns = {"phase", "status", "#CPUs",     "#exposure", "#min",
                                      "#p50",  "#p99.9", "#p99.9999", "#max"};
  if (!wide) columns.erase(columns.begin() + kMinimumColumn);
  TextTable table(columns);
  std::string reasons;
  for (const auto& view : views) {
    const auto& all = view.all;
    std::vector<std::string> row = {view.phase.name, core::to_string(view.phase.status)};
    row.push_back(view.phase.per_cpu.empty() ? "-" : fmt::format("{}", view.phase.per_cpu.size()));
    row.push_back(view.phase.exposure_s > 0 ? core::duration_text(view.phase.exposure_s) : "-");
    if (all.samples > 0) {
      row.push_back(core::latency_text(all.min_ns));
      for (const double level : {0.5, 0.999, 0.999999}) {
        const auto ns = core::measured_quantile(all, level);
        row.push_back(ns ? core::latency_text(*ns) : "-");
      }
      row.push_back(core::latency_text(all.max_ns));
    }
    row.resize(9, "-");
    if (!wide) row.erase(row.begin() + kMinimumColumn);
    table.row(std::move(row));
    if (const auto reason = unfit_because(view.phase))
      reasons += wrapped(view.phase.name + ": " + *reason, "  ! ", style.width);
    for (const auto& warning : view.phase.warnings)
      reasons += wrapped(view.phase.name + ": " + warning, "  ! ", style.width);
  }
  return heading(style, "Phases") + table.text(style.width) + reasons;
}

std::string tracers(const core::RunResult& run, const Style& style) {
  const std::string text = text_arms(run, style.width);
  return text.empty() ? text : heading(style, "Tracers") + text;
}

std::string loads(const core::RunResult& run, const Style& style) {
  TextTable table({"phase", "load", "state", "#slowest", "#fastest", "unit", "reason"});
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

std::string controls(const core::RunResult& run, const Style& style) {
  TextTable table({"phase", "meter", "#CPU", "#planted", "#actual", "#found", "result"});
  bool any = false;
  for (const auto& phase : run.phases) {
    if (!phase.control) continue;
    for (const auto& stall : phase.control->stalls) {
      table.row({phase.name, phase.control->meter, fmt::format("{}", stall.cpu), core::latency_text(stall.planted_ns),
                 core::latency_text(stall.actual_ns), stall.found_ns > 0 ? core::latency_text(stall.found_ns) : "-",
                 stall.found          ? "found"
                 : stall.found_ns > 0 ? "beyond the error"
                                      : "MISSED"});
      any = true;
    }
  }
  return any ? heading(style, "Positive control") + table.text(style.width) : std::string();
}

std::string outliers(const std::vector<PhaseView>& views, const Style& style) {
  struct Row {
    const PhaseView* view;
    const core::Outlier* outlier;
  };
  std::vector<Row> rows;
  for (const auto& view : views) {
    for (const auto& outlier : view.all.outliers) rows.push_back({&view, &outlier});
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.outlier->latency_ns > b.outlier->latency_ns; });
  rows.resize(std::min(rows.size(), kOutliersShown));
  TextTable table({"#latency", "#CPU", "#at", "phase", "cause"});
  for (const auto& row : rows) {
    table.row({core::latency_text(row.outlier->latency_ns), fmt::format("{}", row.outlier->cpu),
               fmt::format("{:.6f} s", row.outlier->t_ns / 1e9), row.view->phase.name, core::story_of(*row.outlier)});
  }
  return heading(style, "Largest samples") + table.text(style.width);
}

std::string histograms(const std::vector<PhaseView>& views, const Style& style) {
  std::string out;
  for (const auto& view : views)
    out += (view.all.samples > 0 ? "\n" : "") + text_histogram(view.phase.name, view.all, style.width);
  if (out.empty()) return out;
  return heading(style, "Histograms: phase, from ns, to ns, samples, bar on a logarithmic scale") + out;
}

}  // namespace

std::string terminal_summary(const core::RunResult& run, unsigned width, bool colour) {
  const Style style{std::max(width, kNarrowest), colour};
  std::vector<PhaseView> views;
  views.reserve(run.phases.size());
  for (const auto& phase : run.phases) views.emplace_back(phase);
  return verdict(run, style) + rules(run, style) + preflight(run, style) + phases(views, style) + tracers(run, style) +
         controls(run, style) + loads(run, style) + outliers(views, style) + histograms(views, style);
}

}  // namespace maxlat::reports
