// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "control_runner.hpp"

namespace maxlat::rteval_ext {

core::Result<std::vector<Step>> steps_of(const Plan& plan, const MachineCpus& machine) {
  std::vector<Step> steps;
  for (const PhasePlan& phase : plan.phases) {
    core::Result<Placement> placement = place(phase, machine);
    if (!placement) return placement.error();
    if (phase.kind == PhaseKind::control) {
      const double each_s =
          expected_seconds(phase, control_cpus(placement->measured).size()) / static_cast<double>(phase.meters.size());
      for (const PhaseKind meter : phase.meters) {
        steps.push_back({&phase, meter, fmt::format("{} ({})", phase.name, to_string(meter)), *placement, each_s});
      }
    } else {
      steps.push_back(
          {&phase, phase.kind, phase.name, *placement, expected_seconds(phase, placement->measured.size())});
    }
  }
  return steps;
}

core::CpuList watched_cpus(const std::vector<Step>& steps) {
  core::CpuList watched;
  for (const Step& step : steps) {
    if (step.placement.everywhere) continue;
    for (const unsigned cpu : step.placement.measured) watched.push_back(cpu);
  }
  std::sort(watched.begin(), watched.end());
  watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
  return watched;
}

}  // namespace maxlat::rteval_ext
