// SPDX-License-Identifier: MIT
//
// What every imported run says of itself: who made it, and what is not known of it.
#pragma once

#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::importing {

// A phase of this kind that is ok; `made_by` is a fact of it: "oslat 2.40".
core::Phase imported_phase(std::string name, const core::PhaseKind& kind, std::string made_by);

// The phases as one complete run, their exposures added up. `tool`: whose file it is, "oslat".
core::RunResult imported_run(std::string_view tool, std::vector<core::Phase> phases);

// Warnings that several formats need, in the same words.
extern const std::string_view kThreadsForCpus;   // the file numbers its threads, not CPUs
extern const std::string_view kExposureUnknown;  // the file does not tell for how long each CPU was watched

}  // namespace maxlat::importing
