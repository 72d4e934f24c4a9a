// SPDX-License-Identifier: MIT
#include "outlier_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <vector>

namespace maxlat::scheduling {
namespace {

constexpr size_t kShown = 20;

std::string line_of(const core::Phase& phase, const core::Outlier& outlier) {
  const auto wall = core::wall_clock(phase, outlier.t_ns);
  std::string text = fmt::format("  {:>9} on CPU {}, {:.6f} s after the start{}{}{}\n",
                                 core::latency_text(outlier.latency_ns), outlier.cpu, outlier.t_ns / 1e9,
                                 wall ? fmt::format(" ({} {})", wall->time, wall->zone) : "",
                                 outlier.cause.empty() ? "" : ", ", outlier.cause);
  if (!outlier.accounting.empty()) text += fmt::format("            {}\n", core::accounting_text(outlier.accounting));
  return text;
}

}  // namespace

std::string outlier_text(const core::Phase& phase, std::string_view name, bool all) {
  std::vector<core::Outlier> outliers;
  for (const core::CpuResult& cpu : phase.per_cpu)
    outliers.insert(outliers.end(), cpu.outliers.begin(), cpu.outliers.end());
  std::stable_sort(outliers.begin(), outliers.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  outliers.resize(std::min(outliers.size(), all ? kShown : 1));
  if (outliers.empty() || (!all && outliers[0].accounting.empty())) return {};
  std::string text = fmt::format("{}{}:\n", name, all ? "s" : "");
  for (const core::Outlier& outlier : outliers) text += line_of(phase, outlier);
  return text;
}

}  // namespace maxlat::scheduling
