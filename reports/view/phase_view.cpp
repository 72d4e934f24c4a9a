// SPDX-License-Identifier: MIT
#include "phase_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/merge.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/stats/period.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "stopped_together.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMergedOutliers = 32;

std::optional<double> spread_of_maxima(const core::Phase& phase) {
  double smallest = INFINITY, largest = 0;
  size_t cpus = 0;
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.samples == 0) continue;
    smallest = std::min(smallest, cpu.max_ns);
    largest = std::max(largest, cpu.max_ns);
    ++cpus;
  }
  if (cpus < 2 || largest <= 0) return std::nullopt;
  return (largest - smallest) / largest;
}

}  // namespace

bool is_of_the_box(const core::Phase& phase) {
  const core::PhaseKind& kind = core::kind_of(phase);
  return kind.measures && kind.of_the_box && (phase.arm.empty() || phase.arm == "none");
}

std::optional<std::string> unfit_because(const core::Phase& phase) {
  if (phase.status != core::PhaseStatus::ok) {
    const std::string status = core::to_string(phase.status);
    return phase.reason.empty() ? status : status + ": " + phase.reason;
  }
  if (phase.control && !core::passed(*phase.control))
    return phase.control->meter + ": " + core::to_string(core::counts_of(phase.control->stalls), " planted stalls");
  for (const auto& load : phase.load) {
    if (!load.alive) return fmt::format("load {} died{}", load.name, load.reason.empty() ? "" : ": " + load.reason);
  }
  if (!core::kind_of(phase).measures) return std::nullopt;
  if (phase.per_cpu.empty()) return "no CPU was measured";
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.samples == 0) return fmt::format("CPU {} has no samples", cpu.cpu);
  }
  return std::nullopt;
}

std::vector<std::string> failed_controls(const core::RunResult& run) {
  std::vector<std::string> reasons;
  for (const auto& phase : run.phases) {
    if (!phase.control || phase.status == core::PhaseStatus::skipped) continue;
    if (const auto reason = unfit_because(phase)) reasons.push_back(phase.name + ": " + *reason);
  }
  return reasons;
}

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

bool found_nothing(const core::CpuResult& cpu) {
  return cpu.outliers.empty() && cpu.overflow_count == 0 && cpu.bins.size() == 1 && cpu.bins[0].low_ns == 0 &&
         cpu.bins[0].high_ns == cpu.max_ns;
}

std::optional<std::string> not_told(const core::Phase& phase, double from_ns) {
  if (const auto not_kept = phase.facts.find(core::fact::kNotKept); not_kept != phase.facts.end())
    return fmt::format("{} samples were not kept", not_kept->second);
  const auto above = phase.facts.find(core::fact::kOnlyAbove);
  if (above == phase.facts.end()) return std::nullopt;
  const auto ns = core::parse_duration_ns(above->second, core::kUnitNeeded);
  if (ns && from_ns >= static_cast<double>(*ns)) return std::nullopt;
  return fmt::format("the meter tells only samples above {}", above->second);
}

std::optional<double> shown_quantile(const core::Phase& phase, const core::CpuResult& cpu, double level) {
  return shows_mean(phase, cpu) ? core::measured_quantile(cpu, level) : std::nullopt;
}

bool shows_mean(const core::Phase& phase, const core::CpuResult& cpu) {
  return cpu.samples > 0 && !not_told(phase, 0);
}

// An older result tells only of a limit that was exceeded.
std::optional<std::string> ends_at_a_limit(const core::Phase& phase) {
  const auto limit = phase.facts.find(core::fact::kLimit);
  if (limit == phase.facts.end() && !phase.facts.contains(core::fact::kBreak)) return std::nullopt;
  return "it was to end at the first sample above " + (limit == phase.facts.end() ? "a limit" : limit->second);
}

core::CpuResult merge_cpus(const core::Phase& phase) {
  return core::merged(phase.per_cpu, kMergedOutliers);
}

std::vector<LargeSample> largest_samples(const core::Phase& phase) {
  std::vector<LargeSample> samples;
  for (const auto& cpu : phase.per_cpu) {
    double largest_known = 0;
    for (const auto& outlier : cpu.outliers) {
      samples.push_back({outlier.latency_ns, outlier.cpu, &outlier});
      largest_known = std::max(largest_known, outlier.latency_ns);
    }
    if (cpu.samples > 0 && largest_known < cpu.max_ns) samples.push_back({cpu.max_ns, cpu.cpu, nullptr});
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  return samples;
}

double resolution_at(const core::CpuResult& cpu, double ns) {
  for (const core::Bin& bin : cpu.bins)
    if (bin.low_ns <= ns && ns <= bin.high_ns) return bin.high_ns - bin.low_ns;
  return 0;
}

const core::CpuResult* worst_cpu(const core::Phase& phase) {
  const core::CpuResult* worst = nullptr;
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.samples > 0 && (worst == nullptr || cpu.max_ns > worst->max_ns)) worst = &cpu;
  }
  return worst;
}

// Of so many of the largest: the cost is their number times that of periods tried, and 64 CPUs have thousands.
static std::optional<double> period_of_largest(const core::Phase& phase) {
  constexpr size_t kMost = 100;
  constexpr double kShortest_s = 1, kFinest = 2000, kAlpha = 0.01;
  std::vector<double> times_s;
  for (const LargeSample& sample : largest_samples(phase))
    if (sample.outlier != nullptr && times_s.size() < kMost) times_s.push_back(sample.outlier->t_ns / 1e9);
  if (times_s.empty()) return std::nullopt;
  const auto [first, last] = std::minmax_element(times_s.begin(), times_s.end());
  const auto period = core::period_of(times_s, std::max(kShortest_s, (*last - *first) / kFinest), kAlpha);
  return period ? std::optional(period->length) : std::nullopt;
}

TailHint tail_hint(const PhaseView& view) {
  TailHint hint;
  if (view.all.samples == 0) return hint;
  if (const double p99 = core::quantile_of(view.all, 0.99); !core::kind_of(view.phase).gaps && p99 > 0) {
    hint.max_to_p99 = view.all.max_ns / p99;
    hint.stretched = *hint.max_to_p99 > kStretchedTail;
  }
  hint.spread_of_maxima = spread_of_maxima(view.phase);
  // Without a long tail near-equal maxima are what a calm box shows: they mean something only together.
  hint.all_cpus_at_once = (hint.stretched && hint.spread_of_maxima && *hint.spread_of_maxima < kGlobalStall) ||
                          stopped_together(view.phase);
  hint.period_s = period_of_largest(view.phase);
  return hint;
}

std::optional<RuleOfThree> rule_of_three(const core::CpuResult& cpu) {
  if (static_cast<double>(cpu.samples) < kRuleOfThree) return std::nullopt;
  RuleOfThree rule;
  rule.share = kRuleOfThree / static_cast<double>(cpu.samples);
  if (cpu.exposure_s > 0) rule.every_s = cpu.exposure_s / kRuleOfThree;
  return rule;
}

}  // namespace maxlat::reports
