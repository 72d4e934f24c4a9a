// SPDX-License-Identifier: MIT
//
// How a verdict is reached. A gate that cannot fail is worse than none, so each way of not having measured is
// "invalid", never "pass".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/reports/gate.hpp>
#include <optional>

#include "../view/phase_view.hpp"
#include "judge_baseline.hpp"
#include "judge_rule.hpp"
#include "waivers.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

bool may_be_invalid(const Gate& gate, const std::string& phase, const std::string& kind) {
  return std::any_of(gate.may_be_invalid.begin(), gate.may_be_invalid.end(),
                     [&](const std::string& name) { return name == phase || name == kind; });
}

constexpr const char* kLetBeInvalid = "the gate lets it be invalid";

void make_warning(JudgedRule& row) {
  row.result.outcome = Outcome::warning;
  row.result.note = kLetBeInvalid;
}

// A preemption test has limits of its own: what the kernel promises. Nobody has to ask for them. One that was seen to
// be broken is broken, whatever the rest of the phase could not show.
std::vector<JudgedRule> broken_promises(const core::RunResult& run) {
  std::vector<JudgedRule> results;
  for (const auto& phase : run.phases) {
    std::vector<std::string> broken;
    for (const auto& pair : phase.pairs)
      if (pair.verdict() == core::PolicyPair::Verdict::broken) broken.push_back(core::broken_text(pair));
    if (broken.empty()) continue;
    const std::string further = broken.size() > 1 ? fmt::format(", and {} further pairs", broken.size() - 1) : "";
    results.push_back({.result = {.rule = phase.name + ": preemption",
                                  .limit = "as promised",
                                  .observed = broken.front() + further,
                                  .outcome = Outcome::fail},
                       .phase = phase.name,
                       .kind = phase.kind,
                       .metric = "preemption"});
  }
  return results;
}

// A measurement that ended at a sample above the limit it was given itself (npt -b), which nobody has to give again.
std::vector<JudgedRule> exceeded_limits_of_its_own(const core::RunResult& run, const Gate& gate) {
  std::vector<JudgedRule> results;
  for (const core::Phase& phase : run.phases) {
    const auto found = phase.facts.find(core::fact::kBreak);
    if (found == phase.facts.end()) continue;
    const auto limit = phase.facts.find(core::fact::kLimit);
    const auto unfit = unfit_because(phase);
    results.push_back({.result = {.rule = phase.name + ": limit of its own",
                                  .limit = limit == phase.facts.end() ? "that of the run" : "<= " + limit->second,
                                  .observed = unfit ? "not measured: " + *unfit : found->second,
                                  .outcome = unfit ? Outcome::invalid : Outcome::fail},
                       .phase = phase.name,
                       .kind = phase.kind,
                       .metric = "max_ns",
                       .value = merge_cpus(phase).max_ns});
    if (unfit && may_be_invalid(gate, phase.name, phase.kind)) make_warning(results.back());
  }
  return results;
}

constexpr std::string_view kEarlierVerdict = "run: earlier verdict";

// A failure that nothing in the result can find again (maxlat hwlat --hardlimit): what is asked later does not undo it.
std::vector<JudgedRule> failed_before(const core::RunResult& run) {
  const core::Verdict& before = run.verdict;
  if (before.kind != core::Verdict::Kind::fail) return {};
  const auto kept = std::find_if(before.rules.begin(), before.rules.end(),
                                 [](const auto& rule) { return rule.rule == kEarlierVerdict; });
  core::RuleResult result{
      .rule = std::string(kEarlierVerdict), .limit = "no fail", .observed = {}, .outcome = Outcome::fail};
  if (kept != before.rules.end())
    result = *kept;
  else if (!run.plan_text.empty() || !run.gate_text.empty())
    return {};  // they judge it again
  else
    result.observed =
        fmt::format("fail, by {}{}", run.tool, before.reasons.empty() ? "" : ": " + before.reasons.front());
  return {{.result = std::move(result), .phase = {}, .kind = {}, .metric = "verdict"}};
}

