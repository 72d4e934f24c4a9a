// SPDX-License-Identifier: MIT
//
// How often samples lie above a time: of an hour of CPU time watched, or of a million samples, of the worst CPU. An
// observed rate above the limit exceeds it. Samples of a bin that the time falls into count as above it, and so do
// those beyond the histogram.
//
// A rate within its limit is only shown by a run that was long enough. With none above in n samples the rate may still
// be 3/n (rule of three, Hanley 1983), so the limit must allow three in what was watched; with three above, nearly
// eight. What so many let expect is exact (core/stats/exceedance.hpp), the same as `maxlat plan-length` says it.
#include <fmt/format.h>

#include <maxlat/core/stats/exceedance.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <optional>

#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

constexpr std::string_view kAbove = "above_", kPerHour = "_per_h", kPerMillion = "_ppm";
constexpr double kHour_s = 3600, kMillion = 1e6;

// "above_50us_per_h" -> 50000
std::optional<double> threshold_ns(std::string_view name, std::string_view suffix) {
  if (!name.starts_with(kAbove) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(kAbove.size());
  if (name.size() <= suffix.size()) return std::nullopt;
  const auto ns = core::parse_duration_ns(name.substr(0, name.size() - suffix.size()), core::kUnitNeeded);
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns);
}

// Of so many samples above the time in what was watched: hours, or millions of samples. `at_most`: that many let expect
// no more in it.
Observation rate_observed(uint64_t above, double watched, double at_most, std::string note, const Rule& rule) {
  Observation observed{.value = static_cast<double>(above) / watched, .note = std::move(note)};
  const double least = above == 0 ? kRuleOfThree : at_most;
  if (rule.limit * watched < least)
    observed.not_shown = fmt::format("the run is too short: it shows no rate below {:.4g}", least / watched);
  return observed;
}

// Nothing where there is no histogram to count in.
std::optional<uint64_t> count_above(const core::CpuResult& cpu, const Rule& rule, std::string_view suffix) {
  const double threshold = *threshold_ns(rule.metric, suffix);
  if (cpu.bins.empty() && cpu.max_ns > threshold) return std::nullopt;
  return core::samples_above(cpu, threshold);
}

constexpr const char* kNoHistogram = "there is no histogram to count in";

Observation of_an_hour(const core::CpuResult& cpu, const Rule& rule) {
  const auto above = count_above(cpu, rule, kPerHour);
  if (!above) return {.not_measured = kNoHistogram};
  if (!(cpu.exposure_s > 0)) return {.not_measured = "nobody told how long it watched"};
  return rate_observed(*above, cpu.exposure_s / kHour_s, core::events_below(*above, kRuleOfThreeConfidence),
                       fmt::format("{} in {:.4g} s", *above, cpu.exposure_s), rule);
}

Observation of_a_million(const core::CpuResult& cpu, const Rule& rule) {
  const auto above = count_above(cpu, rule, kPerMillion);
  if (!above) return {.not_measured = kNoHistogram};
  const auto samples = static_cast<double>(cpu.samples);
  return rate_observed(*above, samples / kMillion,
                       samples * core::share_below(*above, cpu.samples, kRuleOfThreeConfidence),
                       fmt::format("{} of {} samples", *above, cpu.samples), rule);
}

}  // namespace

extern const MetricDefinition kRatePerHourMetric{
    .name = "above_TIME_per_h",
    .unit = MetricUnit::number,
    .help = "samples above TIME (above_50us_per_h) in an hour of CPU time: at most so many",
    .has_name = [](std::string_view name) { return threshold_ns(name, kPerHour).has_value(); },
    .begins_with = kAbove,
    .of_cpu = of_an_hour,
    .needs_samples_from_ns = [](std::string_view metric) { return *threshold_ns(metric, kPerHour); },
};

extern const MetricDefinition kRatePerMillionMetric{
    .name = "above_TIME_ppm",
    .unit = MetricUnit::number,
    .help = "samples above TIME (above_50us_ppm) of a million: at most so many",
    .has_name = [](std::string_view name) { return threshold_ns(name, kPerMillion).has_value(); },
    .begins_with = kAbove,
    .of_cpu = of_a_million,
    .needs_samples_from_ns = [](std::string_view) { return 0.0; },
};

}  // namespace maxlat::reports
