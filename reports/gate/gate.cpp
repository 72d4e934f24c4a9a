// SPDX-License-Identifier: MIT
//
// How a verdict is reached. A gate that cannot fail is worse than none (others have gated on the mean,
// and passed while the tail grew), so each rule looks at the worst CPU, never at an average of CPUs, and each way of
// not having measured is "invalid", never "pass".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/gate.hpp>
#include <optional>

#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

// "p99.99_ns" -> 0.9999; nothing for what is no quantile between p0 and p100.
std::optional<double> quantile_level(std::string_view metric) {
  if (!metric.starts_with('p') || !metric.ends_with("_ns")) return std::nullopt;
  const std::string_view digits = metric.substr(1, metric.size() - 4);
  double percent = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), percent, std::chars_format::fixed);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (!(percent > 0 && percent <= 100)) return std::nullopt;
  return percent / 100;
}

bool is_latency(std::string_view metric) {
  return metric == "max_ns" || metric == "mean_ns" || quantile_level(metric).has_value();
}

double latency_of(const core::CpuResult& cpu, std::string_view metric) {
  if (metric == "max_ns") return cpu.max_ns;
  if (metric == "mean_ns") return cpu.mean_ns;
  return core::quantile_of(cpu, *quantile_level(metric));
}

// The maximum is judged where there are too few samples for the quantile: a reader must know that it is.
std::string stands_in(const core::CpuResult& cpu, std::string_view metric) {
  const auto level = quantile_level(metric);
  if (!level || *level == 1 || core::is_measured(*level, cpu.samples)) return {};
  return "; the maximum: too few samples";
}

// Three decimals at most, as few as say the same: ticks make figures like 2904.615384615.
std::string plain(double number) {
  std::string text = fmt::format("{:.3f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string limit_text(const Rule& rule) {
  if (rule.metric == "exposure_s") return fmt::format(">= {} s", plain(rule.limit));
  if (rule.metric == "load_alive") return "alive";
  return fmt::format("<= {} ns ({})", plain(rule.limit), core::latency_text(rule.limit));
}

core::RuleResult judge_latency(const core::Phase& phase, const Rule& rule, core::RuleResult result) {
  const core::CpuResult* worst = nullptr;
  double observed = 0;
  for (const auto& cpu : phase.per_cpu) {
    const double value = latency_of(cpu, rule.metric);
    if (worst == nullptr || !(value <= observed)) {
      worst = &cpu;
      observed = value;
    }
  }
  result.observed = fmt::format("{} ns ({}, CPU {}{}{})", plain(observed), core::latency_text(observed), worst->cpu,
                                core::is_upper_bound(phase) ? ", an upper bound" : "", stands_in(*worst, rule.metric));
  result.outcome = observed <= rule.limit ? Outcome::pass : Outcome::fail;
  return result;
}

core::RuleResult judge_phase(const core::Phase& phase, const Rule& rule) {
  core::RuleResult result;
  result.rule = phase.name + ": " + rule.metric;
  result.limit = limit_text(rule);
  if (const auto reason = unfit_because(phase)) {
    result.observed = "not measured: " + *reason;
  } else if (rule.metric == "load_alive") {
    result.observed = phase.load.empty() ? "not measured: the phase has no load" : "alive";
    result.outcome = phase.load.empty() ? Outcome::invalid : Outcome::pass;
  } else if (!core::kind_of(phase).measures) {
    result.observed = fmt::format("not measured: a {} phase takes no samples", phase.kind);
  } else if (rule.metric == "exposure_s") {
    result.observed = fmt::format("{} s", plain(phase.exposure_s));
    result.outcome = phase.exposure_s >= rule.limit ? Outcome::pass : Outcome::fail;
  } else {
    result = judge_latency(phase, rule, std::move(result));
  }
  return result;
}

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

// The phases a rule is about. A name wins over a kind. A rule on loads that names no single phase is about those phases
// that have one.
std::vector<const core::Phase*> phases_of(const core::RunResult& run, const Rule& rule) {
  std::vector<const core::Phase*> named, of_kind;
  for (const auto& phase : run.phases) {
    if (phase.name == rule.phase) named.push_back(&phase);
    if (rule.metric == "load_alive" && phase.load.empty()) continue;
    const bool meant =
        rule.phase == "*" ? rule.metric == "load_alive" || is_of_the_box(phase) : phase.kind == rule.phase;
    if (meant) of_kind.push_back(&phase);
  }
  return named.empty() ? of_kind : named;
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

core::Result<Rule> make_rule(const std::string& phase, const std::string& metric, double limit) {
  if (!is_latency(metric) && metric != "exposure_s" && metric != "load_alive") {
    return core::Error{fmt::format("unknown metric '{}'", metric),
                       "metrics are max_ns, mean_ns, p1_ns .. p99.9999_ns, p100_ns, exposure_s and load_alive"};
  }
  if (!std::isfinite(limit) || limit < 0) {
    return core::Error{fmt::format("limit of {} is {}, not a number from 0", metric, limit)};
  }
  if (phase.empty()) return core::Error{"a rule needs the name or kind of a phase, or '*' for every one that measures"};
  return Rule{phase, metric, metric == "load_alive" ? 1 : limit};
}

// Each kind and name once, in the run's order.
static std::string phases_there(const core::RunResult& run) {
  std::vector<std::string> names;
  for (const auto& phase : run.phases)
    for (const auto& name : {phase.name, phase.kind})
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "; it has " : ", ") + name;
  return text;
}

core::Verdict judge(const core::RunResult& run, const std::vector<Rule>& rules) {
  using Kind = core::Verdict::Kind;
  core::Verdict verdict;
  verdict.not_comparable = run.verdict.not_comparable;
  for (const auto& rule : rules) {
    const auto phases = phases_of(run, rule);
    for (const auto* phase : phases) verdict.rules.push_back(judge_phase(*phase, rule));
    if (phases.empty()) {
      const bool any = rule.phase == "*";
      verdict.rules.push_back(
          {(any ? "any phase" : rule.phase) + ": " + rule.metric, limit_text(rule),
           any ? rule.metric == "load_alive"
                     ? "not measured: no phase of the run has a load"
                     : "not measured: no phase of the run measures the box; arms of tracers are judged by name"
               : "not measured: no such phase in the run" + phases_there(run)});
    }
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
