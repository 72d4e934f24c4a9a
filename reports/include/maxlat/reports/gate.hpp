// SPDX-License-Identifier: MIT
//
// The gate: limits, what was observed, and a verdict. A limit is met when observed <= limit (for floors such as
// exposure: observed >= limit); equal passes. A latency is the worst CPU's, never an average of CPUs. What was not
// measured is never passed: a rule whose phase is missing, not ok, or has no such figure is "invalid", and one invalid
// rule makes the verdict invalid unless another rule failed. So does a meter that did not find the stalls of its
// positive control, because it cannot be believed, and so does a run that is not complete, because its remaining phases
// were not measured.
//
// A preemption test brings its own limits: a pair of policies that does not do as it must fails a run without rules,
// too.
//
// Order of verdicts, strongest first: fail (a valid phase exceeded a limit), invalid, pass, not gated (there are no
// rules, the run is complete, something was measured and no phase was invalid). A phase that is skipped because it
// cannot run here makes only the rules about it invalid.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/reports/rule.hpp>
#include <string>
#include <vector>

namespace maxlat::reports {

// Judges the phases. `not_comparable` is carried over from run.verdict: only who saw the machine can say it.
core::Verdict judge(const core::RunResult& run, const std::vector<Rule>& rules);
// Whether a reason of the verdict tells the same as a failed rule of its table.
bool tells_a_limit(const std::string& reason);
core::Exit exit_status(const core::Verdict& verdict);

}  // namespace maxlat::reports
