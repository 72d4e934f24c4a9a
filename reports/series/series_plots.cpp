// SPDX-License-Identifier: MIT
#include "series_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <maxlat/core/sys/counted.hpp>

#include "plots/axes.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMostPoints = 400;  // a figure; of more the largest of each stretch is drawn
constexpr size_t kMostMarks = 3;

struct DrawnFigure {
  const char* figure;
  unsigned colour;
};
constexpr DrawnFigure kDrawn[] = {{"max", kFirstCpu + 1}, {"p99.99", kFirstCpu + 2}, {"p99.9", kFirstCpu}, {"p50", kAllCpus}};

double seconds_since_1970(const std::string& utc) {
  std::tm time{};
  const char* end = ::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  return end == nullptr ? 0 : static_cast<double>(::timegm(&time));
}

// The largest of each stretch of runs, at its place: a trend of maxima must not lose one.
Stroke points_of(const TrendLine& line, size_t figure, double begin_s) {
  Stroke points;
  const size_t each = (line.runs.size() + kMostPoints - 1) / kMostPoints;
  for (size_t first = 0; first < line.runs.size(); first += each) {
    std::optional<Point> largest;
    for (size_t i = first; i < std::min(first + each, line.runs.size()); ++i) {
      const auto& figures = line.phases[i]->figures_ns;
      if (figure >= figures.size() || !figures[figure] || !(*figures[figure] > 0)) continue;
      if (!largest || *figures[figure] > largest->y)
        largest = Point{seconds_since_1970(line.runs[i]->started) - begin_s, *figures[figure]};
    }
    if (largest) points.push_back(*largest);
  }
  return points;
}

void mark_changes(Plot& plot, const TrendLine& line, double begin_s) {
  std::vector<size_t> marked;
  const auto mark = [&](const TrendChange& change, const std::string& label) {
    if (marked.size() >= kMostMarks || std::find(marked.begin(), marked.end(), change.at) != marked.end()) return;
    marked.push_back(change.at);
    plot.marks.push_back({seconds_since_1970(line.runs[change.at]->started) - begin_s, label});
  };
  if (line.first_bad) mark(line.changes[*line.first_bad], "first bad run");
  for (const TrendChange& change : line.changes) mark(change, change.figure);
}

}  // namespace

Plot trend_plot(const TrendLine& line) {
  Plot plot;
  plot.kind = "trend";
  plot.title = line.phase + ": Trend";
  plot.description = fmt::format("Median, tail and maximum of {} over time.", core::counted(line.runs.size(), "run"));
  const double begin_s = seconds_since_1970(line.runs.front()->started),
               end_s = seconds_since_1970(line.runs.back()->started);
  double low = INFINITY, high = 0;
  for (const DrawnFigure& drawn : kDrawn) {
    const auto figure = std::find(series_figures().begin(), series_figures().end(), drawn.figure);
    Stroke points = points_of(line, static_cast<size_t>(figure - series_figures().begin()), begin_s);
    if (points.empty()) continue;
    for (const Point& point : points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
    plot.series.push_back({drawn.figure, drawn.colour, Series::Shape::dots, {std::move(points)}});
  }
  if (line.runs.size() > kMostPoints) plot.note = "Each point is the largest of several runs. ";
  plot.x = date_axis(begin_s, end_s);
  plot.y = latency_axis("latency", high > 0 ? low : 1, std::max(high, 1.0));
  mark_changes(plot, line, begin_s);
  if (!plot.marks.empty()) plot.note += "Marked: where a figure changed.";
  return plot;
}

}  // namespace maxlat::reports
