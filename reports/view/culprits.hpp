// SPDX-License-Identifier: MIT
//
// Who had the phases' largest samples, and why that is not known, for summaries: a line each.
#pragma once

#include <string>
#include <vector>

#include "view/phase_view.hpp"

namespace maxlat::reports {

// "npt idle: 3.11 ms on CPU 1: task kworker/1:2 (tid 77, nice 0) 2.90 ms", in the order of the phases.
std::vector<std::string> culprit_lines(const std::vector<PhaseView>& views);

// "who had it is not known of npt idle, npt under load: the kernel's events are not recorded: tracefs is for root".
// One line for each reason.
std::vector<std::string> not_watched_lines(const std::vector<PhaseView>& views);

}  // namespace maxlat::reports
