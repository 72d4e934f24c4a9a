// SPDX-License-Identifier: MIT
#include "series_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "page/html.hpp"
#include "page/page_head.hpp"
#include "page/sections.hpp"
#include "series_plots.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMostTrendPlots = 60;  // of a fleet's hundreds of lines: those with a change first
constexpr size_t kTrendStretches = 12;
constexpr size_t kAsideRows = 200;

std::string on_page(std::string text) {
  for (size_t at = text.find(" -> "); at != text.npos; at = text.find(" -> ", at)) text.replace(at, 4, " → ");
  return with_micro_sign(std::move(text));
}

core::Result<std::vector<DrawnPlot>> drawn_trends(const std::vector<const TrendLine*>& lines) {
  std::vector<Plot> plots;
  for (size_t i = 0; i < std::min(lines.size(), kMostTrendPlots); ++i) plots.push_back(trend_plot(*lines[i]));
  return drawn(std::move(plots));
}

void findings_part(Html& html, const SeriesSaid& said) {
  const auto section = html.element("section", {{"id", "verdict"}});
  const auto box = html.element("div", {{"class", said.bad ? "verdict fail" : "verdict neutral"}});
  html.leaf("p", said.bad ? "Worse" : "No lasting change for the worse", {{"class", "word"}});
  const auto list = html.element("ul");
  for (const auto& finding : said.findings) {
    const auto item = html.element("li");
    html.text(on_page(finding.text));
    if (finding.details.empty()) continue;
    const auto details = html.element("ul");
    for (const std::string& detail : finding.details) html.leaf("li", with_micro_sign(detail));
  }
}

void limits_part(Html& html, const SeriesSaid& said) {
  if (said.limits.empty()) return;
  const auto section = html.element("section", {{"id", "limits"}});
  html.leaf("h2", "What this series can tell");
  const auto list = html.element("ul", {{"class", "plain"}});
  for (const std::string& limit : said.limits) html.leaf("li", with_micro_sign(limit));
}

void trend_table(Html& html, const TrendLine& line) {
  std::vector<std::string> columns{"from", "#runs"};
  for (const std::string& figure : series_figures()) columns.push_back("#" + (figure == "max" ? "largest" : figure));
  const Table table(html, "Trend", columns, "dense");
  for (const Stretch& stretch : stretches_of(line, kTrendStretches)) {
    const auto row = html.element("tr");
    html.leaf("td", line.runs[stretch.first]->started, {{"class", "tight"}});
    html.leaf("td", fmt::format("{}", stretch.end - stretch.first), {{"class", "n"}});
    for (const auto& ns : stretch.medians_ns) html.leaf("td", ns ? latency_html(*ns) : "–", {{"class", "n"}});
  }
}

// Every value that changed in the machine near a change, folded away.
void machine_details(Html& html, const MachineChange& machine) {
  const auto details = html.element("details");
  html.leaf("summary", "what changed in the machine");
  const Table table(html, "Machine", {"group", "value", "before", "since"});
  for (const core::MachineDifference& difference : machine.differences)
    for (const core::ValueDifference& value : difference.values) {
      const auto row = html.element("tr");
      html.leaf("td", difference.group);
      html.leaf("td", value.name);
      html.leaf("td", value.there.empty() ? "–" : value.there);
      html.leaf("td", value.here.empty() ? "–" : value.here);
    }
}

void change_table(Html& html, const TrendLine& line) {
  if (line.changes.empty()) return;
  html.leaf("h3", "Changes");
  const Table table(html, "Changes", {"from this run on", "figure", "#before", "#since", "stays", "machine"});
  for (const TrendChange& change : line.changes) {
    const auto row = html.element("tr");
    html.leaf("td", run_text(*line.runs[change.at]));
    html.leaf("td", change.figure);
    html.leaf("td", latency_html(change.before_ns), {{"class", "n"}});
    html.leaf("td", latency_html(change.after_ns), {{"class", "n"}});
    {
      const auto cell = html.element("td");
      const bool worse = change.after_ns > change.before_ns;
      const char* word = change.lasting ? "worse" : worse ? "worse for a while" : "better";
      html.leaf("span", word, {{"class", change.lasting ? "chip fail" : worse ? "chip invalid" : "chip pass"}});
    }
    const auto cell = html.element("td");
    const bool told = &change != line.changes.data() && (&change)[-1].at == change.at;
    if (told) continue;  // in the row above
    for (const std::string& text : machine_text(line, change)) html.leaf("p", with_micro_sign(text));
    if (change.machine) machine_details(html, *change.machine);
  }
}

