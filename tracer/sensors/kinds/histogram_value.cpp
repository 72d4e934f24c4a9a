// SPDX-License-Identifier: MIT
#include "sensors/kinds/histogram_value.hpp"

#include <maxlat/sensors/histogram.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace maxlat::sensors {
namespace {

// Of both together.
std::optional<double> deviation_of(const HistogramValue& all, const HistogramValue& one) {
  if (one.total == 0) return all.deviation;
  if (all.total == 0) return one.deviation;
  if (!all.deviation || !one.deviation) return std::nullopt;
  const double a = static_cast<double>(all.total), b = static_cast<double>(one.total);
  const double apart = static_cast<double>(all.sum) / a - static_cast<double>(one.sum) / b;
  const double squares = a * *all.deviation * *all.deviation + b * *one.deviation * *one.deviation;
  return std::sqrt(squares / (a + b) + apart * apart * a * b / ((a + b) * (a + b)));
}

void add_up(HistogramValue& all, const HistogramValue& one) {
  all.deviation = deviation_of(all, one);
  const std::size_t room = MAXLAT_HISTOGRAM_OVERFLOWS - all.outliers.size();
  all.outliers.insert(all.outliers.end(), one.outliers.begin(),
                      one.outliers.begin() + static_cast<std::ptrdiff_t>(std::min(room, one.outliers.size())));
  // Values that were counted without moments leave the sum without any.
  if (one.total > 0) all.has_moments = one.has_moments && (all.total == 0 || all.has_moments);
  for (std::size_t i = 0; i < all.buckets.size(); ++i) all.buckets[i] += one.buckets[i];
  all.total += one.total;
  all.overflows += one.overflows;
  all.below += one.below;
  all.min = std::min(all.min, one.min);
  all.max = std::max(all.max, one.max);
  all.sum += one.sum;
}

}  // namespace

void detail::add_up_histograms(SensorValue& all, const SensorValue& one) {
  add_up(std::get<HistogramValue>(all), std::get<HistogramValue>(one));
}

std::uint64_t HistogramValue::quantile(double part) const {
  if (total == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(total)));
  std::uint64_t seen = below;
  if (seen >= std::max<std::uint64_t>(rank, 1))
    return has_moments ? std::min(low - 1, max) : low - 1;  // below: low > 0
  for (std::uint32_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (seen < std::max<std::uint64_t>(rank, 1)) continue;
    const std::uint64_t high = high_of(i);
    return has_moments ? std::min(high, max) : high;
  }
  return has_moments ? max : high_of(static_cast<std::uint32_t>(buckets.size() - 1));
}

}  // namespace maxlat::sensors
