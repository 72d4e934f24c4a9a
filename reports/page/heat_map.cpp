// SPDX-License-Identifier: MIT
//
// Which CPU was late when: a row for each CPU, a column for each stretch of time, the colour by the largest latency in
// it. Made from the time lines, so what a meter does not tell by time is not in it; of a running maximum the moments at
// which it rose are.
//
// Cells of one colour are one path, and neighbours in a row one stroke of it: 64 CPUs take some 50 kB.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <maxlat/core/sys/duration.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMostColumns = 96;
constexpr size_t kColours = 6;  // style.cpp has them
constexpr double kRowPixels = 14, kLeastPixels = 56, kMostPixels = 448;

using HeatRow = std::vector<double>;  // 0: no sample, or a running maximum that did not rise

HeatRow heat_row(const core::Timeline& timeline, size_t steps_each, size_t columns) {
  HeatRow row(columns, 0);
  double so_far = 0;
  for (size_t i = 0; i < timeline.max_ns.size(); ++i) {
    const double ns = timeline.max_ns[i];
    if (timeline.kind == core::Timeline::Kind::running_max && ns <= so_far) continue;
    so_far = std::max(so_far, ns);
    double& cell = row[i / steps_each];
    cell = std::max(cell, ns);
  }
  return row;
}

struct HeatScale {
  double low = INFINITY, high = 0;
  size_t colour_of(double ns) const {
    const double share = std::log(ns / low) / std::log(high / low);
    return std::min(kColours - 1, static_cast<size_t>(share * kColours));
  }
  double edge(size_t colour) const { return low * std::pow(high / low, static_cast<double>(colour) / kColours); }
};

HeatScale scale_of(const std::vector<HeatRow>& rows) {
  HeatScale scale;
  for (const HeatRow& row : rows)
    for (const double ns : row) {
      if (ns <= 0) continue;
      scale.low = std::min(scale.low, ns);
      scale.high = std::max(scale.high, ns);
    }
  if (scale.high <= scale.low) scale.high = scale.low * 2;  // all alike
  return scale;
}

std::array<std::string, kColours> paths_of(const std::vector<HeatRow>& rows, const HeatScale& scale) {
  std::array<std::string, kColours> paths;
  for (size_t y = 0; y < rows.size(); ++y)
    for (size_t x = 0; x < rows[y].size();) {
      if (rows[y][x] <= 0) {
        ++x;
        continue;
      }
      const size_t colour = scale.colour_of(rows[y][x]), first = x;
      while (x < rows[y].size() && rows[y][x] > 0 && scale.colour_of(rows[y][x]) == colour) ++x;
      paths[colour] += fmt::format("M{},{}h{}v1h-{}z", first, y, x - first, x - first);
    }
  return paths;
}

// Three figures are what the script shows.
std::string values_text(const std::vector<HeatRow>& rows) {
  std::string text;
  for (const HeatRow& row : rows) {
    if (!text.empty()) text += ';';
    const char* comma = "";
    for (const double ns : row) {
      text += comma;
      if (ns > 0)
        text += fmt::format("{:.0f}", ns < 1000 ? ns : std::strtod(fmt::format("{:.3g}", ns).c_str(), nullptr));
      comma = ",";
    }
  }
  return text;
}

void heat_legend(Html& html, const HeatScale& scale) {
  const auto list = html.element("ul", {{"class", "legend"}});
  for (size_t colour = 0; colour < kColours; ++colour)
    html.leaf("li", "from " + latency_html(scale.edge(colour)), {{"style", fmt::format("--c:var(--h{})", colour)}});
}

}  // namespace

void heat_map(Html& html, const core::Phase& phase) {
  size_t steps = 0;
  for (const core::CpuResult& cpu : phase.per_cpu) steps = std::max(steps, cpu.timeline.max_ns.size());
  if (phase.per_cpu.size() < 2 || steps < 2) return;
  const size_t each = (steps + kMostColumns - 1) / kMostColumns, columns = (steps + each - 1) / each;
  std::vector<HeatRow> rows;
  std::string cpus;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    rows.push_back(heat_row(cpu.timeline, each, columns));
    cpus += fmt::format("{}{}", cpus.empty() ? "" : ",", cpu.cpu);
  }
  const HeatScale scale = scale_of(rows);
  if (!(scale.high > 0)) return;
  const core::Timeline& first = phase.per_cpu.front().timeline;
  const double column_s = first.step_s * static_cast<double>(each),
               pixels = kRowPixels * static_cast<double>(rows.size());
  const auto figure = html.element("figure", {{"class", "heatmap"}, {"data-kind", "heat"}});
  html.leaf("figcaption", fmt::format("Heat map: largest latency by CPU, in stretches of {}", seconds_html(column_s)));
  html.trusted(fmt::format(
      "<svg class=\"heat\" viewBox=\"0 0 {0} {1}\" height=\"{2:.0f}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"Largest latency by CPU and time\" shape-rendering=\"crispEdges\" data-step=\"{3}\" "
      "data-cpus=\"{4}\" "
      "data-values=\"{5}\">",
      columns, rows.size(), std::clamp(pixels, kLeastPixels, kMostPixels), column_s, cpus, values_text(rows)));
  const auto paths = paths_of(rows, scale);
  for (size_t colour = 0; colour < kColours; ++colour)
    if (!paths[colour].empty())
      html.trusted(fmt::format("<path class=\"h{}\" d=\"{}\"></path>", colour, paths[colour]));
  html.trusted("</svg>\n");
  {
    const auto ends = html.element("p", {{"class", "ends"}});
    html.leaf("span", "0");
    html.leaf("span", seconds_html(first.step_s * static_cast<double>(steps)));
  }
  heat_legend(html, scale);
  std::string note = fmt::format("Rows: CPU {} (top) to {}.", phase.per_cpu.front().cpu, phase.per_cpu.back().cpu);
  if (first.kind == core::Timeline::Kind::running_max)
    note += " This meter tells only its largest sample so far: a cell is coloured where that rose.";
  html.leaf("p", note);
}

}  // namespace maxlat::reports