// Phases that rules could not judge are named once, however many rules they had. What a phase does not show is of one
// rule, and that is named.
std::string reason_of(const core::RuleResult& result) {
  if (result.outcome == Outcome::fail)
    return fmt::format("limit exceeded: {} is {}, limit {}", result.rule, result.observed, result.limit);
  const bool of_the_rule = result.observed.starts_with(kNotShown);
  return fmt::format("not valid: {}, {}", of_the_rule ? result.rule : result.rule.substr(0, result.rule.rfind(": ")),
                     result.observed);
}

void add_reasons(core::Verdict& verdict, Outcome outcome) {
  for (const auto& result : verdict.rules) {
    if (result.outcome != outcome) continue;
    std::string reason = reason_of(result);
    if (std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) == verdict.reasons.end())
      verdict.reasons.push_back(std::move(reason));
  }
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

bool any(const std::vector<core::RuleResult>& rules, Outcome outcome) {
  return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.outcome == outcome; });
}

bool anything_measured(const core::RunResult& run) {
  return std::any_of(run.phases.begin(), run.phases.end(),
                     [](const core::Phase& phase) { return core::kind_of(phase).measures && !unfit_because(phase); });
}

// Soft limits that were exceeded, each with what became of it.
void add_warnings(core::Verdict& verdict) {
  for (const core::RuleResult& rule : verdict.rules)
    if (rule.outcome == Outcome::warning)
      verdict.reasons.push_back(
          fmt::format("warning: {} is {}, limit {}: {}", rule.rule, rule.observed, rule.limit, rule.note));
}

// Of a rule about all phases, those that the gate lets be invalid are warnings, as long as another is left: a limit
// that no phase has to keep is no limit.
void let_be_invalid(const core::RunResult& run, const Gate& gate, std::vector<JudgedRule>& rows) {
  const auto is_let = [&](const JudgedRule& row) {
    return may_be_invalid(gate, row.phase, row.kind) &&
           std::any_of(run.phases.begin(), run.phases.end(),
                       [&](const core::Phase& phase) { return phase.name == row.phase && unfit_because(phase); });
  };
  if (std::all_of(rows.begin(), rows.end(), is_let)) return;
  for (JudgedRule& row : rows)
    if (is_let(row)) make_warning(row);
}

// Phases that are not valid, and that none of the rows is about.
std::vector<JudgedRule> unasked_phases(const core::RunResult& run, const Gate& gate,
                                       const std::vector<JudgedRule>& rows) {
  std::vector<JudgedRule> unasked;
  for (const core::Phase& phase : run.phases) {
    if (phase.status == core::PhaseStatus::skipped || phase.control) continue;  // a control spoils the whole run
    const auto unfit = unfit_because(phase);
    const bool asked =
        std::any_of(rows.begin(), rows.end(), [&](const JudgedRule& row) { return row.phase == phase.name; });
    if (!unfit || asked) continue;
    const bool let = may_be_invalid(gate, phase.name, phase.kind);
    const bool of_a_tracer = core::kind_of(phase).measures && !is_of_the_box(phase);
    unasked.push_back({.result = {.rule = phase.name + ": is valid",
                                  .limit = "valid",
                                  .observed = "not measured: " + *unfit,
                                  .outcome = let || of_a_tracer ? Outcome::warning : Outcome::invalid,
                                  .note = let           ? kLetBeInvalid
                                          : of_a_tracer ? "no rule is about this tracer"
                                                        : ""},
                       .phase = phase.name,
                       .kind = phase.kind,
                       .metric = "valid"});
  }
  return unasked;
}

