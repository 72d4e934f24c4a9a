// SPDX-License-Identifier: MIT
//
// What a tracer adds to a measure of the loop: the median difference of the rounds of its arm from those of the base
// arm (core/stats/comparison.hpp), with its 95 % interval. Wholly above the limit it exceeds it, wholly within it
// keeps it; in between, neither was shown, because a difference that may be noise is no failure and no pass.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

constexpr std::string_view kAdded = "added_";
constexpr std::array<std::string_view, 6> kMeasures = {"mean", "p50", "p99.9", "p99.99", "p99.9999", "max"};

bool names_what_is_added(std::string_view name) {
  return name.starts_with(kAdded) &&
         std::find(kMeasures.begin(), kMeasures.end(), name.substr(kAdded.size())) != kMeasures.end();
}

const core::Comparison* comparison_of(const core::RunResult& run, const core::Phase& phase) {
  for (const core::Comparison& comparison : run.comparisons)
    if (!phase.comparison.empty() && comparison.name == phase.comparison && comparison.arm == phase.arm &&
        comparison.gaps == phase.gaps && !comparison.beside)
      return &comparison;
  return nullptr;
}

std::string signed_time(double ns) {
  return (ns < 0 ? "-" : "") + core::latency_text(ns < 0 ? -ns : ns);
}

Observation difference_observed(const core::MeasureDifference& measure, const core::Comparison& comparison,
                                const Rule& rule) {
  using Verdict = core::MeasureDifference::Verdict;
  if (measure.verdict == Verdict::not_measured) return {.not_measured = "too few samples in a round"};
  if (measure.verdict == Verdict::undecided)
    return {.not_measured = fmt::format("{} rounds, {} are needed", comparison.rounds, comparison.rounds_needed)};
  const auto& [low, high] = measure.interval_ns;
  Observation observed{.value = low, .at_most = high};  // at least so much is added
  observed.text = fmt::format("{} ({} to {} at 95 %, over {})", signed_time(measure.difference_ns), signed_time(low),
                              signed_time(high), comparison.base);
  if (high > rule.limit) observed.not_shown = "the interval reaches beyond the limit: more rounds may tell";
  return observed;
}

Observation added_observed(const core::RunResult& run, const core::Phase& phase, const Rule& rule) {
  const core::Comparison* comparison = comparison_of(run, phase);
  if (comparison == nullptr) return {.not_measured = "the phase is no arm that is compared with a base"};
  const std::string name = rule.metric.substr(kAdded.size(), rule.metric.rfind('_') - kAdded.size());
  for (const core::MeasureDifference& measure : comparison->measures)
    if (measure.measure == name) return difference_observed(measure, *comparison, rule);
  return {.not_measured = "the comparison has no " + name};
}

}  // namespace

extern const MetricDefinition kAddedMetric{
    .name = "added_MEASURE",
    .help = "what a tracer adds to mean, p50, p99.9, p99.99, p99.9999 or max (added_p99.99)",
    .has_name = names_what_is_added,
    .begins_with = kAdded,
    .of_phase = added_observed,
    .concerns = [](const core::RunResult& run,
                   const core::Phase& phase) { return comparison_of(run, phase) != nullptr; },
    .nowhere = "no phase of the run is an arm that is compared with a base",
};

}  // namespace maxlat::reports
