// SPDX-License-Identifier: MIT
//
// Whether the machine was set up as it must be: all settings of the pre-flight table, or one of them. What could not be
// read is unknown, and never passes.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

using Seen = core::SettingObservation::Verdict;

constexpr std::string_view kSetting = "setting ";
constexpr std::string_view kNoPreflight = "the run has no pre-flight";

std::string settings_that_are(const core::RunResult& run, Seen verdict) {
  std::string names;
  for (const core::SettingObservation& row : run.preflight)
    if (row.verdict == verdict) names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", row.name, row.observed);
  return names;
}

Observation preflight_observed(const core::RunResult& run, const Rule&) {
  if (run.preflight.empty()) return {.not_measured = std::string(kNoPreflight)};
  const std::string bad = settings_that_are(run, Seen::bad), unknown = settings_that_are(run, Seen::unknown);
  if (!bad.empty()) return {.value = 0, .text = bad};
  if (!unknown.empty()) return {.value = 1, .text = "none is bad", .not_shown = "unknown: " + unknown};
  return {.value = 1, .text = "as expected"};
}

bool names_a_setting(std::string_view name) {
  const auto& all = core::settings();
  return name.starts_with(kSetting) && std::any_of(all.begin(), all.end(), [&](const core::Setting& setting) {
           return setting.name == name.substr(kSetting.size());
         });
}

Observation setting_observed(const core::RunResult& run, const Rule& rule) {
  const std::string_view name = std::string_view(rule.metric).substr(kSetting.size());
  for (const core::SettingObservation& row : run.preflight) {
    if (row.name != name) continue;
    const std::string observed = fmt::format("{}, expected {}", row.observed, row.expected);
    if (row.verdict == Seen::ok) return {.value = 1, .text = row.observed};
    if (row.verdict == Seen::bad) return {.value = 0, .text = observed};
    return {.not_measured = row.verdict == Seen::info ? "it has no right value" : "unknown"};
  }
  return {.not_measured = run.preflight.empty() ? std::string(kNoPreflight) : "the pre-flight does not have it"};
}

}  // namespace

extern const MetricDefinition kPreflightMetric{
    .name = "preflight_ok",
    .unit = MetricUnit::required,
    .bound = Bound::at_least,
    .wanted = "as expected",
    .help = "every setting of the pre-flight is as expected",
    .of_run = preflight_observed,
};

extern const MetricDefinition kSettingMetric{
    .name = "setting NAME",
    .unit = MetricUnit::required,
    .bound = Bound::at_least,
    .wanted = "as expected",
    .help = "one setting is (\"setting governor\"), by its name in maxlat check",
    .has_name = names_a_setting,
    .begins_with = kSetting,
    .of_run = setting_observed,
};

}  // namespace maxlat::reports
