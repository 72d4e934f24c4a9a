// SPDX-License-Identifier: MIT
//
// The page as a whole. All plots of all phases are drawn by one gnuplot (gnuplot.hpp), then each section is written.
#include <fmt/format.h>

#include <iterator>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/reports/report.hpp>

#include "html.hpp"
#include "page_head.hpp"
#include "plots/plots.hpp"
#include "plots/plots_arms.hpp"
#include "plots/plots_tail.hpp"
#include "sections.hpp"
#include "view/arms_view.hpp"
#include "view/box.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using PlotGroups = std::vector<std::vector<DrawnPlot>>;

struct DrawnPlots {
  PlotGroups of_phases, of_comparisons;
};

using Tails = std::vector<std::optional<TailView>>;  // of the run's phases

// An arm has its plots beside the other arms', in the section on tracers.
std::vector<Plot> own_plots(const PhaseView& view, const std::optional<TailView>& tail) {
  if (!view.phase.comparison.empty()) return {};
  std::vector<Plot> plots = plots_of(view);
  if (tail)
    if (auto plot = plot_of(view, *tail)) plots.push_back(*std::move(plot));
  return plots;
}

core::Result<DrawnPlots> drawn_plots(const std::vector<PhaseView>& views, const Tails& tails,
                                     const std::vector<ArmsView>& comparisons) {
  std::vector<Plot> plots;
  std::vector<size_t> counts;
  const auto add = [&](std::vector<Plot> own) {
    counts.push_back(own.size());
    plots.insert(plots.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  };
  for (size_t i = 0; i < views.size(); ++i) add(own_plots(views[i], tails[i]));
  for (const auto& comparison : comparisons) add(plots_of(comparison));
  auto all = drawn(std::move(plots));
  if (!all) return all.error();

  DrawnPlots groups;
  auto next = std::make_move_iterator(all->begin());
  for (const size_t count : counts) {
    auto& into = groups.of_phases.size() < views.size() ? groups.of_phases : groups.of_comparisons;
    into.emplace_back(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  }
  return groups;
}

void contents(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views) {
  const auto nav = html.element("nav", {{"aria-label", "Contents"}});
  const auto list = html.element("ul");
  const auto entry = [&](const std::string& target, std::string_view name) {
    const auto item = html.element("li");
    html.leaf("a", name, {{"href", "#" + target}});
  };
  entry("verdict", "Verdict");
  if (has_trust_section(views)) entry("trust", "How far it can be trusted");
  if (!run.phases.empty()) entry("phases", "Phases");
  entry("findings", "What this run shows");
  if (!run.preflight.empty()) entry("preflight", "Pre-flight");
  if (!arms_of(run).empty() || !rates_of(run).empty()) entry("tracers", "Tracers");
  entry("reading", "How to read it");
  if (!run.machine.empty()) entry("machine", "Machine");
}

void page_header(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views) {
  const auto header = html.element("header");
  html.leaf("h1", "Latency report");
  if (!run.label.empty()) html.leaf("p", run.label, {{"class", "label"}});
  if (const std::string box = box_text(run); !box.empty()) html.leaf("p", box, {{"class", "box"}});
  html.leaf("p", fmt::format("{}", fmt::join(run_facts(run), " · ")), {{"class", "soft"}});
  no_plots_note(html);
  contents(html, run, views);
}

void page_footer(Html& html, const core::RunResult& run) {
  const auto footer = html.element("footer");
  html.leaf("p", fmt::format("Made by {} from the result file alone; `maxlat report` makes this page again. Seed {}.",
                             run.tool.empty() ? "maxlat" : run.tool, run.seed));
  const auto kept = [&](const char* what, const std::string& text) {
    if (text.empty()) return;
    const auto details = html.element("details");
    html.leaf("summary", what);
    html.leaf("pre", text);
  };
  kept("The plan of this run", run.plan_text);
  kept("The gate of this run", run.gate_text);
}

}  // namespace

core::Result<std::string> html_report(const core::RunResult& run) {
  std::vector<PhaseView> views;
  views.reserve(run.phases.size());
  for (const auto& phase : run.phases) views.emplace_back(phase);
  Tails tails;
  for (const PhaseView& view : views) tails.push_back(tail_view(view));
  const std::vector<ArmsView> comparisons = arms_of(run);
  const auto plots = drawn_plots(views, tails, comparisons);
  if (!plots) return plots.error();

  Html html;
  html.trusted("<!DOCTYPE html>\n");
  {
    const auto document = html.element("html", {{"lang", "en"}});
    page_head(html, fmt::format("maxlat: {} {}", core::to_string(run.verdict.kind), run.id));
    const auto body = html.element("body");
    page_header(html, run, views);
    {
      const auto main = html.element("main");
      verdict_section(html, run);
      trust_section(html, run, views);
      phases_section(html, run, views);
      findings_section(html, run, views);
      const auto phases = [&](bool behind) {
        for (const size_t i : reading_order(run))
          if (views[i].phase.comparison.empty() && is_behind_the_preflight(views[i].phase) == behind)
            phase_section(html, views[i], tails[i], phase_anchor(i), plots->of_phases[i]);
      };
      phases(false);
      preflight_section(html, run);
      tracers_section(html, run, views, comparisons, plots->of_comparisons);
      phases(true);
      reading_section(html, run);
      machine_section(html, run);
    }
    page_footer(html, run);
    page_tail(html);
  }
  return html.take();
}

core::Status write_html(const core::RunResult& run, const std::string& path) {
  const auto page = html_report(run);
  return page ? core::write_atomically(path, *page) : page.error();
}

}  // namespace maxlat::reports
