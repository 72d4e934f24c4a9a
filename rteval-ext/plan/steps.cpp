// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "meters/control_runner.hpp"

namespace maxlat::rteval_ext {

namespace {

std::string step_name(const PhasePlan& phase, PhaseKind meter) {
  return is_control(phase.kind) ? fmt::format("{} ({})", phase.name, to_string(meter)) : phase.name;
}

// Who measures in its steps, one each.
std::vector<PhaseKind> meters_of(const PhasePlan& phase) {
  return is_control(phase.kind) ? phase.meters : std::vector<PhaseKind>{phase.kind};
}

void keep_each_once(core::CpuList& cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
}

// A control is where its meter will measure, in one go: on the CPUs of all phases of that meter. Without such a phase
// it is where one would be.
core::Result<Placement> place_control(const PhasePlan& control, PhaseKind meter, const Plan& plan,
                                      const core::MachineCpus& machine) {
  if (!control.cpus.empty()) return place(control, machine);
  Placement covering;
  for (const PhasePlan& phase : plan.phases) {
    if (phase.kind != meter) continue;
    const core::Result<Placement> placement = place(phase, machine);
    if (!placement) return placement.error();
    covering.everywhere = covering.everywhere || placement->everywhere;
    covering.measured.insert(covering.measured.end(), placement->measured.begin(), placement->measured.end());
  }
  if (covering.measured.empty()) {
    PhasePlan as_the_meter = control;
    as_the_meter.kind = meter;
    return place(as_the_meter, machine);
  }
  keep_each_once(covering.measured);
  return covering;
}

}  // namespace

bool is_left_out(const PhasePlan& phase, PhaseKind meter, const std::vector<std::string>& skip) {
  return std::any_of(skip.begin(), skip.end(), [&](const std::string& name) {
    return name == phase.name || name == to_string(phase.kind) || name == step_name(phase, meter);
  });
}

core::Result<Plan> left_by_skip(Plan plan, const std::vector<std::string>& skip) {
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
    if (is_control(phase.kind)) phase.meters = std::move(meters);
    left.push_back(std::move(phase));
  }
  if (left.empty()) return core::Error{"--skip: no phase of the plan is left", "leave out less"};
  plan.phases = std::move(left);
  return plan;
}

core::Result<std::vector<Step>> steps_of(const Plan& plan, const core::MachineCpus& machine) {
  std::vector<Step> steps;
  for (const PhasePlan& phase : plan.phases) {
    const bool control = is_control(phase.kind);
    for (const PhaseKind meter : meters_of(phase)) {
      core::Result<Placement> placement =
          control ? place_control(phase, meter, plan, machine) : place(phase, machine, plan.housekeeping);
      if (!placement) return placement.error();
      const double expected_s = control ? expected_seconds(phase, control_cpus(placement->measured).size()) /
                                              static_cast<double>(phase.meters.size())
                                        : expected_seconds(phase, placement->measured.size());
      steps.push_back({&phase, meter, step_name(phase, meter), std::move(*placement), expected_s});
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
  keep_each_once(watched);
  return watched;
}

}  // namespace maxlat::rteval_ext
