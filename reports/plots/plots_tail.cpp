// SPDX-License-Identifier: MIT
#include "plots_tail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "axes.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kCurvePoints = 12;  // each is a search of a likelihood, and the curve is smooth

struct Curve95 {
  Stroke levels, lower, upper;
};

// From where a level begins to be one (return_level() refuses shorter periods) to the longest of the table.
Curve95 curve_of(const PhaseView& view, const TailView& tail) {
  const double steps =
      2.01 * static_cast<double>(tail.fit.maxima_ns.size()) / static_cast<double>(tail.fit.excesses_ns.size());
  const double first_s = cpu_time_of_steps(view, tail.fit, steps), last_s = tail.levels.back().period_s;
  Curve95 curve;
  for (size_t i = 0; i < kCurvePoints; ++i) {
    const double period_s = first_s * std::pow(last_s / first_s, static_cast<double>(i) / (kCurvePoints - 1));
    const auto level = level_in(view, tail.fit, period_s);
    if (!level) continue;
    curve.levels.push_back({period_s, level->level_ns});
    curve.lower.push_back({period_s, level->interval_ns.low});
    curve.upper.push_back({period_s, level->interval_ns.high});
  }
  return curve;
}

// The k-th largest step was reached k times in the run.
Stroke seen_of(const PhaseView& view, const TailView& tail) {
  const auto& ascending = tail.fit.excesses_ns;
  const auto steps = static_cast<double>(tail.fit.maxima_ns.size());
  Stroke seen;
  for (size_t i = 0; i < ascending.size(); ++i)
    seen.push_back({cpu_time_of_steps(view, tail.fit, steps / static_cast<double>(ascending.size() - i)),
                    tail.fit.threshold_ns + ascending[i]});
  return seen;
}

}  // namespace

std::optional<Plot> plot_of(const PhaseView& view, const TailView& tail) {
  if (tail.levels.empty()) return std::nullopt;
  const Curve95 curve = curve_of(view, tail);
  if (curve.levels.size() < 2) return std::nullopt;
  Stroke seen = seen_of(view, tail), band = curve.lower;
  band.insert(band.end(), curve.upper.rbegin(), curve.upper.rend());
  double high_ns = seen.back().y;
  for (const Point& point : curve.upper) high_ns = std::max(high_ns, point.y);

  Plot plot;
  plot.kind = "tail";
  plot.title = core::shown_name(view.phase) + ": Tail, extrapolated";
  plot.description = "Latency that is exceeded once in the given CPU time: seen, fitted, and the 95 % interval.";
  plot.note = "Dots: the largest of each step, by how often so much was reached. Beyond them it is an extrapolation.";
  plot.x =
      period_axis("exceeded once in so much CPU time", seen.front().x, std::max(seen.back().x, curve.levels.back().x));
  plot.y = latency_axis("latency", tail.fit.threshold_ns, high_ns);
  plot.series = {{"95 % interval", kFirstCpu, Series::Shape::band, {std::move(band)}},
                 {"fitted tail", kFirstCpu, Series::Shape::line, {curve.levels}},
                 {"seen", kAllCpus, Series::Shape::dots, {std::move(seen)}}};
  return plot;
}

}  // namespace maxlat::reports
