// SPDX-License-Identifier: MIT
#include "series_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "text/markdown.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kLinesTold = 24;  // of a fleet's hundreds: those with a change first
constexpr size_t kStretchesTold = 8;
constexpr size_t kReasonsTold = 8;

const std::vector<std::string> kTrendColumns = {"from", "#runs", "#p50", "#p99", "#p99.9", "#p99.99", "#largest"};

std::vector<const TrendLine*> told_lines(const Trends& trends) {
  std::vector<const TrendLine*> lines = lines_by_urgency(trends);
  lines.resize(std::min(lines.size(), kLinesTold));
  return lines;
}

std::vector<std::vector<std::string>> trend_rows(const TrendLine& line) {
  std::vector<std::vector<std::string>> rows;
  for (const Stretch& stretch : stretches_of(line, kStretchesTold)) {
    auto& row = rows.emplace_back(
        std::vector<std::string>{line.runs[stretch.first]->started, fmt::format("{}", stretch.end - stretch.first)});
    for (size_t figure = 0; figure < series_figures().size(); ++figure) {
      const std::string& name = series_figures()[figure];
      if (std::find(kTrendColumns.begin(), kTrendColumns.end(), "#" + name) == kTrendColumns.end() && name != "max")
        continue;
      row.push_back(stretch.medians_ns[figure] ? core::latency_text(*stretch.medians_ns[figure]) : "-");
    }
  }
  return rows;
}

// A line for each run at which something changed.
std::vector<std::string> changes_told(const TrendLine& line) {
  std::vector<std::string> told;
  for (size_t i = 0; i < line.changes.size(); ++i) {
    const TrendChange& change = line.changes[i];
    const std::string end = !change.lasting && change.after_ns > change.before_ns ? ", and back later" : "";
    if (i > 0 && line.changes[i - 1].at == change.at)
      told.back() += "; " + change_text(change) + end;
    else
      told.push_back(fmt::format("from {} on: {}{}", line.runs[change.at]->started, change_text(change), end));
  }
  return told;
}

// What is set aside: a title and lines.
std::vector<std::pair<std::string, std::vector<std::string>>> asides(const Trends& trends, const SeriesRuns& runs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> parts;
  const auto add = [&](std::string title, std::vector<std::string> texts) {
    if (texts.empty()) return;
    if (texts.size() > kReasonsTold) {
      const size_t further = texts.size() - kReasonsTold;
      texts.resize(kReasonsTold);
      texts.push_back(fmt::format("and {} more", further));
    }
    parts.emplace_back(std::move(title), std::move(texts));
  };
  add("Investigations, in no trend", reasons_of(trends.investigations));
  add("Not valid, in no trend", reasons_of(trends.not_valid));
  add("Not read", runs.unread);
  return parts;
}

std::string title_of(const SeriesRuns& runs) {
  return fmt::format("{} from {} to {}", core::counted(runs.runs.size(), "run"), runs.runs.front().started,
                     runs.runs.back().started);
}

}  // namespace

std::string series_text(const Trends& trends, const SeriesRuns& runs, unsigned width) {
  const SeriesSaid said = said_of(trends, runs);
  std::string text = core::wrapped(title_of(runs), width, "Series: ");
  for (const auto& finding : said.findings) {
    text += core::wrapped(core::printable(finding.text), width, "  - ");
    for (const std::string& detail : finding.details) text += core::wrapped(core::printable(detail), width, "      ");
  }
  for (const std::string& limit : said.limits) text += core::wrapped(core::printable(limit), width, "  * ");
  for (const TrendLine* line : told_lines(trends)) {
    text += "\n" + core::wrapped(core::printable(line_name(*line)), width, "");
    core::TextTable table(kTrendColumns);
    for (auto& row : trend_rows(*line)) table.row(std::move(row));
    text += table.text(width);
    for (const std::string& one : changes_told(*line)) text += core::wrapped(one, width, "  ~ ");
  }
  if (trends.lines.size() > kLinesTold)
    text += fmt::format("\n{} more: the page has them\n", core::counted(trends.lines.size() - kLinesTold, "line"));
  for (const auto& [title, texts] : asides(trends, runs)) {
    text += "\n" + title + "\n";
    for (const std::string& one : texts) text += core::wrapped(core::printable(one), width, "  - ");
  }
  return text;
}

std::string series_markdown(const Trends& trends, const SeriesRuns& runs) {
  const SeriesSaid said = said_of(trends, runs);
  std::string text = "## " + markdown_text(title_of(runs)) + "\n\n";
  for (const auto& finding : said.findings) {
    text += "- " + markdown_text(finding.text) + "\n";
    for (const std::string& detail : finding.details) text += "  - " + markdown_text(detail) + "\n";
  }
  text += "\n";
  for (const std::string& limit : said.limits) text += "- " + markdown_text(limit) + "\n";
  for (const TrendLine* line : told_lines(trends)) {
    text += "\n### " + markdown_text(line_name(*line)) + "\n\n" + markdown_table(kTrendColumns, trend_rows(*line));
    if (!line->changes.empty()) text += "\n";
    for (const std::string& one : changes_told(*line)) text += "- " + markdown_text(one) + "\n";
  }
  for (const auto& [title, texts] : asides(trends, runs)) {
    text += "\n### " + title + "\n\n";
    for (const std::string& one : texts) text += "- " + markdown_text(one) + "\n";
  }
  return text;
}

}  // namespace maxlat::reports
