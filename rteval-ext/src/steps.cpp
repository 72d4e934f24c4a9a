// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "control_runner.hpp"

namespace maxlat::rteval_ext {

namespace {

std::string step_name(const PhasePlan& phase, PhaseKind meter) {
  return phase.kind == PhaseKind::control ? fmt::format("{} ({})", phase.name, to_string(meter)) : phase.name;
}

}  // namespace

bool is_left_out(const PhasePlan& phase, PhaseKind meter, const std::vector<std::string>& skip) {
  return std::any_of(skip.begin(), skip.end(), [&](const std::string& name) {
    return name == phase.name || name == to_string(phase.kind) || name == step_name(phase, meter);
  });
}

core::Result<Plan> left_by_skip(Plan plan, const std::vector<std::string>& skip) {
  const auto meters_of = [](const PhasePlan& phase) {
    return phase.kind == PhaseKind::control ? phase.meters : std::vector<PhaseKind>{phase.kind};
  };
  for (const std::string& name : skip) {
    const bool known = std::any_of(plan.phases.begin(), plan.phases.end(), [&](const PhasePlan& phase) {
      const auto meters = meters_of(phase);
      return std::any_of(meters.begin(), meters.end(),
                         [&](PhaseKind meter) { return is_left_out(phase, meter, {name}); });
    });
    if (!known)
      return core::Error{fmt::format("--skip: the plan has no phase named or of kind '{}'", name),
                         "maxlat run --print-plan shows the phases"};
  }
  std::vector<PhasePlan> left;
  for (PhasePlan& phase : plan.phases) {
    auto meters = meters_of(phase);
    std::erase_if(meters, [&](PhaseKind meter) { return is_left_out(phase, meter, skip); });
    if (meters.empty()) continue;
    if (phase.kind == PhaseKind::control) phase.meters = std::move(meters);
    left.push_back(std::move(phase));
  }
  if (left.empty()) return core::Error{"--skip: no phase of the plan is left", "leave out less"};
  plan.phases = std::move(left);
  return plan;
}

core::Result<std::vector<Step>> steps_of(const Plan& plan, const MachineCpus& machine) {
  std::vector<Step> steps;
  for (const PhasePlan& phase : plan.phases) {
    core::Result<Placement> placement = place(phase, machine);
    if (!placement) return placement.error();
    if (phase.kind == PhaseKind::control) {
      const double each_s =
          expected_seconds(phase, control_cpus(placement->measured).size()) / static_cast<double>(phase.meters.size());
      for (const PhaseKind meter : phase.meters) {
        steps.push_back({&phase, meter, step_name(phase, meter), *placement, each_s});
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
