// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <maxlat/core/stats/block_bootstrap.hpp>
#include <maxlat/core/stats/sample_dependence.hpp>
#include <vector>

namespace maxlat::core {
namespace {

constexpr std::size_t kFewestSteps = 20;
constexpr double kMostSteps = 0.75;  // hold a sample beyond: of more, hardly any is left that could be without

struct Steps {
  std::vector<double> watched, beyond;  // so many CPUs, at each step
  double all = 0, all_beyond = 0;
};

Steps steps_of(std::span<const CpuResult> per_cpu, double from_ns) {
  Steps steps;
  for (const CpuResult& cpu : per_cpu) {
    const std::vector<double>& maxima = cpu.timeline.max_ns;
    steps.watched.resize(std::max(steps.watched.size(), maxima.size()));
    steps.beyond.resize(steps.watched.size());
    for (std::size_t i = 0; i < maxima.size(); ++i) {
      steps.watched[i] += maxima[i] > 0;
      steps.beyond[i] += maxima[i] > 0 && maxima[i] >= from_ns;
    }
  }
  for (const double cpus : steps.watched) steps.all += cpus;
  for (const double cpus : steps.beyond) steps.all_beyond += cpus;
  return steps;
}

// The number of steps that hold one, were the stretches of the run drawn anew: its variance, over that of steps that
// know nothing of one another.
double between_steps(const Steps& steps) {
  const double share = steps.all_beyond / steps.all;
  std::vector<double> unexpected;
  for (std::size_t i = 0; i < steps.watched.size(); ++i)
    if (steps.watched[i] > 0) unexpected.push_back(steps.beyond[i] - share * steps.watched[i]);
  return variance_of_drawn_sum(unexpected, block_length(unexpected)) / (steps.all * share * (1 - share));
}

}  // namespace

SampleDependence dependence_beyond(const CpuResult& all, std::span<const CpuResult> per_cpu, double ns) {
  for (const CpuResult& cpu : per_cpu) {
    if (cpu.samples == 0) continue;
    if (cpu.timeline.max_ns.empty()) return {1, "there is no time line"};
    if (cpu.timeline.kind != Timeline::Kind::max) return {1, "the time line holds the largest so far alone"};
  }
  const auto from = std::find_if(all.bins.begin(), all.bins.end(), [&](const Bin& bin) { return ns <= bin.high_ns; });
  std::uint64_t samples = all.overflow_count;
  for (auto bin = from; bin != all.bins.end(); ++bin) samples += bin->count;
  const Steps steps = steps_of(per_cpu, from == all.bins.end() ? ns : from->low_ns);
  const auto with_samples = std::count_if(steps.watched.begin(), steps.watched.end(), [](double n) { return n > 0; });
  if (static_cast<std::size_t>(with_samples) < kFewestSteps) return {1, "the time line has too few steps"};
  if (steps.all_beyond > kMostSteps * steps.all) return {1, "nearly every step of the time line holds such samples"};
  if (samples == 0 || steps.all_beyond == 0) return {1, "no step of the time line holds such samples"};
  const double disturbances = -steps.all * std::log1p(-steps.all_beyond / steps.all);
  const double size = std::max(1.0, static_cast<double>(samples) / disturbances);
  return {(2 * size - 1) * std::max(1.0, between_steps(steps)), ""};
}

}  // namespace maxlat::core
