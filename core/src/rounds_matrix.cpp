// SPDX-License-Identifier: MIT
#include "rounds_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace maxlat::core {

RoundsMatrix::RoundsMatrix(std::span<const CpuResult> rounds) {
  for (const CpuResult& round : rounds) {
    for (const Bin& bin : round.bins) edges_.push_back(bin.high_ns);
    edges_.push_back(round.max_ns);  // the bin of what lies beyond all bins
    moments_.push_back({round.mean_ns, round.stddev_ns, static_cast<double>(round.samples)});
    max_.push_back(round.max_ns);
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  for (const CpuResult& round : rounds) {
    std::vector<std::uint64_t> counts(edges_.size(), 0);
    const auto at = [&](double edge) -> std::uint64_t& {
      return counts[static_cast<std::size_t>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin())];
    };
    for (const Bin& bin : round.bins) at(bin.high_ns) += bin.count;
    at(round.max_ns) += round.overflow_count;
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
    counts_.push_back(std::move(counts));
  }
}

RoundsMatrix::Pool RoundsMatrix::pool(std::span<const std::size_t> chosen, std::span<const double> levels) const {
  Pool pool;
  std::vector<Moments> parts;
  for (const std::size_t round : chosen) {
    parts.push_back(moments_[round]);
    pool.max = std::max(pool.max, max_[round]);
  }
  const Moments all = pooled(parts);
  pool.mean = all.mean;
  const auto at_or_below = [&](std::size_t bin) {
    std::uint64_t count = 0;
    for (const std::size_t round : chosen) count += counts_[round][bin];
    return count;
  };
  for (const double level : levels) {
    // The smallest bin that has at least level * samples at or below it: by halving, since counts only grow.
    const double wanted = std::max(1.0, level * all.samples);
    std::size_t low = 0, high = edges_.size() - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (static_cast<double>(at_or_below(middle)) >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    pool.quantiles.push_back(std::min(edges_[low], pool.max));
  }
  return pool;
}

}  // namespace maxlat::core
