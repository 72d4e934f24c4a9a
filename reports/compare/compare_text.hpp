// SPDX-License-Identifier: MIT
//
// Compared runs for the terminal: a table a phase, a column a group, and the verdict at the end, where it is read.
#pragma once

#include <string>

#include "compared_runs.hpp"

namespace maxlat::reports {

std::string compare_text(const ComparedRuns& compared, unsigned width);

}  // namespace maxlat::reports
