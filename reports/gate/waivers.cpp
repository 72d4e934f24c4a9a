// SPDX-License-Identifier: MIT
#include "waivers.hpp"

#include <fmt/format.h>

#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

bool is_about(const Waiver& waiver, const JudgedRule& rule) {
  return waiver.metric == rule.metric &&
         (waiver.phase == "*" || waiver.phase == rule.phase || waiver.phase == rule.kind);
}

std::string waiver_text(const Waiver& waiver) {
  return fmt::format("{} of {}: {}", waiver.metric, waiver.phase == "*" ? "any phase" : waiver.phase, waiver.reason);
}

}  // namespace

std::vector<std::string> apply_waivers(const std::vector<Waiver>& waivers, const core::RunResult& run,
                                       const std::string& today, std::vector<JudgedRule>& rules) {
  std::vector<std::string> told;
  for (const Waiver& waiver : waivers) {
    const bool ended = waiver.until < today;
    bool needed = false, not_measured = false;
    for (JudgedRule& rule : rules) {
      not_measured |= rule.result.outcome == Outcome::invalid && is_about(waiver, rule);
      if (rule.result.outcome != Outcome::fail || !is_about(waiver, rule)) continue;
      needed = true;
      if (ended) continue;
      if (waiver.up_to && !(rule.value && *rule.value <= *waiver.up_to)) {
        told.push_back(fmt::format("a waiver counts up to {} only: {} is {}: {}",
                                   value_text(find_metric(waiver.metric)->unit, *waiver.up_to), rule.result.rule,
                                   rule.result.observed, waiver_text(waiver)));
        continue;
      }
      rule.result.outcome = Outcome::waived;
      rule.result.note = fmt::format("waived until {}: {}", waiver.until, waiver.reason);
      told.push_back(fmt::format("waived until {}: {} is {}, limit {}: {}", waiver.until, rule.result.rule,
                                 rule.result.observed, rule.result.limit, waiver.reason));
    }
    if (ended)
      told.push_back(fmt::format("a waiver ended on {} and counts no more: {}", waiver.until, waiver_text(waiver)));
    else if (waiver.phase != "*" && !has_phase(run, waiver.phase))
      told.push_back(fmt::format("a waiver is of '{}', {}: {}", waiver.phase, no_such_phase(run), waiver_text(waiver)));
    else if (!needed && not_measured)
      told.push_back("a waiver does not help, for what was not measured cannot be waived: " + waiver_text(waiver));
    else if (!needed)
      told.push_back("a waiver is not needed: " + waiver_text(waiver));
  }
  return told;
}

}  // namespace maxlat::reports
