// SPDX-License-Identifier: MIT
//
// A plan's phases as the steps that are taken: a control phase is one step for each of its meters, every other is one.
#pragma once

#include <string>
#include <vector>

#include "placement.hpp"
#include "plan.hpp"

namespace maxlat::rteval_ext {

struct Step {
  const PhasePlan* phase = nullptr;
  PhaseKind meter = nullptr;
  std::string name;  // unique in the run: "control before (npt)", "npt idle"
  Placement placement;
  double expected_s = 0;
};

// REQUIRES: `plan` outlives the steps. ERRORS: a CPU that is not online here.
core::Result<std::vector<Step>> steps_of(const Plan& plan, const core::MachineCpus& machine);

// What is left of the plan without the phases that `skip` names: by the name of a phase or of a step, or by kind.
// ERRORS: a name that leaves nothing out; nothing is left.
core::Result<Plan> left_by_skip(Plan plan, const std::vector<std::string>& skip);
bool is_left_out(const PhasePlan& phase, PhaseKind meter, const std::vector<std::string>& skip);

// The CPUs that any gap meter of the plan watches: those whose settings pre-flight looks at.
core::CpuList watched_cpus(const std::vector<Step>& steps);

}  // namespace maxlat::rteval_ext
