// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/run_result.hpp>

namespace maxlat::core {

CpuResult cpu_result_from(unsigned cpu, const base::Histogram& histogram, const base::CounterClock& clock,
                          uint64_t start_ticks) {
  const auto ns = [&](uint64_t ticks) { return clock.to_ns(static_cast<double>(ticks)); };
  CpuResult result;
  result.cpu = cpu;
  result.samples = histogram.total();
  if (result.samples == 0) return result;

  result.min_ns = ns(histogram.min());
  result.max_ns = ns(histogram.max());
  result.mean_ns = clock.to_ns(histogram.mean());
  result.stddev_ns = clock.to_ns(std::sqrt(histogram.variance()));

  const maxlat_histogram& raw = histogram.raw();
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; ++i) {
    const uint64_t count = MAXLAT_LOAD(&raw.bucket[i]);
    // high() is the last value in the bucket; one tick further the next one begins.
    if (count > 0) result.bins.push_back({ns(maxlat_histogram_low(i)), ns(maxlat_histogram_high(i) + 1), count});
  }
  result.overflow_count = raw.overflow_count;
  const auto kept = std::min<uint64_t>(raw.overflow_count, MAXLAT_HISTOGRAM_OVERFLOWS);
  for (uint64_t i = 0; i < kept; ++i) {
    const maxlat_histogram_overflow& overflow = raw.overflow[i];
    result.overflow.push_back(
        {.t_ns = ns(overflow.time - start_ticks), .latency_ns = ns(overflow.value), .cpu = cpu, .cause = {}});
  }
  // Of the bins, as every reader of the result takes them, so that there is one figure.
  result.quantiles_ns = measured_quantiles(result);
  return result;
}

}  // namespace maxlat::core
