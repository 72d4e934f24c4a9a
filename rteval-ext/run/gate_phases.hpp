// SPDX-License-Identifier: MIT
//
// A gate held against the plan before hours are measured: what it says of a phase that the run will not have is never
// kept, and is told at the end only.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <maxlat/reports/gate.hpp>
#include <vector>

#include "plan/steps.hpp"

namespace maxlat::rteval_ext {

// Of all steps, also those that are left out here. A name is that of a phase or of its kind, as in a gate.
// ERRORS: a limit, or the baseline, is about a phase of which nothing has the name or the kind.
core::Status check_phases_of_gate(const reports::Gate& gate, const std::vector<Step>& steps);

}  // namespace maxlat::rteval_ext
