// SPDX-License-Identifier: MIT
#include <maxlat/sensors/linear.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "sensors/kinds/histogram_value.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

std::uint64_t size_of_linear(const std::uint64_t (&shape)[2]) {
  const maxlat_linear_axis axis = maxlat_linear_axis_of(shape[0], shape[1]);
  return maxlat_linear_valid(axis) ? maxlat_linear_size(axis.buckets) : 0;
}

SensorValue read_linear(const std::uint8_t* at, const CheckedSensor& checked) {
  const auto& sensor = *reinterpret_cast<const maxlat_linear*>(at);
  const maxlat_linear_axis axis = maxlat_linear_axis_of(checked.shape[0], checked.shape[1]);
  HistogramValue value;
  value.low = axis.low;
  value.width = axis.width;
  value.below = trace::once(sensor.below);
  value.overflows = trace::once(sensor.above);
  detail::read_buckets(sensor, &sensor + 1, axis.buckets, value);
  return value;
}

}  // namespace

// A histogram with other words.
extern const SensorKindDefinition kLinearKind{
    .number = MAXLAT_SENSOR_LINEAR,
    .word = "linear",
    .layout_version = MAXLAT_LINEAR_VERSION,
    .kind = SensorKind::histogram,
    .size_of = size_of_linear,
    .read = read_linear,
    .add_up = detail::add_up_histograms,
};

}  // namespace maxlat::sensors
