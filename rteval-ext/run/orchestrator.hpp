// SPDX-License-Identifier: MIT
//
// A run from its first step to its report.
//
//   shield             where the plan wants one (run_shield.hpp)
//   preflight          the machine's settings and fingerprint, before anything disturbs it
//   shield audit       what interrupts the shielded CPUs
//   the plan's phases  one after the other; a control phase is one step for each of its meters
//   preflight again    what changed while the run was under way is a warning
//   shield off
//   verdict, report
//
// INVARIANTS, each with a test in orchestrator_test.cpp
//   (1) After each step result.json holds everything measured so far (state running); it is written before the next
//       step begins. A run that dies loses the step it was in and nothing else.
//   (2) Resumed, a run keeps the phases that are ok or skipped, and measures all others again.
//   (3) The phases in result.json are in the order of the plan, whatever the order they were measured in.
//   (4) A stop request ends the step at once, keeps what it had, and still leads to verdict and report. A run that was
//       interrupted does not pass: what is missing was not measured.
//   (5) The shield goes off at every end but a kill; the run that goes on after a kill takes it off.
//
// ERRORS: only what ends the run: a plan that names CPUs, loads or commands that do not exist here, a gate that is
// about other phases or whose baseline cannot be read, or a user who may not measure (before anything is started), and
// a directory that cannot be written. A step that goes wrong is a phase with a status and a reason.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "meters/bench.hpp"
#include "plan/plan.hpp"
#include "run_directory.hpp"

namespace maxlat::rteval_ext {

struct RunRequest {
  const Plan& plan;
  core::RunResult run;  // new (with id, plan, plan_text, gate_text and seed) or what an interrupted run had left
  const RunDirectory& directory;
  const Bench& bench;
  std::vector<std::string> skip;  // names phases or kinds
  bool quiet = false;
};

struct Outcome {
  core::RunResult run;
  std::vector<std::string> warnings;  // the report could not be made
  bool has_report = false;
};

// ERRORS: as above, found before anything runs.
core::Status check_plan(const Plan& plan, const Bench& bench);

core::Result<Outcome> orchestrate(RunRequest request);

}  // namespace maxlat::rteval_ext
