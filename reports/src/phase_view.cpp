// SPDX-License-Identifier: MIT
#include "phase_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace maxlat::reports {
namespace {

constexpr size_t kMergedOutliers = 32;

// Adds bins with equal edges. REQUIRES: sorted by edges.
void coalesce(std::vector<core::Bin>& bins) {
  auto out = bins.begin();
  for (auto in = bins.begin(); in != bins.end(); ++in) {
    if (out != bins.begin() && std::prev(out)->low_ns == in->low_ns && std::prev(out)->high_ns == in->high_ns) {
      std::prev(out)->count += in->count;
    } else {
      *out++ = *in;
    }
  }
  bins.erase(out, bins.end());
}

std::vector<core::Bin> merged_bins(const core::Phase& phase) {
  std::vector<core::Bin> bins;
  size_t count = 0;
  for (const auto& cpu : phase.per_cpu) count += cpu.bins.size();
  bins.reserve(count);
  for (const auto& cpu : phase.per_cpu) bins.insert(bins.end(), cpu.bins.begin(), cpu.bins.end());
  std::sort(bins.begin(), bins.end(), [](const core::Bin& a, const core::Bin& b) {
    return a.low_ns != b.low_ns ? a.low_ns < b.low_ns : a.high_ns < b.high_ns;
  });
  coalesce(bins);
  return bins;
}

// Mean and deviation of the union, from each part's n, mean and deviation.
void pool_moments(const core::Phase& phase, core::CpuResult& all) {
  double n = 0, mean = 0, squares = 0;
  for (const auto& cpu : phase.per_cpu) {
    const double m = static_cast<double>(cpu.samples);
    if (m == 0) continue;
    const double step = cpu.mean_ns - mean;
    squares += m * cpu.stddev_ns * cpu.stddev_ns + step * step * n * m / (n + m);
    mean += step * m / (n + m);
    n += m;
  }
  all.mean_ns = mean;
  all.stddev_ns = n > 0 ? std::sqrt(squares / n) : 0;
}

// The bins of all CPUs together give a quantile to the width of a bin, the meter gave each CPU's exactly. That of all
// lies between the smallest and the largest of theirs, so with one CPU it is the meter's own.
std::vector<std::pair<std::string, double>> quantiles_within_those_of(
    const core::Phase& phase, std::vector<std::pair<std::string, double>> quantiles) {
  for (auto& quantile : quantiles) {
    double smallest = INFINITY, largest = 0;
    bool known_of_all = true;
    for (const auto& cpu : phase.per_cpu) {
      if (cpu.samples == 0) continue;
      const auto own = std::find_if(cpu.quantiles_ns.begin(), cpu.quantiles_ns.end(),
                                    [&](const auto& one) { return one.first == quantile.first; });
      known_of_all = known_of_all && own != cpu.quantiles_ns.end();
      if (own == cpu.quantiles_ns.end()) continue;
      smallest = std::min(smallest, own->second);
      largest = std::max(largest, own->second);
    }
    if (known_of_all && smallest <= largest) quantile.second = std::clamp(quantile.second, smallest, largest);
  }
  return quantiles;
}

void keep_largest(std::vector<core::Outlier>& outliers, size_t count) {
  const auto larger = [](const core::Outlier& a, const core::Outlier& b) { return a.latency_ns > b.latency_ns; };
  std::stable_sort(outliers.begin(), outliers.end(), larger);
  if (outliers.size() > count) outliers.resize(count);
}

void raise_to(core::Timeline& into, const core::Timeline& from) {
  if (into.max_ns.empty()) {
    into = from;
    return;
  }
  into.max_ns.resize(std::max(into.max_ns.size(), from.max_ns.size()), 0);
  for (size_t i = 0; i < from.max_ns.size(); ++i) into.max_ns[i] = std::max(into.max_ns[i], from.max_ns[i]);
}

bool measures_gaps(const core::Phase& phase) {
  return phase.kind == "npt" || phase.kind == "hwlat" || phase.kind == "tracer";
}

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

// Whether one moment lies within the largest sample of every CPU, two CPUs at least.
bool largest_coincide(const core::Phase& phase) {
  double begin = -INFINITY, end = INFINITY;
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.outliers.empty()) return false;
    const auto& largest = cpu.outliers.front();
    begin = std::max(begin, largest.t_ns - largest.latency_ns);
    end = std::min(end, largest.t_ns);
  }
  return phase.per_cpu.size() >= 2 && begin < end;
}

}  // namespace