void line_part(Html& html, const TrendLine& line, size_t number, const DrawnPlot* plot) {
  const auto section = html.element("section", {{"class", "phase"}, {"id", fmt::format("line-{}", number)}});
  html.leaf("h2", line.phase + " on " + line.box);
  html.leaf("p", fmt::format("{}; {}", core::counted(line.runs.size(), "run"), line.how), {{"class", "soft"}});
  if (plot != nullptr) figure(html, *plot);
  change_table(html, line);
  html.leaf("h3", "Trend");
  trend_table(html, line);
}

void aside_part(Html& html, std::string_view id, std::string_view title, const std::vector<SetAside>& aside) {
  if (aside.empty()) return;
  const auto section = html.element("section", {{"id", id}});
  html.leaf("h2", title);
  {
    const auto list = html.element("ul", {{"class", "plain"}});
    for (const std::string& reason : reasons_of(aside)) html.leaf("li", reason);
  }
  const auto details = html.element("details");
  html.leaf("summary", core::counted(aside.size(), "phase"));
  const Table table(html, title, {"run", "phase", "why", "#largest"});
  for (size_t i = 0; i < std::min(aside.size(), kAsideRows); ++i) {
    const auto row = html.element("tr");
    html.leaf("td", run_text(*aside[i].run));
    html.leaf("td", shown_name(*aside[i].phase));
    html.leaf("td", aside[i].phase->why);
    const auto largest = aside[i].phase->figures_ns.empty() ? std::nullopt : aside[i].phase->figures_ns.back();
    html.leaf("td", largest ? latency_html(*largest) : "–", {{"class", "n"}});
  }
  if (aside.size() <= kAsideRows) return;
  const auto row = html.element("tr");
  html.leaf("td", fmt::format("and {} more", aside.size() - kAsideRows));
}

void unread_part(Html& html, const SeriesRuns& runs) {
  if (runs.unread.empty()) return;
  const auto section = html.element("section", {{"id", "unread"}});
  html.leaf("h2", "Not read");
  const auto list = html.element("ul", {{"class", "plain"}});
  for (const std::string& text : runs.unread) html.leaf("li", text);
}

}  // namespace

core::Result<std::string> series_page(const Trends& trends, const SeriesRuns& runs) {
  const std::vector<const TrendLine*> lines = lines_by_urgency(trends);
  const auto plots = drawn_trends(lines);
  if (!plots) return plots.error();
  const SeriesSaid said = said_of(trends, runs);
  Html html;
  html.trusted("<!DOCTYPE html>\n");
  {
    const auto document = html.element("html", {{"lang", "en"}});
    page_head(html, fmt::format("maxlat: a series of {}", core::counted(runs.runs.size(), "run")));
    const auto body = html.element("body");
    {
      const auto header = html.element("header");
      html.leaf("h1", "Series of runs");
      html.leaf("p",
                fmt::format("{} from {} to {}", core::counted(runs.runs.size(), "run"), runs.runs.front().started,
                            runs.runs.back().started),
                {{"class", "label"}});
      no_plots_note(html);
    }
    const auto main = html.element("main");
    findings_part(html, said);
    limits_part(html, said);
    for (size_t i = 0; i < lines.size(); ++i)
      line_part(html, *lines[i], i + 1, i < plots->size() ? &(*plots)[i] : nullptr);
    aside_part(html, "investigations", "Investigations, in no trend", trends.investigations);
    aside_part(html, "not-valid", "Not valid, in no trend", trends.not_valid);
    unread_part(html, runs);
    page_tail(html);
  }
  return html.take();
}

}  // namespace maxlat::reports
