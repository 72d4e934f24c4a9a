// SPDX-License-Identifier: MIT
//
// Largest sample, any quantile, mean: a gate that cannot fail is worse than none (others have gated on the mean, and
// passed while the tail grew), so each is that of the worst CPU, never of an average of CPUs.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <maxlat/reports/metric_definition.hpp>
#include <optional>

#include "../view/phase_view.hpp"
#include "exceedances.hpp"

namespace maxlat::reports {
namespace {

// "p99.99" -> 0.9999; nothing for what is no quantile between p0 and p100.
std::optional<double> quantile_level(std::string_view name) {
  if (!name.starts_with('p')) return std::nullopt;
  const std::string_view digits = name.substr(1);
  double percent = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), percent, std::chars_format::fixed);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (!(percent > 0 && percent <= 100)) return std::nullopt;
  return percent / 100;
}

// As with a rate (metric_rate.cpp): of so many samples three are expected beyond the quantile. When none of them is
// above a limit, the quantile is not, with 95 % confidence. When some are, it takes more.
uint64_t samples_to_show(double level) {
  constexpr double kRounding = 1e-9;  // 1 - 0.9999 is a little below 0.0001
  return static_cast<uint64_t>(std::ceil(kRuleOfThree / (1 - level) * (1 - kRounding)));
}

// Why a quantile of these samples that is within the limit does not show that the box's is. Without a histogram there
// is nothing to count in.
std::string quantile_not_shown(const core::CpuResult& cpu, double level, double limit_ns) {
  if (cpu.samples < samples_to_show(level))
    return fmt::format("{} samples are too few to show it, {} may", cpu.samples, samples_to_show(level));
  if (cpu.bins.empty()) return "";
  const Exceedances above = exceedances_of(cpu, limit_ns);
  if (above.samples == 0 || above.share_at_most() <= 1 - level) return "";
  return fmt::format("{} of {} samples are above the limit{}, which shows no share below {:.4g} %", above.samples,
                     cpu.samples, above.together_text(), 100 * above.share_at_most());
}

// With too few samples the quantile of them is their maximum. Beyond the limit it is beyond it; within, so few samples
// have not shown it.
Observation quantile_observed(const core::CpuResult& cpu, const Rule& rule) {
  const double level = *quantile_level(std::string_view(rule.metric).substr(0, rule.metric.rfind('_')));
  if (level < 1 && cpu.bins.empty() && !core::measured_quantile(cpu, level))
    return {.not_measured = "there is no histogram to read it from"};
  Observation observed{.value = core::quantile_of(cpu, level)};
  if (level < 1 && !core::is_measured(level, cpu.samples)) observed.note = "the maximum: too few samples";
  if (level < 1) observed.not_shown = quantile_not_shown(cpu, level, rule.limit);
  return observed;
}

Observation max_observed(const core::CpuResult& cpu, const Rule& rule) {
  if (found_nothing(cpu) && cpu.max_ns > rule.limit)
    return {.not_measured = "nothing was found, and the meter does not report what is below its threshold"};
  return {.value = cpu.max_ns, .note = found_nothing(cpu) ? "nothing was found above it" : ""};
}

}  // namespace

extern const MetricDefinition kMaxMetric{
    .name = "max",
    .option = "max",
    .argument = "TIME",
    .help = "largest sample at most TIME: 50us, 1ms; every time needs its unit",
    .of_cpu = max_observed,
};

extern const MetricDefinition kMeanMetric{
    .name = "mean",
    .option = "mean",
    .argument = "TIME",
    .help = "mean at most TIME (of no use alone: a tail hides in it)",
    .of_cpu = [](const core::CpuResult& cpu, const Rule&) { return Observation{.value = cpu.mean_ns}; },
    .needs_samples_from_ns = [](std::string_view) { return 0.0; },
};

extern const MetricDefinition kQuantileMetric{
    .name = "pQ",
    .option = "quantile",
    .argument = "Q=TIME",
    .help = "any quantile at most TIME: p99.99=20us; may be repeated",
    .has_name = [](std::string_view name) { return quantile_level(name).has_value(); },
    .begins_with = "p",
    .of_cpu = quantile_observed,
    .needs_samples_from_ns = [](std::string_view) { return 0.0; },
};

}  // namespace maxlat::reports