bool measures(const core::Phase& phase) {
  return phase.kind != "preflight" && phase.kind != "control" && phase.kind != "load" && phase.kind != "report";
}

bool is_of_the_box(const core::Phase& phase) {
  return measures(phase) && phase.kind != "tracer" && (phase.arm.empty() || phase.arm == "none");
}

std::optional<std::string> unfit_because(const core::Phase& phase) {
  if (phase.status != core::PhaseStatus::ok) {
    const std::string status = core::to_string(phase.status);
    return phase.reason.empty() ? status : status + ": " + phase.reason;
  }
  if (phase.control && !core::passed(*phase.control)) {
    const auto& stalls = phase.control->stalls;
    return fmt::format("{} found {} of {} planted stalls within its stated error", phase.control->meter,
                       std::count_if(stalls.begin(), stalls.end(), [](const auto& stall) { return stall.found; }),
                       stalls.size());
  }
  for (const auto& load : phase.load) {
    if (!load.alive) return fmt::format("load {} died{}", load.name, load.reason.empty() ? "" : ": " + load.reason);
  }
  if (!measures(phase)) return std::nullopt;
  if (phase.per_cpu.empty()) return "no CPU was measured";
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.samples == 0) return fmt::format("CPU {} has no samples", cpu.cpu);
  }
  return std::nullopt;
}

core::CpuResult merge_cpus(const core::Phase& phase) {
  core::CpuResult all;
  bool first = true;
  for (const auto& cpu : phase.per_cpu) {
    all.exposure_s += cpu.exposure_s;
    raise_to(all.timeline, cpu.timeline);
    if (cpu.samples == 0) continue;
    all.min_ns = first ? cpu.min_ns : std::min(all.min_ns, cpu.min_ns);
    all.max_ns = first ? cpu.max_ns : std::max(all.max_ns, cpu.max_ns);
    first = false;
    all.samples += cpu.samples;
    all.overflow_count += cpu.overflow_count;
    all.overflow.insert(all.overflow.end(), cpu.overflow.begin(), cpu.overflow.end());
    all.outliers.insert(all.outliers.end(), cpu.outliers.begin(), cpu.outliers.end());
  }
  keep_largest(all.outliers, kMergedOutliers);
  pool_moments(phase, all);
  all.bins = merged_bins(phase);
  all.quantiles_ns = quantiles_within_those_of(phase, core::measured_quantiles(all));
  return all;
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

const core::CpuResult* worst_cpu(const core::Phase& phase) {
  const core::CpuResult* worst = nullptr;
  for (const auto& cpu : phase.per_cpu) {
    if (cpu.samples > 0 && (worst == nullptr || cpu.max_ns > worst->max_ns)) worst = &cpu;
  }
  return worst;
}

TailHint tail_hint(const PhaseView& view) {
  TailHint hint;
  if (view.all.samples == 0) return hint;
  if (const double p99 = core::quantile_of(view.all, 0.99); !measures_gaps(view.phase) && p99 > 0) {
    hint.max_to_p99 = view.all.max_ns / p99;
    hint.stretched = *hint.max_to_p99 > kStretchedTail;
  }
  hint.spread_of_maxima = spread_of_maxima(view.phase);
  // Without a long tail near-equal maxima are what a calm box shows: they mean something only together.
  hint.all_cpus_at_once = (hint.stretched && hint.spread_of_maxima && *hint.spread_of_maxima < kGlobalStall) ||
                          largest_coincide(view.phase);
  return hint;
}

std::optional<RuleOfThree> rule_of_three(const core::CpuResult& cpu) {
  if (cpu.samples < 3) return std::nullopt;
  RuleOfThree rule;
  rule.share = 3.0 / static_cast<double>(cpu.samples);
  if (cpu.exposure_s > 0) rule.every_s = cpu.exposure_s / 3;
  return rule;
}

}  // namespace maxlat::reports