// Names that a gate lets be invalid, and that no phase has: a typing error would be found on the bad day only.
std::vector<std::string> let_for_nothing(const core::RunResult& run, const Gate& gate) {
  std::vector<std::string> told;
  for (const std::string& name : gate.may_be_invalid)
    if (!has_phase(run, name)) told.push_back(fmt::format("may_be_invalid names '{}', {}", name, no_such_phase(run)));
  return told;
}

std::vector<JudgedRule> judge_rules(const core::RunResult& run, const Gate& gate) {
  std::vector<JudgedRule> all;
  const auto add = [&](std::vector<JudgedRule> judged) { all.insert(all.end(), judged.begin(), judged.end()); };
  const auto add_of = [&](std::vector<JudgedRule> judged, bool of_all_phases) {
    if (of_all_phases) let_be_invalid(run, gate, judged);
    add(std::move(judged));
  };
  for (const Rule& rule : gate.rules) add_of(judge_rule(run, rule), rule.phase == "*");
  if (gate.baseline)
    add_of(judge_baseline(run, *gate.baseline), gate.baseline->phases == std::vector<std::string>{"*"});
  const size_t asked = all.size();
  add(broken_promises(run));
  add(exceeded_limits_of_its_own(run, gate));
  if (all.size() == asked) add(failed_before(run));  // else one of these is why
  if (asked > 0) add(unasked_phases(run, gate, all));
  return all;
}

}  // namespace

std::vector<std::string> spoiled_by(const core::RunResult& run, bool has_rules) {
  std::vector<std::string> reasons;
  if (const auto incomplete = incomplete_because(run)) reasons.push_back(*incomplete);
  const std::vector<std::string> invalid = has_rules ? failed_controls(run) : invalid_phases(run);
  reasons.insert(reasons.end(), invalid.begin(), invalid.end());
  if (!has_rules && reasons.empty() && !anything_measured(run))
    reasons.push_back("no phase of the run measured anything");
  return reasons;
}

core::Verdict judge(const core::RunResult& run, const Gate& gate, const std::string& today) {
  using Kind = core::Verdict::Kind;
  core::Verdict verdict;
  verdict.not_comparable = run.verdict.not_comparable;
  std::vector<JudgedRule> judged = judge_rules(run, gate);
  const std::vector<std::string> waived = apply_waivers(gate.waivers, run, today, judged);
  for (const JudgedRule& rule : judged) verdict.rules.push_back(rule.result);
  const auto tell = [&](const std::vector<std::string>& reasons) {
    verdict.reasons.insert(verdict.reasons.end(), reasons.begin(), reasons.end());
  };
  add_reasons(verdict, Outcome::fail);
  const std::vector<std::string> spoiled = spoiled_by(run, !gate.rules.empty() || gate.baseline);
  tell(spoiled);
  add_reasons(verdict, Outcome::invalid);
  tell(waived);
  tell(let_for_nothing(run, gate));
  add_warnings(verdict);
  tell(not_controlled(run));
  if (gate.baseline) tell(told_differences(run, *gate.baseline));

  if (any(verdict.rules, Outcome::fail)) {
    verdict.kind = Kind::fail;
  } else if (any(verdict.rules, Outcome::invalid) || !spoiled.empty()) {
    verdict.kind = Kind::invalid;
  } else if (verdict.rules.empty()) {
    verdict.kind = Kind::not_gated;
    verdict.reasons.push_back("no limits were given: the figures stand, nothing was judged");
  } else {
    verdict.kind = Kind::pass;
    const auto met = std::count_if(verdict.rules.begin(), verdict.rules.end(),
                                   [](const auto& rule) { return rule.outcome == Outcome::pass; });
    verdict.reasons.push_back(fmt::format("{} rule{} met", met, met == 1 ? "" : "s"));
  }
  return verdict;
}

core::Verdict judge(const core::RunResult& run, const std::vector<Rule>& rules) {
  return judge(run, Gate{.name = {}, .rules = rules}, today_utc());
}

std::string today_utc() {
  return core::utc_text().substr(0, 10);
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
