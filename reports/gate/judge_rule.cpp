// SPDX-License-Identifier: MIT
#include "judge_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/reports/metric_definition.hpp>

#include "../view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

// "22000 ns (22.0 us, CPU 0, an upper bound; the maximum: too few samples)"
std::string observed_text(MetricUnit unit, const Observation& seen, const core::CpuResult* cpu, bool upper_bound) {
  if (!seen.text.empty()) return seen.text;
  std::string text = value_text(unit, seen.value);
  std::string beside;
  if (cpu != nullptr) beside = fmt::format(", CPU {}{}", cpu->cpu, upper_bound ? ", an upper bound" : "");
  if (!seen.note.empty()) beside += "; " + seen.note;
  if (beside.empty()) return text;
  if (!text.ends_with(')')) return fmt::format("{} ({})", text, beside.substr(2));
  text.pop_back();
  return text + beside + ")";
}

bool is_kept(const MetricDefinition& metric, double value, double limit) {
  return metric.bound == Bound::at_most ? value <= limit : value >= limit;
}

// Of two CPUs the worse is told. What is not known is worse than everything.
bool is_worse(const MetricDefinition& metric, const Observation& a, const Observation& b) {
  if (a.not_measured.empty() != b.not_measured.empty()) return !a.not_measured.empty();
  return !is_kept(metric, a.value, b.value);
}

core::RuleResult judged(const MetricDefinition& metric, const Rule& rule, const Observation& seen, std::string observed,
                        core::RuleResult result) {
  if (!seen.not_measured.empty()) {
    result.observed = "not measured: " + seen.not_measured;
  } else if (!is_kept(metric, seen.value, rule.limit)) {
    result.observed = std::move(observed);
    result.outcome = Outcome::fail;
  } else if (!seen.not_shown.empty()) {
    result.observed = fmt::format("not shown: {}; {}", observed, seen.not_shown);
  } else {
    result.observed = std::move(observed);
    result.outcome = Outcome::pass;
  }
  return result;
}

core::RuleResult judge_cpus(const MetricDefinition& metric, const core::Phase& phase, const Rule& rule,
                            core::RuleResult result) {
  const core::CpuResult* worst = nullptr;
  Observation seen;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    Observation here = metric.of_cpu(cpu, rule);
    if (worst != nullptr && !is_worse(metric, here, seen)) continue;
    worst = &cpu;
    seen = std::move(here);
  }
  const std::string observed = observed_text(metric.unit, seen, worst, core::is_upper_bound(phase));
  return judged(metric, rule, seen, observed, std::move(result));
}

core::RuleResult judge_phase(const MetricDefinition& metric, const core::Phase& phase, const Rule& rule) {
  core::RuleResult result;
  result.rule = phase.name + ": " + rule.metric;
  result.limit = limit_text(metric, rule.limit);
  if (const auto reason = unfit_because(phase)) {
    result.observed = "not measured: " + *reason;
  } else if (!metric.without_samples && !core::kind_of(phase).measures) {
    result.observed = fmt::format("not measured: a {} phase takes no samples", phase.kind);
  } else if (metric.of_cpu != nullptr) {
    return judge_cpus(metric, phase, rule, std::move(result));
  } else {
    const Observation seen = metric.of_phase(phase, rule);
    return judged(metric, rule, seen, observed_text(metric.unit, seen, nullptr, false), std::move(result));
  }
  return result;
}

// The phases a rule is about. A name wins over a kind.
std::vector<const core::Phase*> phases_of(const core::RunResult& run, const MetricDefinition& metric,
                                          const Rule& rule) {
  std::vector<const core::Phase*> named, of_kind;
  for (const core::Phase& phase : run.phases) {
    if (phase.name == rule.phase) named.push_back(&phase);
    if (metric.concerns != nullptr && !metric.concerns(phase)) continue;
    const bool meant =
        rule.phase == "*" ? metric.concerns != nullptr || is_of_the_box(phase) : phase.kind == rule.phase;
    if (meant) of_kind.push_back(&phase);
  }
  return named.empty() ? of_kind : named;
}

// Each kind and name once, in the run's order.
std::string phases_there(const core::RunResult& run) {
  std::vector<std::string> names;
  for (const auto& phase : run.phases)
    for (const auto& name : {phase.name, phase.kind})
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "; it has " : ", ") + name;
  return text;
}

core::RuleResult without_a_phase(const core::RunResult& run, const MetricDefinition& metric, const Rule& rule) {
  const bool any = rule.phase == "*";
  std::string why = "no such phase in the run" + phases_there(run);
  if (any)
    why = metric.nowhere.empty() ? "no phase of the run measures the box; arms of tracers are judged by name"
                                 : std::string(metric.nowhere);
  return {(any ? "any phase" : rule.phase) + ": " + rule.metric, limit_text(metric, rule.limit), "not measured: " + why,
          Outcome::invalid};
}

}  // namespace

std::vector<core::RuleResult> judge_rule(const core::RunResult& run, const Rule& rule) {
  const MetricDefinition& metric = *find_metric(rule.metric);
  std::vector<core::RuleResult> results;
  for (const core::Phase* phase : phases_of(run, metric, rule)) results.push_back(judge_phase(metric, *phase, rule));
  if (results.empty()) results.push_back(without_a_phase(run, metric, rule));
  return results;
}

}  // namespace maxlat::reports
