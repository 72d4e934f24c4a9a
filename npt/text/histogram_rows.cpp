// SPDX-License-Identifier: MIT
#include "histogram_rows.hpp"

#include <algorithm>

namespace maxlat::npt {

HistogramRows histogram_rows(const base::Histogram& histogram, const base::CounterClock& clock, double width_ns,
                             uint64_t limit) {
  HistogramRows result;
  const maxlat_histogram& raw = histogram.raw();
  result.overruns = raw.overflow_count;
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; ++i) {
    const uint64_t count = raw.bucket[i];
    if (count == 0) continue;
    const uint64_t largest = std::min(maxlat_histogram_high(i), histogram.max());
    const auto row = static_cast<uint64_t>(clock.to_ns(static_cast<double>(largest)) / width_ns);
    if (row >= limit)
      result.overruns += count;
    else if (!result.rows.empty() && result.rows.back().value == row)
      result.rows.back().count += count;
    else
      result.rows.push_back({row, count});
  }
  return result;
}

}  // namespace maxlat::npt
