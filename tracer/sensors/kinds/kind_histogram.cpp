// SPDX-License-Identifier: MIT
#include <maxlat/sensors/histogram.h>

#include <algorithm>
#include <cmath>
#include <maxlat/sensors/sensor_kind.hpp>

#include "sensors/kinds/histogram_value.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using trace::once;

std::uint64_t size_of_histogram(const std::uint64_t (&shape)[2]) {
  if (shape[0] > MAXLAT_SHAPE_MAX_SUB_BITS || shape[1] > 64) return 0;
  const maxlat_histogram_shape made{static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1])};
  return maxlat_shape_valid(made) != 0 ? maxlat_histogram_sensor_size(made) : 0;
}

// Of sum and sum of squares. Posts under way, and a sum that went round, may make the difference negative: 0, then.
double deviation_of(const maxlat_histogram_head& head, const HistogramValue& value) {
  const auto count = static_cast<long double>(value.total);
  const long double squares = std::ldexp(static_cast<long double>(once(head.sum_sq_high)), 64) +
                              static_cast<long double>(once(head.sum_sq_low));
  const long double mean = static_cast<long double>(value.sum) / count;
  return static_cast<double>(std::sqrt(std::max(0.0L, squares / count - mean * mean)));
}

SensorValue read_histogram(const std::uint8_t* at, const CheckedSensor& checked) {
  const auto& sensor = *reinterpret_cast<const maxlat_histogram_sensor*>(at);
  HistogramValue value;
  value.shape = {static_cast<std::uint32_t>(checked.shape[0]), static_cast<std::uint32_t>(checked.shape[1])};
  value.overflows = once(sensor.head.overflow_count);
  // A place is filled after it was counted: what is still empty there is of a post that is under way.
  const std::uint64_t kept = std::min<std::uint64_t>(value.overflows, MAXLAT_HISTOGRAM_OVERFLOWS);
  for (std::uint64_t i = 0; i < kept; ++i) {
    const auto& [outlier, time] = sensor.head.overflow[i];
    if (const std::uint64_t seen = once(outlier); seen != 0) value.outliers.push_back({seen, once(time)});
  }
  detail::read_buckets(sensor.head, &sensor + 1, maxlat_shape_buckets(value.shape), value);
  if (value.has_moments && value.total != 0) value.deviation = deviation_of(sensor.head, value);
  return value;
}

}  // namespace

extern const SensorKindDefinition kHistogramKind{
    .number = MAXLAT_SENSOR_HISTOGRAM,
    .word = "histogram",
    .layout_version = MAXLAT_HISTOGRAM_SENSOR_VERSION,
    .kind = SensorKind::histogram,
    .size_of = size_of_histogram,
    .read = read_histogram,
    .add_up = detail::add_up_histograms,
};

}  // namespace maxlat::sensors
