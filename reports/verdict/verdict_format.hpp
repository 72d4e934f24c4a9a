// SPDX-License-Identifier: MIT
//
// A form in which a machine takes a verdict: a file here that defines one of these, and a row in
// reports/CMakeLists.txt.
//
// A CI server knows passed, failed, broken and skipped. Ours become: fail -> failed; invalid -> broken; a failure
// that is waived -> skipped, with the waiver as its reason; a warning -> passed, with words. What spoils the run as a
// whole is a test of its own (rules_and_whole_run()), because no rule tells it.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

struct JudgedRun {
  const core::RunResult& run;  // with its verdict
  std::string gate;            // the name of the gate
};

struct VerdictFormat {
  std::string_view name;  // "junit"
  std::string_view what;  // one line for the help
  std::string (*write)(const JudgedRun& judged);
};

std::vector<const VerdictFormat*> verdict_format_rows();  // of CMakeLists.txt

// The rules, and one more that tells whether the run as a whole is valid, with what spoils it.
std::vector<core::RuleResult> rules_and_whole_run(const core::RunResult& run);
// "npt under load: max_ns" is of "npt under load", and called "max_ns".
struct RuleName {
  std::string phase, metric;
};
RuleName name_of_rule(const core::RuleResult& rule);
// "22000 ns (22.0 us, CPU 0), limit <= 20000 ns (20.0 us)", with the note where there is one.
std::string told(const core::RuleResult& rule);

}  // namespace maxlat::reports
