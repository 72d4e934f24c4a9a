// SPDX-License-Identifier: MIT
//
// What the tracer must reach against LTTng-UST, and whether it did in this run. Figures are ratios within the run, but
// where the goal itself is a time.
#pragma once

#include "contest.hpp"

namespace maxlat::bench {

// Prints the table: goal, limit, figure, reached.
void print_goals(const Contest& contest);

}  // namespace maxlat::bench
