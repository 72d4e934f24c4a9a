// SPDX-License-Identifier: MIT
//
// For a monitoring system. Seconds, as these have it. A histogram has the bounds 1, 2 and 5 of each decade; a bin of
// ours that lies across one counts above it, so that no bucket says less of the tail than was measured. A phase that is
// not valid, because its load died, too, or because its control was not found, has its value of maxlat_phase_valid, 0,
// and none of its figures. Figures that are an upper bound have a label that says so.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/open_metrics.hpp>
#include <maxlat/reports/export_definition.hpp>
#include <numeric>

#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using core::OpenMetrics;
using Type = OpenMetrics::Type;

constexpr double kSecond_ns = 1e9;

// 100 ns to 10 s.
std::vector<double> bounds_ns() {
  std::vector<double> bounds;
  for (double decade = 100; decade < 1e10; decade *= 10)
    for (const double step : {1, 2, 5}) bounds.push_back(step * decade);
  bounds.push_back(1e10);
  return bounds;
}

OpenMetrics::Labels labels_of(const core::Phase& phase) {
  OpenMetrics::Labels labels = {{"phase", phase.name}, {"kind", phase.kind}};
  if (!phase.arm.empty()) labels.emplace_back("arm", phase.arm);
  if (core::is_upper_bound(phase)) labels.emplace_back("bound", "upper");
  return labels;
}

OpenMetrics::Labels with(OpenMetrics::Labels labels, std::string name, std::string value) {
  labels.emplace_back(std::move(name), std::move(value));
  return labels;
}

// Which phases have a figure: some are of all samples, and a meter may tell only the longest.
enum class Of { some_samples, all_samples };

// Of every CPU that has samples, in every phase that is valid.
template <typename Add>
void each_cpu(const std::vector<const core::Phase*>& phases, Of samples, Add add) {
  for (const core::Phase* phase : phases) {
    if (unfit_because(*phase) || (samples == Of::all_samples && not_told(*phase, 0))) continue;
    for (const core::CpuResult& cpu : phase->per_cpu)
      if (cpu.samples > 0) add(with(labels_of(*phase), "cpu", std::to_string(cpu.cpu)), cpu);
  }
}

void add_histogram(OpenMetrics& metrics, const OpenMetrics::Labels& labels, const core::CpuResult& cpu) {
  static const std::vector<double> bounds = bounds_ns();
  for (const double bound_ns : bounds) {
    const uint64_t below =
        std::accumulate(cpu.bins.begin(), cpu.bins.end(), uint64_t{0}, [&](uint64_t sum, const core::Bin& bin) {
          return sum + (bin.high_ns <= bound_ns * (1 + 1e-9) ? bin.count : 0);
        });
    metrics.sample("_bucket", with(labels, "le", fmt::format("{}", bound_ns / kSecond_ns)), static_cast<double>(below));
  }
  const auto all = static_cast<double>(cpu.samples);
  metrics.sample("_bucket", with(labels, "le", "+Inf"), all);
  metrics.sample("_count", labels, all);
  metrics.sample("_sum", labels, all * cpu.mean_ns / kSecond_ns);
}

void add_run(OpenMetrics& metrics, const core::RunResult& run) {
  metrics.family("maxlat_run", Type::info, "", "The run.");
  metrics.sample(
      "_info", {{"id", run.id}, {"tool", run.tool}, {"build", run.build}, {"label", run.label}, {"plan", run.plan}}, 1);
  metrics.family("maxlat_verdict", Type::stateset, "", "What the gate says of the run.");
  using Kind = core::Verdict::Kind;
  for (const Kind kind : {Kind::pass, Kind::fail, Kind::invalid, Kind::not_gated})
    metrics.sample("", {{"maxlat_verdict", core::to_string(kind)}}, run.verdict.kind == kind ? 1 : 0);
}

void add_phases(OpenMetrics& metrics, const std::vector<const core::Phase*>& phases) {
  metrics.family("maxlat_phase_valid", Type::gauge, "", "Whether the phase was measured, and is valid.");
  for (const core::Phase* phase : phases) metrics.sample("", labels_of(*phase), unfit_because(*phase) ? 0 : 1);
  metrics.family("maxlat_exposure_seconds", Type::gauge, "seconds", "CPU-seconds really watched.");
  each_cpu(phases, Of::some_samples, [&](const auto& labels, const core::CpuResult& cpu) {
    if (cpu.exposure_s > 0) metrics.sample("", labels, cpu.exposure_s);
  });
}

core::Result<std::string> write_open_metrics(const core::RunResult& run,
                                             const std::vector<const core::Phase*>& phases) {
  OpenMetrics metrics;
  add_run(metrics, run);
  add_phases(metrics, phases);
  metrics.family("maxlat_latency_max_seconds", Type::gauge, "seconds", "The largest sample.");
  each_cpu(phases, Of::some_samples,
           [&](const auto& labels, const auto& cpu) { metrics.sample("", labels, cpu.max_ns / kSecond_ns); });
  metrics.family("maxlat_latency_quantile_seconds", Type::gauge, "seconds",
                 "Quantiles that so many samples measure, never understated.");
  each_cpu(phases, Of::all_samples, [&](const auto& labels, const core::CpuResult& cpu) {
    for (const auto& [label, ns] : cpu.quantiles_ns)
      metrics.sample("", with(labels, "quantile", label), ns / kSecond_ns);
  });
  metrics.family("maxlat_latency_seconds", Type::histogram, "seconds", "All samples.");
  each_cpu(phases, Of::all_samples, [&](const auto& labels, const auto& cpu) { add_histogram(metrics, labels, cpu); });
  return metrics.text();
}

}  // namespace

extern const ExportDefinition kOpenMetrics{"openmetrics", "OpenMetrics 1.0, for a monitoring system",
                                           write_open_metrics, true};

}  // namespace maxlat::reports
