// SPDX-License-Identifier: MIT
//
// In what the machines of compared runs differ.
#pragma once

#include "compared_runs.hpp"

namespace maxlat::reports {

// Of runs that tell their machine: what one does not tell is no difference, and is said.
void compare_machines(const std::vector<RunGroup>& groups, ComparedRuns& compared);

}  // namespace maxlat::reports
