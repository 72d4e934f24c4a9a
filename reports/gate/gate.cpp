// SPDX-License-Identifier: MIT
//
// How a verdict is reached. A gate that cannot fail is worse than none, so each way of not having measured is
// "invalid", never "pass".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/reports/gate.hpp>
#include <optional>

#include "../view/phase_view.hpp"
#include "judge_rule.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

// A preemption test has limits of its own: what the kernel promises. Nobody has to ask for them. One that was seen to
// be broken is broken, whatever the rest of the phase could not show.
std::vector<core::RuleResult> broken_promises(const core::RunResult& run) {
  std::vector<core::RuleResult> results;
  for (const auto& phase : run.phases) {
    std::vector<std::string> broken;
    for (const auto& pair : phase.pairs)
      if (pair.verdict() == core::PolicyPair::Verdict::broken) broken.push_back(core::broken_text(pair));
    if (broken.empty()) continue;
    const std::string further = broken.size() > 1 ? fmt::format(", and {} further pairs", broken.size() - 1) : "";
    results.push_back({phase.name + ": preemption", "as promised", broken.front() + further, Outcome::fail});
  }
  return results;
}

constexpr std::string_view kExceeded = "limit exceeded";

// Phases that rules could not judge are named once, however many rules they had.
void add_reasons(core::Verdict& verdict, Outcome outcome) {
  for (const auto& result : verdict.rules) {
    if (result.outcome != outcome) continue;
    std::string reason =
        outcome == Outcome::fail
            ? fmt::format("{}: {} is {}, limit {}", kExceeded, result.rule, result.observed, result.limit)
            : fmt::format("not valid: {}, {}", result.rule.substr(0, result.rule.rfind(": ")), result.observed);
    if (std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) == verdict.reasons.end())
      verdict.reasons.push_back(std::move(reason));
  }
}

// What spoils a run whatever its rules are about: a meter that did not find what was planted measured nothing.
std::vector<std::string> failed_controls(const core::RunResult& run) {
  std::vector<std::string> reasons;
  for (const auto& phase : run.phases) {
    const bool skipped = phase.status == core::PhaseStatus::skipped;
    if (!phase.control || skipped) continue;
    if (const auto reason = unfit_because(phase)) reasons.push_back(phase.name + ": " + *reason);
  }
  return reasons;
}

// Controls that were left out although their meter measured. Whoever leaves one out has asked for it, so nothing
// becomes invalid by it; but a reader must know that nobody looked whether the meter finds anything.
std::vector<std::string> not_controlled(const core::RunResult& run) {
  std::map<std::string, std::string> controls;  // by the reason why they were left out
  for (const auto& control : run.phases) {
    if (!control.control || control.status != core::PhaseStatus::skipped) continue;
    const bool meter_measured = std::any_of(run.phases.begin(), run.phases.end(), [&](const core::Phase& phase) {
      return phase.kind == control.control->meter && !unfit_because(phase);
    });
    if (!meter_measured) continue;
    std::string& names = controls[control.reason];
    names += (names.empty() ? "" : ", ") + control.name;
  }
  std::vector<std::string> reasons;
  for (const auto& [reason, names] : controls) reasons.push_back(fmt::format("not controlled: {}: {}", names, reason));
  return reasons;
}

std::vector<std::string> invalid_phases(const core::RunResult& run) {
  std::vector<std::string> reasons;
  for (const auto& phase : run.phases) {
    if (phase.status == core::PhaseStatus::skipped) continue;  // said in its own section: it cannot run here
    if (const auto reason = unfit_because(phase)) reasons.push_back(phase.name + ": " + *reason);
  }
  return reasons;
}

// The phases that a stopped run did not come to are nowhere in it, so no rule misses them.
std::optional<std::string> incomplete_because(const core::RunResult& run) {
  switch (run.state) {
    case core::RunResult::State::complete:
      return std::nullopt;
    case core::RunResult::State::interrupted:
      return "the run was interrupted: what it did not come to is missing";
    case core::RunResult::State::running:
      return "the run is still running, or was killed: what it did not come to is missing";
  }
  return std::nullopt;
}

bool any(const std::vector<core::RuleResult>& rules, Outcome outcome) {
  return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.outcome == outcome; });
}

bool anything_measured(const core::RunResult& run) {
  return std::any_of(run.phases.begin(), run.phases.end(),
                     [](const core::Phase& phase) { return core::kind_of(phase).measures && !unfit_because(phase); });
}

}  // namespace

core::Verdict judge(const core::RunResult& run, const std::vector<Rule>& rules) {
  using Kind = core::Verdict::Kind;
  core::Verdict verdict;
  verdict.not_comparable = run.verdict.not_comparable;
  for (const Rule& rule : rules) {
    const std::vector<core::RuleResult> judged = judge_rule(run, rule);
    verdict.rules.insert(verdict.rules.end(), judged.begin(), judged.end());
  }
  const auto broken = broken_promises(run);
  verdict.rules.insert(verdict.rules.end(), broken.begin(), broken.end());
  add_reasons(verdict, Outcome::fail);
  const auto incomplete = incomplete_because(run);
  if (incomplete) verdict.reasons.push_back(*incomplete);
  add_reasons(verdict, Outcome::invalid);

  auto spoiled = rules.empty() ? invalid_phases(run) : failed_controls(run);
  if (rules.empty() && spoiled.empty() && !anything_measured(run))
    spoiled.push_back("no phase of the run measured anything");
  verdict.reasons.insert(verdict.reasons.end(), spoiled.begin(), spoiled.end());
  const auto uncontrolled = not_controlled(run);
  verdict.reasons.insert(verdict.reasons.end(), uncontrolled.begin(), uncontrolled.end());

  if (any(verdict.rules, Outcome::fail)) {
    verdict.kind = Kind::fail;
  } else if (any(verdict.rules, Outcome::invalid) || !spoiled.empty() || incomplete) {
    verdict.kind = Kind::invalid;
  } else if (verdict.rules.empty()) {
    verdict.kind = Kind::not_gated;
    verdict.reasons.push_back("no limits were given: the figures stand, nothing was judged");
  } else {
    verdict.kind = Kind::pass;
    verdict.reasons.push_back(fmt::format("{} rule{} met", verdict.rules.size(), verdict.rules.size() == 1 ? "" : "s"));
  }
  return verdict;
}

bool tells_a_limit(const std::string& reason) {
  return reason.starts_with(kExceeded);
}

core::Exit exit_status(const core::Verdict& verdict) {
  switch (verdict.kind) {
    case core::Verdict::Kind::pass:
    case core::Verdict::Kind::not_gated:
      return core::Exit::pass;
    case core::Verdict::Kind::fail:
      return core::Exit::limit_exceeded;
    case core::Verdict::Kind::invalid:
      return core::Exit::invalid;
  }
  return core::Exit::invalid;
}

}  // namespace maxlat::reports
