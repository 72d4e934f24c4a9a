// SPDX-License-Identifier: MIT
//
// What any program can print: "# latencies in us, CPU 3", and then a whole number in each line.
#include <cstdio>
#include <map>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/import/import_definition.hpp>
#include <sstream>

namespace maxlat::importing {
namespace {

constexpr std::string_view kTitle = "# latencies in us, CPU ";

core::Result<core::RunResult> read(std::string_view text) {
  core::Phase phase;
  phase.name = "latencies";
  phase.kind = core::kImportedKind.name;
  phase.status = core::PhaseStatus::ok;
  core::CpuResult& cpu = phase.per_cpu.emplace_back();
  std::istringstream words{std::string(text.substr(std::min(text.size(), kTitle.size())))};
  words >> cpu.cpu;
  std::map<uint64_t, uint64_t> counts;  // by microsecond
  for (uint64_t us = 0; words >> us; ++cpu.samples) ++counts[us];
  if (!words.eof() || counts.empty()) return core::Error{"it is not a whole number in each line"};
  for (const auto& [us, count] : counts)
    cpu.bins.push_back({static_cast<double>(us) * 1e3, static_cast<double>(us + 1) * 1e3, count});
  cpu.min_ns = cpu.bins.front().low_ns;
  cpu.max_ns = cpu.bins.back().low_ns;
  core::fill_statistics_from_bins(cpu);

  core::RunResult run = core::run_frame("import", core::utc_text());
  run.verdict.not_comparable = {"Imported from a list of latencies, which tells nothing of the machine."};
  run.phases.push_back(std::move(phase));
  return run;
}

}  // namespace

extern const ImportDefinition kLatencies{"latencies", "a number in each line",
                                         [](std::string_view text) { return text.starts_with(kTitle); }, read};

}  // namespace maxlat::importing
