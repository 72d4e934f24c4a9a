// SPDX-License-Identifier: MIT
#include "cyclic_text.hpp"

#include <fmt/format.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "record/outlier_text.hpp"

namespace maxlat::scheduling {
namespace {

constexpr size_t kInterferenceRows = 20;

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
  return text + outlier_text(phase, "The latest wake-up", verbose) + (verbose ? interference(phase) : "");
}

}  // namespace maxlat::scheduling
