// SPDX-License-Identifier: MIT
#include "plots_arms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "axes.hpp"
#include "decimate.hpp"
#include "shapes.hpp"
#include "view/numbers.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

Plot overlay(const ArmsView& view, const core::Phase& before, const core::Phase& after) {
  const core::CpuResult one = merge_cpus(before), other = merge_cpus(after);
  const auto cells = join_bins(one.bins, kCellsPerDecade), other_cells = join_bins(other.bins, kCellsPerDecade);
  uint64_t highest = 1;
  double widest = std::max(one.max_ns, other.max_ns);
  for (const auto* list : {&cells, &other_cells})
    for (const core::Bin& cell : *list) {
      highest = std::max(highest, cell.count);
      widest = std::max(widest, cell.high_ns);
    }
  Plot plot;
  plot.kind = "arms";
  plot.title = fmt::format("{}: {} and {}", view.title(), before.arm, after.arm);
  plot.description = fmt::format("Number of samples by latency, both logarithmic: {} (largest {}) and {} (largest {}).",
                                 before.arm, latency_html(one.max_ns), after.arm, latency_html(other.max_ns));
  plot.x = latency_axis("latency", std::min(visible_low(one), visible_low(other)), widest);
  plot.y = count_axis("samples", static_cast<double>(highest));
  plot.series.push_back({before.arm, kAllCpus, Series::Shape::area, outline(cells, plot.x.low, plot.y.low, 1)});
  plot.series.push_back(
      {after.arm, kFirstCpu + 1, Series::Shape::line, outline(other_cells, plot.x.low, plot.y.low, kBridgedGap)});
  plot.marks.push_back({other.max_ns, "max " + latency_html(other.max_ns)});
  return plot;
}

Plot all_nines(const ArmsView& view, const std::vector<const core::Phase*>& arms) {
  Plot plot;
  plot.kind = "arms-nines";
  plot.title = view.title() + ": Nines of all arms";
  plot.description = "Latency that the given share of samples does not exceed, arm by arm.";
  plot.note = "Each step to the right is ten times rarer. Where a curve leaves the base's is where the tracer costs.";
  double samples = 1, low = INFINITY, high = 0;
  std::vector<core::CpuResult> all;
  for (const core::Phase* arm : arms) {
    all.push_back(merge_cpus(*arm));
    samples = std::max(samples, static_cast<double>(all.back().samples));
    low = std::min(low, visible_low(all.back()));
    high = std::max(high, all.back().max_ns);
  }
  plot.x = nines_axis("share of samples at or below", samples);
  plot.y = latency_axis("latency", low, high);
  for (size_t i = 0; i < all.size(); ++i)
    plot.series.push_back({arms[i]->arm,
                           static_cast<unsigned>(i % std::size(kPalette)),
                           Series::Shape::line,
                           {nines_stroke(all[i], plot.y.low)}});
  return plot;
}

}  // namespace

std::vector<Plot> plots_of(const ArmsView& view) {
  std::vector<Plot> plots;
  for (const auto& [before, after] : view.pairs()) plots.push_back(overlay(view, *before, *after));
  if (const auto arms = view.measured(); arms.size() > 1) plots.push_back(all_nines(view, arms));
  return plots;
}

}  // namespace maxlat::reports
