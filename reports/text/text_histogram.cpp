// SPDX-License-Identifier: MIT
#include "text_histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::reports {
namespace {

// Class k of the 1-2-5 scale begins at {1, 2, 5}[k mod 3] * 10^(k div 3) ns; class kZero holds what is below 1 ns.
constexpr int kZero = -1;
constexpr unsigned kNarrowestBar = 6;
constexpr double kRowSteps[] = {1, 2, 5};

double begin_of(int index) {
  return index < 0 ? 0 : kRowSteps[index % 3] * std::pow(10, index / 3);
}

int class_of(double ns) {
  if (ns < 1) return kZero;
  int index = 3 * static_cast<int>(std::floor(std::log10(ns)));
  while (begin_of(index + 1) <= ns) ++index;
  return index;
}

}  // namespace

std::string text_histogram(const std::string& name, const core::CpuResult& cpu, unsigned width) {
  if (cpu.samples == 0) return {};
  std::map<int, uint64_t> classes;
  for (const auto& bin : cpu.bins)
    classes[class_of(std::max(bin.low_ns, std::min(bin.high_ns, cpu.max_ns) / 2 + bin.low_ns / 2))] += bin.count;
  if (cpu.overflow_count > 0) classes[class_of(cpu.max_ns)] += cpu.overflow_count;

  uint64_t largest = 1;
  for (const auto& [index, count] : classes) largest = std::max(largest, count);
  // Columns as wide as their largest number, the bar a few characters at least, the name what is left: on 80 columns
  // "hardware latency (upper bound)" stands whole.
  const size_t edge_width = std::max<size_t>(8, fmt::formatted_size("{:.0f}", begin_of(classes.rbegin()->first + 1)));
  const size_t count_width = std::max<size_t>(9, fmt::formatted_size("{}", largest));
  const size_t fixed = std::string_view("hist  \"\"").size() + 2 * (2 + edge_width) + 2 + count_width + 2;
  const std::string label = fmt::format(
      "hist  \"{}\"",
      core::cut_to(core::printable(name), width > fixed + kNarrowestBar + 10 ? width - fixed - kNarrowestBar : 10));
  const size_t used = core::shown_width(label) + fixed - std::string_view("hist  \"\"").size();
  const double room = static_cast<double>(width > used + kNarrowestBar ? width - used : kNarrowestBar);
  std::string out;
  for (int index = classes.begin()->first; index <= classes.rbegin()->first; ++index) {
    const auto found = classes.find(index);
    const uint64_t count = found == classes.end() ? 0 : found->second;
    const double share =
        count == 0 ? 0 : std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(largest));
    const auto length = count == 0 ? size_t{0} : std::max<size_t>(1, static_cast<size_t>(std::lround(room * share)));
    out +=
        fmt::format("{}  {:>{}.0f}  {:>{}.0f}  {:>{}}{}{}\n", label, begin_of(index), edge_width, begin_of(index + 1),
                    edge_width, count, count_width, length > 0 ? "  " : "", std::string(length, '#'));
  }
  return out;
}

}  // namespace maxlat::reports
