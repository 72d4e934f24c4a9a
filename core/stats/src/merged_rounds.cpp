// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/stats/statistics.hpp>

namespace maxlat::core {

CpuResult merged(Rounds rounds) {
  CpuResult all = rounds.front();
  all.timeline.max_ns.clear();
  std::vector<Moments> parts;
  all.bins.clear();
  all.overflow.clear();
  all.outliers.clear();
  all.quantiles_ns.clear();
  all.samples = all.overflow_count = 0;
  all.exposure_s = 0;
  for (const CpuResult& round : rounds) {
    all.samples += round.samples;
    all.exposure_s += round.exposure_s;
    all.overflow_count += round.overflow_count;
    all.min_ns = std::min(all.min_ns, round.min_ns);
    all.max_ns = std::max(all.max_ns, round.max_ns);
    all.bins.insert(all.bins.end(), round.bins.begin(), round.bins.end());
    all.overflow.insert(all.overflow.end(), round.overflow.begin(), round.overflow.end());
    all.outliers.insert(all.outliers.end(), round.outliers.begin(), round.outliers.end());
    parts.push_back({round.mean_ns, round.stddev_ns, static_cast<double>(round.samples)});
  }
  const Moments moments = pooled(parts);
  all.mean_ns = moments.mean;
  all.stddev_ns = moments.stddev;
  // Bins of one histogram layout either are the same or do not meet; a clock calibrated anew for each round moves their
  // edges by parts in a million, so the lower one decides and the upper one gives way.
  std::sort(all.bins.begin(), all.bins.end(), [](const Bin& a, const Bin& b) { return a.low_ns < b.low_ns; });
  std::vector<Bin> bins;
  for (const Bin& bin : all.bins) {
    if (!bins.empty() && bin.low_ns < (bins.back().low_ns + bins.back().high_ns) / 2) {
      bins.back().count += bin.count;
      bins.back().high_ns = std::max(bins.back().high_ns, bin.high_ns);
      continue;
    }
    if (!bins.empty() && bin.low_ns < bins.back().high_ns) bins.back().high_ns = bin.low_ns;
    bins.push_back(bin);
  }
  all.bins = std::move(bins);
  std::sort(all.outliers.begin(), all.outliers.end(),
            [](const Outlier& a, const Outlier& b) { return a.latency_ns > b.latency_ns; });
  const std::size_t kept = rounds.front().outliers.size();
  if (all.outliers.size() > kept) all.outliers.resize(kept);
  all.quantiles_ns = measured_quantiles(all);
  return all;
}

}  // namespace maxlat::core
