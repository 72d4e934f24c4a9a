// SPDX-License-Identifier: MIT
//
// How often samples lie above a time: of an hour of CPU time watched, or of a million samples, of the worst CPU. An
// observed rate above the limit exceeds it. Samples of a bin that the time falls into count as above it, and so do
// those beyond the histogram.
//
// A rate within its limit is only shown by a run that was long enough. With none above in n samples the rate may still
// be 3/n (rule of three, Hanley 1983), so the limit must allow three in what was watched; with three above, nearly
// eight (exceedances.hpp).
#include <fmt/format.h>

#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <optional>

#include "exceedances.hpp"

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

// Of so many samples above the time in what was watched: hours, or millions of samples. `at_most` are expected in it.
Observation rate_observed(const Exceedances& above, double watched, double at_most, const std::string& note,
                          const Rule& rule, std::string_view unit) {
  Observation observed{.value = static_cast<double>(above.samples) / watched, .note = note + above.together_text()};
  if (rule.limit * watched < at_most)
    observed.not_shown = fmt::format("the run is too short: it shows no rate below {:.4g} {}", at_most / watched, unit);
  return observed;
}

// Nothing where there is no histogram to count in.
std::optional<Exceedances> count_above(const core::CpuResult& cpu, const Rule& rule, std::string_view suffix) {
  const double threshold = *threshold_ns(rule.metric, suffix);
  if (cpu.bins.empty() && cpu.max_ns > threshold) return std::nullopt;
  return exceedances_of(cpu, threshold);
}

constexpr const char* kNoHistogram = "there is no histogram to count in";

Observation of_an_hour(const core::CpuResult& cpu, const Rule& rule) {
  const auto above = count_above(cpu, rule, kPerHour);
  if (!above) return {.not_measured = kNoHistogram};
  if (!(cpu.exposure_s > 0)) return {.not_measured = "nobody told how long it watched"};
  return rate_observed(*above, cpu.exposure_s / kHour_s, above->at_most(),
                       fmt::format("{} in {:.4g} s", above->samples, cpu.exposure_s), rule, "per hour");
}

Observation of_a_million(const core::CpuResult& cpu, const Rule& rule) {
  const auto above = count_above(cpu, rule, kPerMillion);
  if (!above) return {.not_measured = kNoHistogram};
  const auto samples = static_cast<double>(cpu.samples);
  const double at_most = above->samples == 0 ? above->at_most() : samples * above->share_at_most();
  return rate_observed(*above, samples / kMillion, at_most,
                       fmt::format("{} of {} samples", above->samples, cpu.samples), rule, "ppm");
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
