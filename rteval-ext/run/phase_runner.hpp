// SPDX-License-Identifier: MIT
//
// One measuring phase: start the loads, start the meter, watch both once a second, read the result.
//
// How it can end, and what the phase's status then says:
//
//   the meter ends and its result is whole      what the meter says (ok, or invalid with its reason)
//   a load dies                                 invalid: the meter is stopped at once; what it measured is kept
//   SIGINT                                      interrupted; what was measured is kept
//   the meter fails, or outlives its time       failed, with what it said. The loads end first, and it has as
//                                               much time again
//   the meter or a load is not installed        skipped, with the package
#pragma once

#include <chrono>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/rteval_ext/meter.hpp>
#include <string>

#include "plan/placement.hpp"
#include "run_progress.hpp"

namespace maxlat::rteval_ext {

// What the phase's meter is to do. `json_path` is its own file, `seed` for what it draws, `kernel_events` the plan's.
MeterJob job_of(const PhasePlan& plan, const Placement& placement, const std::string& json_path, std::uint64_t seed,
                bool kernel_events);

// `job` is job_of() of the phase, `grace` as in Bench. Never fails: what went wrong is the phase's status and reason.
core::Phase run_phase(const PhasePlan& plan, const Placement& placement, Meter& meter, const MeterJob& job,
                      std::chrono::seconds grace, RunProgress& progress);

// The phase for something that did not come to measure: skipped for Exit::cannot_run, else failed.
core::Phase phase_without_result(const core::Error& error);

}  // namespace maxlat::rteval_ext
