// SPDX-License-Identifier: MIT
#include "judge_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <maxlat/core/machine/machine_difference.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <optional>

#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

bool must_be_the_same(const std::string& group, const Baseline& baseline) {
  const auto& may = baseline.may_differ;
  return std::find(kMustBeTheSame.begin(), kMustBeTheSame.end(), group) != kMustBeTheSame.end() &&
         std::find(may.begin(), may.end(), group) == may.end();
}

// A run is no baseline of itself, and does not repeat itself.
std::optional<std::string> same_run(const core::RunResult& run, const Baseline& baseline) {
  for (size_t i = 0; i < baseline.runs.size(); ++i) {
    const Baseline::Run& earlier = baseline.runs[i];
    if (earlier.run.id == run.id) return earlier.path + " is the run that is judged";
    for (size_t j = 0; j < i; ++j)
      if (earlier.run.id == baseline.runs[j].run.id)
        return fmt::format("{} and {} are the same run", baseline.runs[j].path, earlier.path);
  }
  return std::nullopt;
}

// In what must be the same and is not: every group, with its values. Nothing: it is of the same machine.
std::string other_machine_text(const core::RunResult& run, const core::RunResult& earlier, const Baseline& baseline) {
  if (earlier.machine.empty()) return "its machine is not told";
  std::string text;
  for (const auto& difference : core::machine_differences(run.machine, earlier.machine))
    if (must_be_the_same(difference.group, baseline))
      text += (text.empty() ? "another machine or setting: " : "; ") + core::with_all_values(difference);
  return text;
}

// Why the machines do not compare, of all runs of the baseline. Runs that differ in the same are told together.
std::optional<std::string> other_machine(const core::RunResult& run, const Baseline& baseline) {
  if (run.machine.empty()) return "the run does not tell its machine";
  std::vector<std::pair<std::string, std::string>> differences;  // why, and the runs that it is of
  for (const Baseline::Run& earlier : baseline.runs) {
    const std::string why = other_machine_text(run, earlier.run, baseline);
    if (why.empty()) continue;
    const auto known =
        std::find_if(differences.begin(), differences.end(), [&](const auto& one) { return one.first == why; });
    if (known == differences.end())
      differences.emplace_back(why, earlier.path);
    else
      known->second += ", " + earlier.path;
  }
  std::string text;
  for (const auto& [why, runs] : differences) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", runs, why);
  return text.empty() ? std::nullopt : std::optional(text);
}

// The baseline's figures of one metric in one phase, or why there are none to compare with.
struct Earlier {
  std::vector<double> values;
  double resolution = 0;
  std::string not_comparable;
};

Earlier earlier_values(const core::Phase& here, const MetricDefinition& metric, const Rule& rule,
                       const Baseline& baseline) {
  Earlier earlier;
  const auto refuse = [&](const Baseline::Run& run, const std::string& why) {
    earlier.not_comparable = fmt::format("{}: {}", run.path, why);
    return earlier;
  };
  for (const Baseline::Run& old : baseline.runs) {
    if (const auto incomplete = incomplete_because(old.run)) return refuse(old, *incomplete);
    if (const auto controls = failed_controls(old.run); !controls.empty()) return refuse(old, controls.front());
    const auto& phases = old.run.phases;
    const auto there =
        std::find_if(phases.begin(), phases.end(), [&](const auto& phase) { return phase.name == here.name; });
    if (there == phases.end()) return refuse(old, "the baseline has no such phase");
    if (const auto why = ends_at_a_limit(*there)) return refuse(old, *why);
    if (const auto other = measured_otherwise(here, *there)) return refuse(old, "not measured alike, " + *other);
    if (rule.metric == "max_ns" && !watched_alike(here, *there))
      return refuse(old, fmt::format("watched {:.4g} s, the baseline {:.4g} s: maxima of such times do not compare",
                                     here.exposure_s, there->exposure_s));
    const Seen seen = seen_in(old.run, *there, metric, rule);
    const Observation& observed = seen.observation;
    if (!observed.not_measured.empty()) return refuse(old, "not measured there: " + observed.not_measured);
    if (!observed.not_shown.empty()) return refuse(old, "not shown there: " + observed.not_shown);
    earlier.values.push_back(observed.value);
    earlier.resolution =
        std::max(earlier.resolution, (seen.cpu == nullptr ? 0 : resolution_at(*seen.cpu, observed.value)));
  }
  return earlier;
}

struct Allowed {
  double limit = 0;
  std::string text;
};

