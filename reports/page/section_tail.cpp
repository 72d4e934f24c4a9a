// SPDX-License-Identifier: MIT
//
// What the phase lets expect of a longer time than its own: a table of levels, and whether the fit behind them is in
// good health; or the one sentence that says why there are none.
#include <fmt/format.h>

#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

std::string interval_html(const core::Interval& interval) {
  return fmt::format("{} to {}", latency_html(interval.low), latency_html(interval.high));
}

void level_table(Html& html, const TailView& tail) {
  const Table table(html, "Latency exceeded once in a time",
                    {"once in, of CPU time", "#latency", "#95 % interval", "#by block maxima", "#95 % interval"});
  for (const TailLevel& row : tail.levels) {
    const auto line = html.element("tr");
    const auto number = [&](const std::string& text) { html.leaf("td", text, {{"class", "n"}}); };
    html.leaf("th", row.period, {{"scope", "row"}});
    number(latency_html(row.level.level_ns));
    number(interval_html(row.level.interval_ns));
    const auto& blocks = row.level.blocks;
    number(blocks ? latency_html(blocks->level) : "–");
    number(blocks ? interval_html(blocks->interval) : "–");
  }
}

// Which data, which thresholds, which parameters: enough to make the fit again.
void how_fitted(Html& html, const TailView& tail) {
  const core::TailFit& fit = tail.fit;
  std::string text = fmt::format(
      "Peaks over a threshold: of the largest latencies of {} of {} those {} above {} (generalised Pareto, shape "
      "{:.2f}, scale {}).",
      core::counted(fit.maxima_ns.size(), "step"), core::duration_text(fit.step_s), fit.excesses_ns.size(),
      latency_html(fit.threshold_ns), fit.tail.shape, latency_html(fit.tail.scale));
  if (const auto& blocks = tail.levels.front().level.blocks)
    text += fmt::format(
        " Block maxima: the largest of {} of {} steps each (generalised extreme values, shape {:.2f}); levels of the "
        "two that contradict each other are refused.",
        core::counted(blocks->blocks, "block"), blocks->steps_each, blocks->fit.shape);
  html.leaf("p", text + " A disturbance that did not happen in this run is in no extrapolation.", {{"class", "soft"}});
}

void health_table(Html& html, const core::TailFit& fit) {
  if (fit.checks.empty()) return;
  const Table table(html, "Health of the tail's fit", {"check", "", "#p", "what is checked"}, "cards");
  for (const core::TailCheck& check : fit.checks) {
    const auto row = html.element("tr");
    html.leaf("td", check.name, {{"class", "tight"}});
    {
      const auto cell = html.element("td");
      html.leaf("span", check.holds() ? "holds" : "fails", {{"class", check.holds() ? "chip pass" : "chip invalid"}});
    }
    html.leaf("td", fmt::format("{:.2g}", check.p), {{"class", "n"}, {"data-name", "p"}});
    html.leaf("td", check.claim);
  }
}

}  // namespace

void tail_part(Html& html, const TailView& tail) {
  html.leaf("h3", "Tail, extrapolated");
  if (tail.levels.empty()) {
    html.leaf("p", "No extrapolation: " + with_micro_sign(tail.refusal));
  } else {
    level_table(html, tail);
    if (!tail.refusal.empty()) html.leaf("p", "No further: " + with_micro_sign(tail.refusal));
    how_fitted(html, tail);
  }
  health_table(html, tail.fit);
}

}  // namespace maxlat::reports
