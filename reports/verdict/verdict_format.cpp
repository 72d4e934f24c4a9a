// SPDX-License-Identifier: MIT
#include "verdict_format.hpp"

#include <fmt/format.h>

#include <maxlat/reports/gate.hpp>

namespace maxlat::reports {

using Outcome = core::RuleResult::Outcome;

std::vector<core::RuleResult> rules_and_whole_run(const core::RunResult& run) {
  const core::Verdict& verdict = run.verdict;
  std::vector<core::RuleResult> all = verdict.rules;
  core::RuleResult whole{.rule = "run: is valid", .limit = "complete and valid", .observed = "complete and valid"};
  whole.outcome = Outcome::pass;
  if (const std::vector<std::string> spoiled = spoiled_by(run, !all.empty()); !spoiled.empty()) {
    whole.outcome = Outcome::invalid;
    whole.observed = fmt::format("{}", fmt::join(spoiled, "; "));
  }
  all.push_back(std::move(whole));
  return all;
}

RuleName name_of_rule(const core::RuleResult& rule) {
  const size_t colon = rule.rule.rfind(": ");
  if (colon == std::string::npos) return {.phase = "run", .metric = rule.rule};
  return {.phase = rule.rule.substr(0, colon), .metric = rule.rule.substr(colon + 2)};
}

std::string told(const core::RuleResult& rule) {
  std::string text = fmt::format("{}, limit {}", rule.observed, rule.limit);
  if (!rule.note.empty()) text += ": " + rule.note;
  return text;
}

}  // namespace maxlat::reports
