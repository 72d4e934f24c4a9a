// SPDX-License-Identifier: MIT
#include <maxlat/sensors/counter.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

// relaxed, here and in the other kinds, where nothing else is said: each word is a recent one.
SensorValue read_counter(const std::uint8_t* sensor, const CheckedSensor&) {
  return CounterValue{trace::once(reinterpret_cast<const maxlat_counter*>(sensor)->value)};
}

void add_up_counters(SensorValue& all, const SensorValue& one) {
  std::get<CounterValue>(all).value += std::get<CounterValue>(one).value;
}

}  // namespace

extern const SensorKindDefinition kCounterKind{
    .number = MAXLAT_SENSOR_COUNTER,
    .word = "counter",
    .layout_version = MAXLAT_COUNTER_VERSION,
    .kind = SensorKind::counter,
    .size_of = size_without_shape<maxlat_counter>,
    .read = read_counter,
    .add_up = add_up_counters,
};

}  // namespace maxlat::sensors
