// SPDX-License-Identifier: MIT
//
// cyclictest's --json file as a run. Its threads share one interval: with a histogram, without which there is no file
// of it that could be read, cyclictest sets the distance of their intervals to 0.
#include <fmt/format.h>

#include <charconv>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>
#include <sstream>

#include "formats/rt_tests_json.hpp"
#include "reading/imported_run.hpp"

namespace maxlat::importing {
namespace {

constexpr double kDefaultInterval_us = 1000;

// Of "-i100", "-i 100", "-qi100", "--interval=100", "--interval 100": 100; the last where there are several.
std::optional<double> option_us(const std::string& command, char letter, std::string_view name) {
  std::istringstream words(command);
  std::string word, value;
  std::optional<double> last;
  while (words >> word) {
    if (word.starts_with(name))
      value = word.substr(name.size());
    else if (const size_t at = word.find(letter);
             word.size() > 1 && word[0] == '-' && word[1] != '-' && at != word.npos)
      value = word.substr(at + 1);
    else
      continue;
    if (value.starts_with('=')) value.erase(0, 1);
    if (value.empty()) words >> value;
    double given = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), given).ec == std::errc{} && given > 0) last = given;
  }
  return last;
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
  if (const auto limit_us = option_us(phase.command, 'b', "--breaktrace"))
    phase.facts[core::fact::kLimit] = core::latency_text(*limit_us * 1e3);
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
