// SPDX-License-Identifier: MIT
//
// An audit for a terminal: a table with a verdict for each CPU, then what interrupted each of them, most frequent
// first.
#pragma once

#include <string>
#include <vector>

#include "audit.hpp"

namespace maxlat::shield {

// In the order of phase.activity.
std::vector<CpuVerdict> verdicts_of(const core::Phase& phase, const AuditPlan& plan);
std::string text_of(const core::Phase& phase, const AuditPlan& plan);

}  // namespace maxlat::shield
