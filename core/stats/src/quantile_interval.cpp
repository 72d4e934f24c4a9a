// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <maxlat/core/stats/quantile_interval.hpp>

namespace maxlat::core {
namespace {

// That at most `beyond` of the samples lie above the quantile. Counted from this end, because a level near 1 keeps its
// digits in 1 - level only.
double at_most_beyond(std::uint64_t beyond, std::uint64_t samples, double share_beyond) {
  if (beyond >= samples) return 1;
  const auto k = static_cast<double>(beyond), n = static_cast<double>(samples);
  return boost::math::ibetac(k + 1, n - k, share_beyond);
}

// The fewest that lie beyond with a probability of this or more: at_most_beyond() of it >= probability.
std::uint64_t beyond_at(double probability, std::uint64_t samples, double share_beyond) {
  std::uint64_t low = 0, high = samples;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (at_most_beyond(middle, samples, share_beyond) >= probability)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double edge_at_or_below(const CpuResult& cpu, std::uint64_t rank) {
  std::uint64_t below = 0;
  for (const Bin& bin : cpu.bins) {
    below += bin.count;
    if (below >= rank) return std::max(bin.low_ns, cpu.min_ns);
  }
  return cpu.bins.empty() ? cpu.min_ns : cpu.bins.back().high_ns;  // among those beyond the bins
}

double edge_at_or_above(const CpuResult& cpu, std::uint64_t rank) {
  std::uint64_t below = 0;
  for (const Bin& bin : cpu.bins) {
    below += bin.count;
    if (below >= rank) return std::min(bin.high_ns, cpu.max_ns);
  }
  return cpu.max_ns;
}

}  // namespace

// With B samples beyond the quantile, the sample of rank r lies above it when B > samples - r, and below it when
// B <= samples - r.
RankInterval quantile_ranks(std::uint64_t samples, double level, double confidence) {
  const double each_side = (1 - confidence) / 2, share_beyond = 1 - level;
  RankInterval ranks;
  ranks.low = samples - beyond_at(1 - each_side, samples, share_beyond);
  // The most that lie beyond, so that fewer of them or as many have a probability of each_side at most.
  const std::uint64_t too_many = beyond_at(std::nextafter(each_side, 1.0), samples, share_beyond);
  if (too_many > 0) ranks.high = samples - (too_many - 1);
  return ranks;
}

std::uint64_t samples_for_upper_end(double level, double confidence) {
  return static_cast<std::uint64_t>(std::ceil(std::log((1 - confidence) / 2) / std::log(level)));
}

// Ranks are counted from the largest sample, for as in at_most_beyond() the level is near 1; each stands for as many
// samples as tell as much as one, and both ends give way to the outside.
QuantileInterval quantile_interval(const CpuResult& cpu, double level, double confidence, double samples_for_one) {
  const auto n = static_cast<double>(cpu.samples);
  const auto independent = static_cast<std::uint64_t>(std::max(1.0, std::floor(n / samples_for_one)));
  const auto samples_of = [&](std::uint64_t beyond) { return static_cast<double>(beyond) * samples_for_one; };
  const RankInterval ranks = quantile_ranks(independent, level, confidence);
  QuantileInterval interval;
  const double beyond_low = std::ceil(samples_of(independent - ranks.low));
  if (ranks.low > 0 && beyond_low < n)
    interval.low_ns = edge_at_or_below(cpu, cpu.samples - static_cast<std::uint64_t>(beyond_low));
  if (ranks.high)
    interval.high_ns = edge_at_or_above(
        cpu, cpu.samples - static_cast<std::uint64_t>(std::floor(samples_of(independent - *ranks.high))));
  return interval;
}

}  // namespace maxlat::core
