// SPDX-License-Identifier: MIT
#include "reading/imported_run.hpp"

#include <fmt/format.h>

#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/utc.hpp>

namespace maxlat::importing {

const std::string_view kThreadsForCpus =
    "the file numbers its threads, not the CPUs: CPU 0 here is its first thread, wherever that ran";
const std::string_view kExposureUnknown = "the file does not tell for how long each CPU was watched: no exposure";

core::Phase imported_phase(std::string name, const core::PhaseKind& kind, std::string made_by) {
  core::Phase phase;
  phase.name = std::move(name);
  phase.kind = kind.name;
  phase.status = core::PhaseStatus::ok;
  phase.facts["made by"] = std::move(made_by);
  phase.warnings.push_back("imported: what load ran beside it is not in the file");
  return phase;
}

core::RunResult imported_run(std::string_view tool, std::vector<core::Phase> phases) {
  core::RunResult run = core::run_frame("import", core::utc_text());
  // Not when it was imported, but when it was measured, if that is known.
  run.started = phases.empty() ? std::string() : phases.front().started;
  run.ended.clear();
  run.verdict.not_comparable.push_back(
      fmt::format("Imported from {}'s file, which does not tell how the machine was set, nor what load it had.", tool));
  for (core::Phase& phase : phases) {
    phase.exposure_s = 0;
    for (const core::CpuResult& cpu : phase.per_cpu) phase.exposure_s += cpu.exposure_s;
  }
  run.phases = std::move(phases);
  return run;
}

}  // namespace maxlat::importing
