// SPDX-License-Identifier: MIT
//
// The positive control of one meter: start it as for a phase, wait until it really measures, plant stalls of known
// length under it, stop it, and see whether it found them. A meter that did not find them measures nothing, so a failed
// control makes the run invalid, whatever its figures are.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

#include "bench.hpp"
#include "run/run_progress.hpp"

namespace maxlat::rteval_ext {

extern const PhaseDefinition kControlPhase;

// On a box of many CPUs the stalls take their time one CPU after the other; the meter's code is the same on each, so so
// many CPUs, spread over the box, stand for all.
constexpr size_t kMostControlCpus = 8;
core::CpuList control_cpus(const core::CpuList& measured);

// `seed` is that of the stalls' order and spacing.
core::Phase run_control(const PhasePlan& plan, const Placement& placement, Meter& meter, const Bench& bench,
                        const std::string& json_path, uint64_t seed, RunProgress& progress);

}  // namespace maxlat::rteval_ext