Allowed allowed_by(Earlier earlier, double ratio) {
  const double base = core::median(earlier.values);
  const bool series = earlier.values.size() > 1;
  const double noise = series ? core::middle_95(earlier.values).high - base : earlier.resolution;
  Allowed allowed{.limit = std::max(base * ratio, base + noise), .text = {}};
  // What decides: the ratio, or noise where that is more.
  const std::string by = base * ratio >= base + noise
                             ? fmt::format("{:.4g} x {}", ratio, core::latency_text(base))
                             : fmt::format("{} + noise {}", core::latency_text(base), core::latency_text(noise));
  allowed.text = fmt::format("<= {:.3f} ns ({}, {})", allowed.limit, by,
                             series ? fmt::format("{} runs", earlier.values.size()) : "1 run");
  return allowed;
}

JudgedRule judge_against(const core::RunResult& run, const core::Phase& phase, const std::string& metric_name,
                         double ratio, const Baseline& baseline, const std::optional<std::string>& other) {
  const MetricDefinition& metric = *find_metric(metric_name);
  // No limit is asked about: what lies below a meter's threshold is at most that, here and in the baseline.
  const Rule rule{.phase = phase.name, .metric = metric_name, .limit = std::numeric_limits<double>::infinity()};
  JudgedRule judged{.result = {}, .phase = phase.name, .kind = phase.kind, .metric = metric_name};
  judged.result.rule = fmt::format("{}: {} (baseline)", phase.name, metric_name);
  judged.result.limit = fmt::format("{:.4g} x the baseline", ratio);
  const Seen seen = seen_in(run, phase, metric, rule);
  const Observation& observed = seen.observation;
  if (!observed.not_measured.empty()) {
    judged.result.observed = "not measured: " + observed.not_measured;
    return judged;
  }
  Earlier earlier;
  if (!other) earlier = earlier_values(phase, metric, rule, baseline);
  if (const std::string why = other.value_or(earlier.not_comparable); !why.empty()) {
    judged.result.observed = "not comparable with the baseline: " + why;
    return judged;
  }
  earlier.resolution =
      std::max(earlier.resolution, (seen.cpu == nullptr ? 0 : resolution_at(*seen.cpu, observed.value)));
  const Allowed allowed = allowed_by(std::move(earlier), ratio);
  judged.result.limit = allowed.text;
  judged.value = observed.value;
  judged.result.observed = seen_text(metric, phase, seen);
  judged.result.outcome = observed.value > allowed.limit ? Outcome::fail : Outcome::pass;
  if (judged.result.outcome == Outcome::pass && !observed.not_shown.empty()) {
    judged.result.observed = fmt::format("{}: {}; {}", kNotShown, judged.result.observed, observed.not_shown);
    judged.result.outcome = Outcome::invalid;
  }
  return judged;
}

JudgedRule no_phase_to_compare(const std::string& wanted, const std::string& metric, double ratio) {
  return {.result = {.rule = fmt::format("{}: {} (baseline)", wanted == "*" ? "any phase" : wanted, metric),
                     .limit = fmt::format("{:.4g} x the baseline", ratio),
                     .observed = "not measured: no such phase in the run"},
          .phase = {},
          .kind = {},
          .metric = metric};
}

}  // namespace

std::vector<JudgedRule> judge_baseline(const core::RunResult& run, const Baseline& baseline) {
  std::optional<std::string> other = same_run(run, baseline);
  if (!other) other = other_machine(run, baseline);
  std::vector<JudgedRule> judged;
  for (const auto& [name, ratio] : baseline.ratios) {
    std::vector<const core::Phase*> done;  // a list may mean one phase twice, by name and by kind
    for (const std::string& wanted : baseline.phases) {
      const auto phases = phases_of(run, *find_metric(name), wanted);
      for (const core::Phase* phase : phases) {
        if (std::find(done.begin(), done.end(), phase) != done.end()) continue;
        done.push_back(phase);
        judged.push_back(judge_against(run, *phase, name, ratio, baseline, other));
      }
      if (phases.empty()) judged.push_back(no_phase_to_compare(wanted, name, ratio));
    }
  }
  return judged;
}

std::vector<std::string> told_differences(const core::RunResult& run, const Baseline& baseline) {
  std::vector<std::pair<std::string, std::vector<std::string>>> differences;  // each once, with the runs that have it
  for (const Baseline::Run& earlier : baseline.runs) {
    if (run.machine.empty() || earlier.run.machine.empty()) continue;
    for (const auto& difference : core::machine_differences(run.machine, earlier.run.machine)) {
      if (must_be_the_same(difference.group, baseline)) continue;
      const std::string text = core::to_string(difference);
      auto known =
          std::find_if(differences.begin(), differences.end(), [&](const auto& one) { return one.first == text; });
      if (known == differences.end()) known = differences.insert(known, {text, {}});
      known->second.push_back(earlier.path);
    }
  }
  std::vector<std::string> told;
  for (const auto& [text, runs] : differences) {
    const std::string which = runs.size() == 1 ? runs.front() : fmt::format("{} runs of the baseline", runs.size());
    told.push_back(fmt::format("differs from {}: {}", which, text));
  }
  return told;
}

}  // namespace maxlat::reports
