// SPDX-License-Identifier: MIT
#include "text_arms.hpp"

#include <fmt/format.h>

#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "view/arms_view.hpp"

namespace maxlat::reports {
namespace {

std::string arms_table(const ArmsView& view, unsigned width) {
  core::TextTable table(
      {"arm", "#mean", "#std dev", "#p50", "#p99.9", "#p99.99", "#p99.9999", "#max", "#events", "#lost"});
  for (const core::Phase* arm : view.arms) {
    std::vector<std::string> row{arm->arm};
    if (arm->per_cpu.empty() || arm->per_cpu.front().samples == 0) {
      row.push_back(core::to_string(arm->status));
    } else {
      const core::CpuResult& cpu = arm->per_cpu.front();
      row.push_back(core::latency_text(cpu.mean_ns));
      row.push_back(core::latency_text(cpu.stddev_ns));
      for (const double level : {0.5, 0.999, 0.9999, 0.999999}) {
        const auto ns = core::measured_quantile(cpu, level);
        row.push_back(ns ? core::latency_text(*ns) : "-");
      }
      row.push_back(core::latency_text(cpu.max_ns));
      if (arm->events) {
        row.push_back(fmt::format("{}", arm->events->produced));
        row.push_back(fmt::format("{}", arm->events->lost()));
      }
    }
    row.resize(10, "-");
    table.row(std::move(row));
  }
  return table.text(width);
}

std::string rates_table(const std::vector<const core::Phase*>& rates, unsigned width) {
  core::TextTable table({"arm", "#nothing lost at", "#in trials", "#lost at", "#in trials", "confirmed"});
  for (const core::Phase* phase : rates) {
    const core::MaximumRate& rate = *phase->maximum_rate;
    table.row({phase->arm, rate.lossless_hz > 0 ? core::rate_text(rate.lossless_hz) : "-", lossless_trials(rate),
               rate.lossy_hz ? core::rate_text(*rate.lossy_hz) : "-", lossy_trials(rate), rate.confirmed ? "yes" : "no"});
  }
  return table.text(width);
}

}  // namespace

std::string text_arms(const core::RunResult& run, unsigned width) {
  std::string text;
  for (const ArmsView& view : arms_of(run)) {
    if (!view.gaps.empty()) text += "  " + core::printable(view.title()) + "\n";
    text += arms_table(view, width);
    for (const core::Comparison* comparison : view.comparisons)
      text += core::wrapped(core::printable(comparison->verdict), width, "  ");
    for (const core::Phase* arm : view.arms)
      if (const std::string worst = core::worst_in_words(*arm); !worst.empty())
        text += core::wrapped(core::printable(worst), width, "  ");
  }
  if (const auto rates = rates_of(run); !rates.empty()) text += rates_table(rates, width);
  return text;
}

}  // namespace maxlat::reports
