// SPDX-License-Identifier: MIT
#include "cyclic_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::scheduling {
namespace {

constexpr size_t kShownOutliers = 20, kInterferenceRows = 20;

std::string figures(const core::Phase& phase) {
  core::TextTable table({"CPU", "#wake-ups", "#min", "#median", "#p99.9", "#p99.999", "#max"});
  for (const core::CpuResult& cpu : phase.per_cpu) {
    std::vector<std::string> cells{fmt::to_string(cpu.cpu), fmt::to_string(cpu.samples),
                                   core::latency_text(cpu.min_ns)};
    for (const double level : {0.5, 0.999, 0.99999}) {
      const std::optional<double> quantile = core::measured_quantile(cpu, level);
      cells.push_back(quantile ? core::latency_text(*quantile) : "-");
    }
    cells.push_back(core::latency_text(cpu.max_ns));
    table.row(std::move(cells));
  }
  return table.text();
}

// Without `all`, the latest alone, and only where somebody knows who had its time.
std::string latest(const core::Phase& phase, bool all) {
  std::vector<core::Outlier> outliers;
  for (const core::CpuResult& cpu : phase.per_cpu)
    outliers.insert(outliers.end(), cpu.outliers.begin(), cpu.outliers.end());
  std::stable_sort(outliers.begin(), outliers.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  outliers.resize(std::min(outliers.size(), all ? kShownOutliers : 1));
  if (outliers.empty() || (!all && outliers[0].accounting.empty())) return {};
  std::string text = all ? "The latest wake-ups:\n" : "The latest wake-up:\n";
  for (const core::Outlier& outlier : outliers) {
    const auto wall = core::wall_clock(phase, outlier.t_ns);
    text += fmt::format("  {:>9} on CPU {}, {:.6f} s after the start{}\n", core::latency_text(outlier.latency_ns),
                        outlier.cpu, outlier.t_ns / 1e9, wall ? fmt::format(" ({} {})", wall->time, wall->zone) : "");
    if (!outlier.accounting.empty()) text += fmt::format("            {}\n", core::accounting_text(outlier.accounting));
  }
  return text;
}

std::string interference(const core::Phase& phase) {
  std::string text;
  for (const core::CpuInterference& of_cpu : phase.interference)
    text += core::interference_text(of_cpu, kInterferenceRows, "  ");
  return text.empty() ? text : "What the kernel ran, by its events:\n" + text;
}

}  // namespace

std::string cyclic_text(const core::Phase& phase, bool verbose) {
  std::string text = figures(phase);
  if (const auto missed = phase.facts.find("missed cycles"); missed != phase.facts.end() && missed->second != "none")
    text += fmt::format("  {}\n", missed->second);
  if (const auto events = phase.facts.find(core::fact::kKernelEvents); events != phase.facts.end())
    text += fmt::format("  kernel events {}\n", events->second);
  if (const auto mark = phase.facts.find(core::fact::kTraceMark); mark != phase.facts.end())
    text += fmt::format("  trace mark {}\n", mark->second);
  for (const std::string& warning : phase.warnings) text += fmt::format("  warning: {}\n", warning);
  if (phase.status == core::PhaseStatus::interrupted) text += fmt::format("  interrupted: {}\n", phase.reason);
  return text + latest(phase, verbose) + (verbose ? interference(phase) : "");
}

}  // namespace maxlat::scheduling
