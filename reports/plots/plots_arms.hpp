// SPDX-License-Identifier: MIT
//
// The plots of a comparison (Beamonte 2015, Figures 3 to 9): the histograms of two arms over each other, one pair a
// figure, and the nines of all arms in one.
#pragma once

#include <vector>

#include "plot.hpp"
#include "view/arms_view.hpp"

namespace maxlat::reports {

std::vector<Plot> plots_of(const ArmsView& view);

}  // namespace maxlat::reports
