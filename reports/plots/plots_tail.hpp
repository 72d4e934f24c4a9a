// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "plot.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {

// How often which latency is exceeded: what was seen, the tail that was fitted to it, and the band that it lies in with
// 95 %. Nothing where the tail has no level.
std::optional<Plot> plot_of(const PhaseView& view, const TailView& tail);

}  // namespace maxlat::reports
