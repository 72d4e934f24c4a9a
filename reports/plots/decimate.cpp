// SPDX-License-Identifier: MIT
#include "decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxlat::reports {
namespace {

// The column of a bin: of its geometric middle, or of half its upper edge when it begins at 0.
long column_of(const core::Bin& bin, unsigned per_decade) {
  const double middle = bin.low_ns > 0 ? std::sqrt(bin.low_ns * bin.high_ns) : bin.high_ns / 2;
  if (!(middle > 0)) return std::numeric_limits<long>::min();
  return std::lround(std::floor(std::log10(middle) * per_decade));
}

}  // namespace

std::vector<core::Bin> join_bins(const std::vector<core::Bin>& bins, unsigned per_decade) {
  std::vector<core::Bin> cells;
  long column = 0;
  for (const auto& bin : bins) {
    const long at = column_of(bin, per_decade);
    if (!cells.empty() && at <= column) {
      cells.back().high_ns = std::max(cells.back().high_ns, bin.high_ns);
      cells.back().count += bin.count;
    } else {
      cells.push_back(bin);
      column = at;
    }
  }
  return cells;
}

std::vector<QuantileStep> quantile_steps(const core::CpuResult& cpu, unsigned per_decade) {
  std::vector<QuantileStep> steps;
  if (cpu.samples == 0) return steps;
  const double n = static_cast<double>(cpu.samples);
  uint64_t left = cpu.samples;
  for (const auto& cell : join_bins(cpu.bins, per_decade)) {
    left -= std::min(left, cell.count);
    steps.push_back({std::min(cell.high_ns, cpu.max_ns), static_cast<double>(left) / n});
  }
  if (steps.empty() || left > 0) steps.push_back({cpu.max_ns, 0});
  steps.back() = {cpu.max_ns, 0};
  return steps;
}

std::vector<TimelineColumn> join_steps(const core::Timeline& timeline, size_t columns) {
  std::vector<TimelineColumn> joined;
  if (timeline.max_ns.empty() || columns == 0) return joined;
  const size_t steps_each = (timeline.max_ns.size() + columns - 1) / columns;
  for (size_t first = 0; first < timeline.max_ns.size(); first += steps_each) {
    const size_t end = std::min(first + steps_each, timeline.max_ns.size());
    const auto begin = timeline.max_ns.begin();
    const double largest = *std::max_element(begin + static_cast<long>(first), begin + static_cast<long>(end));
    if (largest <= 0) continue;
    joined.push_back(
        {static_cast<double>(first) * timeline.step_s, static_cast<double>(end - first) * timeline.step_s, largest});
  }
  return joined;
}

}  // namespace maxlat::reports
