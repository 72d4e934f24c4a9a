// SPDX-License-Identifier: MIT
//
// The shield of a run (maxlat run --shield, `shield = true` in a plan): on before the first reading of the settings,
// off after the last, whatever the end. The measured CPUs are then the meters' alone, and loads, consumers and the run
// itself keep to the others.
//
// What it did is two steps of the run: "shield" tells what became of each step, "shield audit" proves it, before
// anything is measured there.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/shield/shield.hpp>
#include <memory>
#include <string>
#include <vector>

#include "plan/placement.hpp"
#include "plan/plan.hpp"

namespace maxlat::rteval_ext {

struct TakenOff {
  std::string told;               // "35 changes undone, 2 had been before, 1 gone with their threads"
  std::vector<std::string> left;  // what could not be undone, in sentences
};

TakenOff taken_off(const shield::UndoReport& undone);

// A shield that is on. Destroying it takes it off.
class RunShield {
 public:
  virtual ~RunShield() = default;
  virtual core::Phase told() const = 0;                 // step "shield"
  virtual core::Result<core::Phase> audit() const = 0;  // step "shield audit"
  virtual TakenOff take_off() = 0;
};

// Of the CPUs that the plan measures on this machine. ERRORS: all of them, so that none is left for the rest; a
// housekeeping CPU of the plan that is measured, or not there.
core::Result<shield::ShieldPlan> shield_of(const Plan& plan, const core::MachineCpus& machine);

// A shield that a killed run has left is taken over. ERRORS: those of `maxlat shield on`; another run holds a shield.
core::Result<std::unique_ptr<RunShield>> put_shield_on(const shield::ShieldPlan& asked);
// What that would do, in words that go on after "would".
core::Result<std::string> preview_shield(const shield::ShieldPlan& asked);

}  // namespace maxlat::rteval_ext
