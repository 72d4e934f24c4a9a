// SPDX-License-Identifier: MIT
#include "plots_arms.hpp"

#include <fmt/format.h>

#include "overlay.hpp"
#include "view/numbers.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

Plot pair_of(const ArmsView& view, const core::Phase& before, const core::Phase& after) {
  const core::CpuResult one = merge_cpus(before), other = merge_cpus(after);
  Plot plot = overlaid_histograms("arms", fmt::format("{}: {} and {}", view.title(), before.arm, after.arm),
                                  {{before.arm, &one}, {after.arm, &other}});
  plot.marks.push_back({other.max_ns, "max " + latency_html(other.max_ns)});
  return plot;
}

Plot all_nines(const ArmsView& view, const std::vector<const core::Phase*>& arms) {
  std::vector<core::CpuResult> all;
  for (const core::Phase* arm : arms) all.push_back(merge_cpus(*arm));
  std::vector<Curve> curves;
  for (size_t i = 0; i < arms.size(); ++i) curves.push_back({arms[i]->arm, &all[i]});
  Plot plot = overlaid_nines("arms-nines", view.title() + ": Nines of all arms", curves);
  plot.note = "Each step to the right is ten times rarer. Where a curve leaves the base's is where the tracer costs.";
  return plot;
}

}  // namespace

std::vector<Plot> plots_of(const ArmsView& view) {
  std::vector<Plot> plots;
  for (const auto& [before, after] : view.pairs()) plots.push_back(pair_of(view, *before, *after));
  if (const auto arms = view.measured(); arms.size() > 1) plots.push_back(all_nines(view, arms));
  return plots;
}

}  // namespace maxlat::reports
