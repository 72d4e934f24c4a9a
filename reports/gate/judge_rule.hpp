// SPDX-License-Identifier: MIT
//
// One rule against the phases of a run: the rows of the verdict's table that come of it.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/reports/rule.hpp>
#include <vector>

namespace maxlat::reports {

// One result for each phase that the rule is about; an invalid one when there is none. REQUIRES: a rule that
// make_rule() has made.
std::vector<core::RuleResult> judge_rule(const core::RunResult& run, const Rule& rule);

}  // namespace maxlat::reports
