// SPDX-License-Identifier: MIT
#include "judge_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

#include "../view/phase_view.hpp"
#include "../view/stopped_together.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

bool is_kept(const MetricDefinition& metric, double value, double limit) {
  return metric.bound == Bound::at_most ? value <= limit : value >= limit;
}

// Of two CPUs the worse is told. What is not known is worse than everything.
bool is_worse(const MetricDefinition& metric, const Observation& a, const Observation& b) {
  if (a.not_measured.empty() != b.not_measured.empty()) return !a.not_measured.empty();
  return !is_kept(metric, a.value, b.value);
}

std::string rule_name(const Rule& rule) {
  return rule.metric + (rule.soft ? " (soft)" : "");
}

std::string rule_limit_text(const MetricDefinition& metric, const Rule& rule) {
  if (!rule.soft) return limit_text(metric, rule.limit);
  const std::string share =
      rule.cpus_over ? fmt::format(", of all but {:.4g} % of the CPUs", *rule.cpus_over * 100) : "";
  return fmt::format("{}{}", limit_text(metric, rule.limit), share);
}

// Beyond a soft limit: a warning, or a failure when too many CPUs are. They are counted. Nothing is concluded of the
// share that another run would have: for that, CPUs would have to be independent.
void soften(core::RuleResult& result, const MetricDefinition& metric, const Rule& rule, size_t over, size_t cpus) {
  if (!rule.soft || result.outcome != Outcome::fail) return;
  const bool beyond = metric.bound == Bound::at_most;
  result.note = cpus > 0 ? fmt::format("{} of {} CPUs {} the soft limit", over, cpus, beyond ? "are over" : "miss")
                         : fmt::format("{} the soft limit", beyond ? "over" : "misses");
  constexpr double kRounding = 1e-9;  // 0.29 of 100 CPUs is 28.999999999999996
  const bool too_many =
      rule.cpus_over && static_cast<double>(over) > *rule.cpus_over * static_cast<double>(cpus) + kRounding;
  if (!too_many) result.outcome = Outcome::warning;
}

void judge_seen(const MetricDefinition& metric, const Rule& rule, const Observation& seen, std::string observed,
                core::RuleResult& result) {
  if (!seen.not_measured.empty()) {
    result.observed = "not measured: " + seen.not_measured;
  } else if (!is_kept(metric, seen.value, rule.limit)) {
    result.observed = std::move(observed);
    result.outcome = Outcome::fail;
  } else if (!seen.not_shown.empty()) {
    result.observed = fmt::format("{}: {}; {}", kNotShown, observed, seen.not_shown);
  } else {
    result.observed = std::move(observed);
    result.outcome = Outcome::pass;
  }
}

size_t cpus_beyond(const MetricDefinition& metric, const core::Phase& phase, const Rule& rule) {
  return static_cast<size_t>(std::count_if(phase.per_cpu.begin(), phase.per_cpu.end(), [&](const auto& cpu) {
    return !is_kept(metric, metric.of_cpu(cpu, rule).value, rule.limit);
  }));
}

JudgedRule judge_phase(const core::RunResult& run, const MetricDefinition& metric, const core::Phase& phase,
                       const Rule& rule) {
  JudgedRule judged{.result = {}, .phase = phase.name, .kind = phase.kind, .metric = rule.metric};
  judged.result.rule = phase.name + ": " + rule_name(rule);
  judged.result.limit = rule_limit_text(metric, rule);
  const Seen seen = seen_in(run, phase, metric, rule);
  judged.value = seen.observation.at_most.value_or(seen.observation.value);
  judge_seen(metric, rule, seen.observation, seen_text(metric, phase, seen), judged.result);
  if (rule.soft && judged.result.outcome == Outcome::fail) {
    const size_t cpus = metric.of_cpu != nullptr ? phase.per_cpu.size() : 0;
    const size_t over = cpus > 0 ? cpus_beyond(metric, phase, rule) : 0;
    soften(judged.result, metric, rule, over, cpus);
    if (cpus > 0 && over == cpus && stopped_together(phase))
      judged.result.note += "; all of them were stopped at once, which may be one event";
  }
  return judged;
}

JudgedRule judge_run(const core::RunResult& run, const MetricDefinition& metric, const Rule& rule) {
  JudgedRule judged{.result = {}, .phase = {}, .kind = {}, .metric = rule.metric};
  judged.result.rule = "run: " + rule_name(rule);
  judged.result.limit = rule_limit_text(metric, rule);
  const Observation seen = metric.of_run(run, rule);
  judged.value = seen.value;
  judge_seen(metric, rule, seen, seen.text.empty() ? value_text(metric.unit, seen.value) : seen.text, judged.result);
  soften(judged.result, metric, rule, 0, 0);
  return judged;
}

