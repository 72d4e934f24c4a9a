// SPDX-License-Identifier: MIT
//
// cyclictest's --json file as a run. Its threads share one interval: with a histogram, without which there is no file
// of it that could be read, cyclictest sets the distance of their intervals to 0.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>

#include "formats/rt_tests_json.hpp"
#include "reading/imported_run.hpp"

namespace maxlat::importing {
namespace {

constexpr double kDefaultInterval_us = 1000;

// It was to end at its first sample above this limit; if one is, it has. REQUIRES: the phase has its CPUs.
void tell_limit(std::optional<double> limit_us, core::Phase& phase) {
  if (!limit_us) return;
  const double limit_ns = *limit_us * 1e3;
  phase.facts[core::fact::kLimit] = core::latency_text(limit_ns);
  const auto worst = std::max_element(phase.per_cpu.begin(), phase.per_cpu.end(),
                                      [](const auto& a, const auto& b) { return a.max_ns < b.max_ns; });
  if (worst == phase.per_cpu.end() || worst->max_ns <= limit_ns) return;
  phase.facts[core::fact::kBreak] =
      fmt::format("a sample of {} on CPU {}", core::latency_text(worst->max_ns), worst->cpu);
}

core::Result<core::RunResult> read(std::string_view text) {
  core::Result<CyclictestReport> report = parse_cyclictest_json(text);
  if (!report) return report.error();
  core::Phase phase =
      imported_phase("cyclictest", core::kCyclictestKind, fmt::format("cyclictest {}", report->version));
  tell_of(*report, phase);
  phase.per_cpu = std::move(report->per_cpu);
  const double interval_ns = option_us(phase.command, 'i', "--interval").value_or(kDefaultInterval_us) * 1e3;
  phase.facts[core::fact::kInterval] = core::duration_text(interval_ns * 1e-9);
  tell_limit(option_us(phase.command, 'b', "--breaktrace"), phase);
  if (!report->no_sample.empty()) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = report->no_sample;
  }
  for (core::CpuResult& cpu : phase.per_cpu) cpu.exposure_s = seconds_accounted_for(cpu, interval_ns);
  core::RunResult run = imported_run("cyclictest", {std::move(phase)});
  if (!report->ended.empty()) run.ended = report->ended;
  return run;
}

}  // namespace

extern const ImportDefinition kCyclictestJson{
    .name = "cyclictest-json",
    .made_by = "cyclictest --json, rt-tests 2",
    .recognises = [](std::string_view beginning) { return is_rt_tests_json(beginning, "cyclictest"); },
    .read = read};

}  // namespace maxlat::importing
