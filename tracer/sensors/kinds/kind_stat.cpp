// SPDX-License-Identifier: MIT
#include <maxlat/sensors/stat.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using trace::once;

constexpr int kLooks = 100;  // a post takes ten instructions: more looks than this would not find it settled

StatValue look_at_stat(const maxlat_stat& sensor) {
  StatValue value;
  // acquire [V2]: the words of every post that is counted. Partner: release [V2] in stat.h. Shape: publish.
  value.count = __atomic_load_n(&sensor.count, __ATOMIC_ACQUIRE);
  value.value = static_cast<std::int64_t>(once(sensor.value));
  value.min = static_cast<std::int64_t>(once(sensor.min));
  value.max = static_cast<std::int64_t>(once(sensor.max));
  value.sum = once(sensor.sum);
  // acquire [V1]: the words before the look at `begun`. Partner: release [V1] in stat.h. Shape: seqlock.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  value.settled = once(sensor.begun) == value.count;
  return value;
}

SensorValue read_stat(const std::uint8_t* sensor, const CheckedSensor&) {
  StatValue value;
  for (int look = 0; look < kLooks && !value.settled; ++look)
    value = look_at_stat(*reinterpret_cast<const maxlat_stat*>(sensor));
  return value;
}

// Or it would count a post as begun for ever.
void settle_stat(std::uint8_t* copy, const std::uint8_t*) {
  auto& sensor = *reinterpret_cast<maxlat_stat*>(copy);
  sensor.begun = sensor.count;
}

}  // namespace

extern const SensorKindDefinition kStatKind{
    .number = MAXLAT_SENSOR_STAT,
    .word = "stat",
    .layout_version = MAXLAT_STAT_VERSION,
    .kind = SensorKind::stat,
    .size_of = size_without_shape<maxlat_stat>,
    .read = read_stat,
    .settle = settle_stat,
};

}  // namespace maxlat::sensors
