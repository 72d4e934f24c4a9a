// SPDX-License-Identifier: MIT
//
// The phases in one table: what each measured, how long it watched, its largest sample, and what is to be thought of
// it.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

std::string load_text(const core::Phase& phase) {
  if (phase.load.empty()) return "idle";
  std::vector<std::string> names;
  for (const auto& load : phase.load) names.push_back(load.name);
  return fmt::format("under {}", fmt::join(names, ", "));
}

std::string what_of(const core::Phase& phase) {
  if (phase.control) return "stalls of known length, which " + phase.control->meter + " must find";
  const core::PhaseKind& kind = core::kind_of(phase);
  if (kind.what.empty()) return phase.kind;
  return std::string(kind.what) + (kind.with_load ? ", " + load_text(phase) : "");
}

// What the rules say of the phase, strongest first; without rules its status.
void verdict_cell(Html& html, const core::RunResult& run, const core::Phase& phase) {
  const auto cell = html.element("td");
  using Outcome = core::RuleResult::Outcome;
  bool any = false, fail = false, invalid = false, waived = false, warning = false;
  for (const auto& rule : run.verdict.rules) {
    if (!rule.rule.starts_with(phase.name + ": ")) continue;
    any = true;
    fail = fail || rule.outcome == Outcome::fail;
    invalid = invalid || rule.outcome == Outcome::invalid;
    waived = waived || rule.outcome == Outcome::waived;
    warning = warning || rule.outcome == Outcome::warning;
  }
  if (phase.status == core::PhaseStatus::ok && fail) {
    html.leaf("span", "fail", {{"class", "chip fail"}});
  } else if (unfit_because(phase) && phase.status == core::PhaseStatus::ok) {
    html.leaf("span", "not to be used", {{"class", "chip invalid"}});
  } else if (phase.status == core::PhaseStatus::ok && any) {
    html.leaf("span",
              invalid   ? "invalid"
              : waived  ? "waived, see the rules"
              : warning ? "pass, see the rules"
                        : "pass",
              {{"class", invalid || waived || warning ? "chip invalid" : "chip pass"}});
  } else {
    status_chip(html, phase.status);
  }
}

std::string max_text(const PhaseView& view) {
  if (view.phase.control) return core::to_string(core::counts_of(view.phase.control->stalls));
  return view.all.samples > 0 ? latency_html(view.all.max_ns) : "–";
}

struct Cells {
  std::string name, target, what, max;
  double exposure_s = 0;
};

void first_cells(Html& html, const Cells& cells) {
  {
    const auto cell = html.element("th", {{"scope", "row"}});
    html.leaf("a", cells.name, {{"href", "#" + cells.target}});
  }
  html.leaf("td", cells.what);
  html.leaf("td", cells.exposure_s > 0 ? seconds_html(cells.exposure_s) : "–",
            {{"class", "n"}, {"data-name", "exposure"}});
  html.leaf("td", cells.max, {{"class", "n top"}, {"data-name", "max"}});
}

// A comparison as a whole has no one maximum, and its base says how it went.
void comparison_row(Html& html, const core::RunResult& run, const core::Phase& base) {
  Cells cells{base.comparison, "tracers", what_of(base), "–"};
  for (const auto& arm : run.phases)
    if (arm.comparison == base.comparison && arm.gaps == base.gaps) cells.exposure_s += arm.exposure_s;
  const auto row = html.element("tr");
  first_cells(html, cells);
  const auto cell = html.element("td");
  status_chip(html, base.status);
}

// cyclictest and npt under load first: they answer what the box promises. Then what explains them.
int rank_of(const core::Phase& phase) {
  const core::PhaseKind& kind = core::kind_of(phase);
  return phase.load.empty() ? kind.rank : kind.rank_under_load;
}

}  // namespace

std::string phase_anchor(size_t index) {
  return fmt::format("phase-{}", index + 1);
}

bool is_behind_the_preflight(const core::Phase& phase) {
  return rank_of(phase) >= core::kBehindThePreflight;
}

std::vector<size_t> reading_order(const core::RunResult& run) {
  std::vector<size_t> order;
  for (size_t i = 0; i < run.phases.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank_of(run.phases[a]) < rank_of(run.phases[b]); });
  return order;
}

void phases_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views) {
  if (views.empty()) return;
  const auto section = html.element("section", {{"id", "phases"}});
  html.leaf("h2", "Phases");
  const Table table(html, "Phases", {"phase", "what", "#exposure", "#max", "verdict"}, "cards");
  std::vector<std::string> comparisons;
  for (const size_t i : reading_order(run)) {
    const core::Phase& phase = views[i].phase;
    if (!core::kind_of(phase).in_table) continue;
    if (phase.comparison.empty()) {
      const auto row = html.element("tr");
      first_cells(html,
                  {core::shown_name(phase), phase_anchor(i), what_of(phase), max_text(views[i]), phase.exposure_s});
      verdict_cell(html, run, phase);
    } else if (std::find(comparisons.begin(), comparisons.end(), phase.comparison) == comparisons.end()) {
      comparisons.push_back(phase.comparison);
      comparison_row(html, run, phase);
    }
  }
}

}  // namespace maxlat::reports
