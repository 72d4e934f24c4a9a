// SPDX-License-Identifier: MIT
#include "shapes.hpp"

#include <algorithm>
#include <cmath>

#include "decimate.hpp"

namespace maxlat::reports {
namespace {

constexpr unsigned kVisibleCellsPerDecade = 25;
constexpr unsigned kStepsPerDecade = 80;

}  // namespace

double visible_low(const core::CpuResult& cpu) {
  double lowest = cpu.bins.empty() ? cpu.max_ns / 10 : INFINITY;
  for (const auto& bin : cpu.bins) lowest = std::min(lowest, bin.low_ns > 0 ? bin.low_ns : bin.high_ns / 2);
  return lowest;
}

std::vector<Stroke> outline(const std::vector<core::Bin>& cells, double axis_low, double baseline, double bridged) {
  const double column = std::pow(10, 1.0 / kVisibleCellsPerDecade);
  std::vector<Stroke> strokes;
  double previous_high = -1;
  for (const auto& cell : cells) {
    const double low = std::max({cell.low_ns, axis_low, previous_high});
    const double high = std::max({cell.high_ns, low, cell.low_ns * column});
    const double count = static_cast<double>(cell.count);
    if (strokes.empty() || low > previous_high * bridged) {
      if (!strokes.empty()) strokes.back().push_back({previous_high, baseline});
      strokes.push_back({{low, baseline}});
    }
    strokes.back().push_back({low, count});
    strokes.back().push_back({high, count});
    previous_high = high;
  }
  if (!strokes.empty()) strokes.back().push_back({previous_high, baseline});
  return strokes;
}

Stroke nines_stroke(const core::CpuResult& cpu, double axis_low) {
  const double resolved = std::log10(static_cast<double>(cpu.samples));
  Stroke stroke;
  double x = 0;
  for (const auto& step : quantile_steps(cpu, kStepsPerDecade)) {
    const double end = step.above > 0 ? std::min(-std::log10(step.above), resolved) : std::max(resolved, x);
    const double y = std::max(step.latency_ns, axis_low);
    stroke.push_back({x, y});
    stroke.push_back({end, y});
    x = end;
  }
  return stroke;
}

}  // namespace maxlat::reports
