// SPDX-License-Identifier: MIT
//
// Signs that something outside the thing measured made a tail (phase_view.hpp: tail_hint), in sentences that page,
// terminal and Markdown share. Plain ASCII.
#pragma once

#include <string>
#include <vector>

#include "phase_view.hpp"

namespace maxlat::reports {

// Of one phase.
std::vector<std::string> suspicions(const PhaseView& view);
// The same for one line: "its maximum is 4100 times p99, and the largest come every 1.00 s". Empty: nothing suspicious.
std::string suspicion_words(const PhaseView& view);

// Of a run, one entry for each valid phase that is suspicious: "npt under load, because: The maximum is ...".
std::vector<std::string> suspicious_phases(const std::vector<PhaseView>& views);

}  // namespace maxlat::reports
