// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/reports/gate.hpp>
#include <string>
#include <vector>

#include "judge_rule.hpp"

namespace maxlat::reports {

// Failures that a waiver is about become waived, if it has not ended. Returns what a reader must be told of the
// waivers: those that count, have ended, or were not needed.
std::vector<std::string> apply_waivers(const std::vector<Waiver>& waivers, const std::string& today,
                                       std::vector<JudgedRule>& rules);

}  // namespace maxlat::reports
