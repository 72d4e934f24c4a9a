// SPDX-License-Identifier: MIT
//
// cyclictest's --json file as a run. Its threads share one interval: with a histogram, without which there is no file
// of it that could be read, cyclictest sets the distance of their intervals to 0.
#include <fmt/format.h>
#include <time.h>

#include <charconv>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <maxlat/import/import_definition.hpp>
#include <optional>
#include <sstream>

namespace maxlat::importing {
namespace {

constexpr double kDefaultInterval_us = 1000;

bool recognises(std::string_view text) {
  return text.find("\"rt_test_version") != std::string_view::npos && text.find("cyclictest") != std::string_view::npos;
}

// "-i100", "-i 100", "-qi100", "--interval=100", "--interval 100", in microseconds.
double interval_us(const std::string& command) {
  std::istringstream words(command);
  std::string word, value;
  double interval = kDefaultInterval_us;
  while (words >> word) {
    if (word.starts_with("--interval"))
      value = word.substr(std::string_view("--interval").size());
    else if (const size_t at = word.find('i'); word.size() > 1 && word[0] == '-' && word[1] != '-' && at != word.npos)
      value = word.substr(at + 1);
    else
      continue;
    if (value.starts_with('=')) value.erase(0, 1);
    if (value.empty()) words >> value;
    double given = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), given).ec == std::errc{} && given > 0)
      interval = given;
  }
  return interval;
}

core::Result<core::RunResult> read(std::string_view text) {
  core::Result<CyclictestReport> report = parse_cyclictest_json(text);
  if (!report) return report.error();
  core::Phase phase;
  phase.name = phase.kind = "cyclictest";
  phase.status = core::PhaseStatus::ok;
  phase.command = report->command;
  phase.started = report->started;
  phase.duration_s = report->duration_s;
  phase.facts["made by"] = fmt::format("cyclictest {}", report->version);
  if (!report->kernel.empty()) phase.facts["kernel"] = report->kernel;
  phase.per_cpu = std::move(report->per_cpu);
  const double interval_ns = interval_us(phase.command) * 1e3;
  for (core::CpuResult& cpu : phase.per_cpu) {
    cpu.exposure_s = seconds_accounted_for(cpu, interval_ns);
    phase.exposure_s += cpu.exposure_s;
  }
  phase.warnings.push_back("imported: what load ran beside it is not in the file");

  core::RunResult run = core::run_frame("import", phase.started);
  if (!report->ended.empty()) run.ended = report->ended;
  run.verdict.not_comparable.push_back(
      "Imported from cyclictest's file, which does not tell how the machine was set, nor what load it had.");
  run.phases.push_back(std::move(phase));
  return run;
}

}  // namespace

extern const ImportDefinition kCyclictestJson{"cyclictest-json", "cyclictest --json, rt-tests 2", recognises, read};

}  // namespace maxlat::importing
