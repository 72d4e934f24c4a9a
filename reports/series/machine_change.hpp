// SPDX-License-Identifier: MIT
#pragma once

#include "series.hpp"

namespace maxlat::reports {

// Fills in, for each change of a line, the change of the machine that lies nearest to it, within five runs.
void look_for_machine_changes(TrendLine& line);

}  // namespace maxlat::reports
