// SPDX-License-Identifier: MIT
#pragma once

#include <maxlat/reports/gate.hpp>
#include <string>
#include <vector>

#include "judge_rule.hpp"

namespace maxlat::reports {

// Failures that a waiver is about become waived, if it has not ended. Returns what a reader must be told of the
// waivers: those that count, have ended, are of no phase of the run, or were not needed.
std::vector<std::string> apply_waivers(const std::vector<Waiver>& waivers, const core::RunResult& run,
                                       const std::string& today, std::vector<JudgedRule>& rules);

}  // namespace maxlat::reports
