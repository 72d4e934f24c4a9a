// SPDX-License-Identifier: MIT
#include "overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "axes.hpp"
#include "decimate.hpp"
#include "shapes.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

unsigned colour_of(size_t curve) {
  return static_cast<unsigned>(curve % std::size(kPalette));
}

std::string named(const std::vector<Curve>& curves) {
  std::string text;
  for (const Curve& curve : curves)
    text += fmt::format("{}{} (largest {})", text.empty() ? "" : ", ", curve.name, latency_html(curve.all->max_ns));
  return text;
}

double lowest(const std::vector<Curve>& curves) {
  double low = INFINITY;
  for (const Curve& curve : curves) low = std::min(low, visible_low(*curve.all));
  return low;
}

}  // namespace

// The first is filled, so that the others are seen against it.
Plot overlaid_histograms(std::string kind, std::string title, const std::vector<Curve>& curves) {
  std::vector<std::vector<core::Bin>> cells;
  uint64_t highest = 1;
  double widest = 0;
  for (const Curve& curve : curves) {
    cells.push_back(join_bins(curve.all->bins, kCellsPerDecade));
    widest = std::max(widest, curve.all->max_ns);
    for (const core::Bin& cell : cells.back()) {
      highest = std::max(highest, cell.count);
      widest = std::max(widest, cell.high_ns);
    }
  }
  Plot plot;
  plot.kind = std::move(kind);
  plot.title = std::move(title);
  plot.description = fmt::format("Number of samples by latency, both logarithmic: {}.", named(curves));
  plot.x = latency_axis("latency", lowest(curves), widest);
  plot.y = count_axis("samples", static_cast<double>(highest));
  for (size_t i = 0; i < curves.size(); ++i)
    plot.series.push_back({curves[i].name, colour_of(i), i == 0 ? Series::Shape::area : Series::Shape::line,
                           outline(cells[i], plot.x.low, plot.y.low, i == 0 ? 1 : kBridgedGap)});
  return plot;
}

Plot overlaid_nines(std::string kind, std::string title, const std::vector<Curve>& curves) {
  Plot plot;
  plot.kind = std::move(kind);
  plot.title = std::move(title);
  plot.description = fmt::format("Latency that the given share of samples does not exceed: {}.", named(curves));
  plot.note = "Each step to the right is ten times rarer; a curve ends where the number of its samples ends.";
  double samples = 1, high = 0;
  for (const Curve& curve : curves) {
    samples = std::max(samples, static_cast<double>(curve.all->samples));
    high = std::max(high, curve.all->max_ns);
  }
  plot.x = nines_axis("share of samples at or below", samples);
  plot.y = latency_axis("latency", lowest(curves), high);
  for (size_t i = 0; i < curves.size(); ++i)
    plot.series.push_back(
        {curves[i].name, colour_of(i), Series::Shape::line, {nines_stroke(*curves[i].all, plot.y.low)}});
  return plot;
}

}  // namespace maxlat::reports