JudgedRule without_a_phase(const core::RunResult& run, const MetricDefinition& metric, const Rule& rule) {
  const bool any = rule.phase == "*";
  std::string why = no_such_phase(run);
  if (any)
    why = metric.nowhere.empty() ? "no phase of the run measures the box; arms of tracers are judged by name"
                                 : std::string(metric.nowhere);
  return {.result = {.rule = (any ? "any phase" : rule.phase) + ": " + rule_name(rule),
                     .limit = rule_limit_text(metric, rule),
                     .observed = "not measured: " + why},
          .phase = {},
          .kind = {},
          .metric = rule.metric};
}

// Within the limit, of a measurement that a sample above another limit ended: what would have come is not known.
void doubt_early_end(const core::Phase& phase, Observation& observed) {
  const auto ended_by = phase.facts.find(core::fact::kEndedBy);
  if (ended_by != phase.facts.end() && observed.not_measured.empty() && observed.not_shown.empty())
    observed.not_shown = "it was ended by " + ended_by->second;
}

}  // namespace

bool has_phase(const core::RunResult& run, const std::string& name) {
  return std::any_of(run.phases.begin(), run.phases.end(),
                     [&](const core::Phase& phase) { return phase.name == name || phase.kind == name; });
}

std::string no_such_phase(const core::RunResult& run) {
  std::vector<std::string> names;
  for (const auto& phase : run.phases)
    for (const auto& name : {phase.name, phase.kind})
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::string text = "no such phase in the run";
  for (const auto& name : names) text += (name == names.front() ? "; it has " : ", ") + name;
  return text;
}

Seen seen_in(const core::RunResult& run, const core::Phase& phase, const MetricDefinition& metric, const Rule& rule) {
  if (const auto reason = unfit_because(phase)) return {.observation = {.not_measured = *reason}};
  if (!metric.without_samples && !core::kind_of(phase).measures)
    return {.observation = {.not_measured = fmt::format("a {} phase takes no samples", phase.kind)}};
  if (metric.needs_samples_from_ns != nullptr) {
    auto why = not_told(phase, metric.needs_samples_from_ns(rule.metric));
    if (!why) why = ends_at_a_limit(phase);
    if (why) return {.observation = {.not_measured = *std::move(why)}};
  }
  const bool may_be_doubted = metric.bound == Bound::at_most && !metric.without_samples;
  if (metric.of_cpu == nullptr) {
    Seen seen{.observation = metric.of_phase(run, phase, rule)};
    if (may_be_doubted) doubt_early_end(phase, seen.observation);
    return seen;
  }
  Seen worst;
  std::string not_shown;  // by any CPU: a limit that one of them does not show is not shown by the phase
  for (const core::CpuResult& cpu : phase.per_cpu) {
    Observation here = metric.of_cpu(cpu, rule);
    if (not_shown.empty() && !here.not_shown.empty()) not_shown = fmt::format("CPU {}: {}", cpu.cpu, here.not_shown);
    if (worst.cpu != nullptr && !is_worse(metric, here, worst.observation)) continue;
    worst = {.observation = std::move(here), .cpu = &cpu};
  }
  worst.observation.not_shown = std::move(not_shown);
  if (may_be_doubted) doubt_early_end(phase, worst.observation);
  return worst;
}

std::string seen_text(const MetricDefinition& metric, const core::Phase& phase, const Seen& seen) {
  if (!seen.observation.text.empty()) return seen.observation.text;
  std::string text = value_text(metric.unit, seen.observation.value);
  std::string beside;
  if (seen.cpu != nullptr)
    beside = fmt::format(", CPU {}{}", seen.cpu->cpu, core::is_upper_bound(phase) ? ", an upper bound" : "");
  if (!seen.observation.note.empty()) beside += "; " + seen.observation.note;
  if (beside.empty()) return text;
  if (!text.ends_with(')')) return fmt::format("{} ({})", text, beside.substr(2));
  text.pop_back();
  return text + beside + ")";
}

std::vector<const core::Phase*> phases_of(const core::RunResult& run, const MetricDefinition& metric,
                                          const std::string& wanted) {
  std::vector<const core::Phase*> named, of_kind;
  for (const core::Phase& phase : run.phases) {
    if (phase.name == wanted) named.push_back(&phase);
    if (metric.concerns != nullptr && !metric.concerns(run, phase)) continue;
    const bool meant = wanted == "*" ? metric.concerns != nullptr || is_of_the_box(phase) : phase.kind == wanted;
    if (meant) of_kind.push_back(&phase);
  }
  return named.empty() ? of_kind : named;
}

std::vector<JudgedRule> judge_rule(const core::RunResult& run, const Rule& rule) {
  const MetricDefinition& metric = *find_metric(rule.metric);
  if (metric.of_run != nullptr) return {judge_run(run, metric, rule)};
  std::vector<JudgedRule> judged;
  for (const core::Phase* phase : phases_of(run, metric, rule.phase))
    judged.push_back(judge_phase(run, metric, *phase, rule));
  if (judged.empty()) judged.push_back(without_a_phase(run, metric, rule));
  return judged;
}

}  // namespace maxlat::reports
