// SPDX-License-Identifier: MIT
#include <maxlat/sensors/gauge.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

SensorValue read_gauge(const std::uint8_t* sensor, const CheckedSensor& checked) {
  const std::uint64_t value = trace::once(reinterpret_cast<const maxlat_gauge*>(sensor)->value);
  return GaugeValue{static_cast<std::int64_t>(value), static_cast<std::int64_t>(checked.shape[0]),
                    static_cast<std::int64_t>(checked.shape[1])};
}

}  // namespace

extern const SensorKindDefinition kGaugeKind{
    .number = MAXLAT_SENSOR_GAUGE,
    .word = "gauge",
    .layout_version = MAXLAT_GAUGE_VERSION,
    .kind = SensorKind::gauge,
    .size_of = size_without_shape<maxlat_gauge>,
    .read = read_gauge,
};

}  // namespace maxlat::sensors
