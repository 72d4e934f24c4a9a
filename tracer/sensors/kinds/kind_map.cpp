// SPDX-License-Identifier: MIT
#include <maxlat/sensors/map.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "sensors/group_layout.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using trace::once;

std::uint64_t size_of_map(const std::uint64_t (&shape)[2]) {
  const bool is_one = shape[0] > 0 && shape[0] <= MAXLAT_LINEAR_MAX_BUCKETS && shape[1] > 0 &&
                      shape[1] <= MAXLAT_LINEAR_MAX_BUCKETS && shape[0] * shape[1] <= MAXLAT_MAP_MAX_CELLS;
  return is_one ? maxlat_map_size(shape[0] * shape[1]) : 0;
}

MapValue::Axis axis_of(const maxlat_map_axis& from, std::uint64_t cells) {
  const maxlat_map_axis axis = trace::copy_of(from);
  return {detail::shown_text(axis.name), detail::shown_text(axis.unit), axis.low, axis.width, cells};
}

SensorValue read_map(const std::uint8_t* at, const CheckedSensor& checked) {
  const auto& sensor = *reinterpret_cast<const maxlat_map*>(at);
  MapValue value{axis_of(sensor.x, checked.shape[0]), axis_of(sensor.y, checked.shape[1]), {}, once(sensor.outside)};
  const auto* const cells = reinterpret_cast<const maxlat_map_cell*>(&sensor + 1);
  value.cells.reserve(value.x.cells * value.y.cells);
  for (std::uint64_t i = 0; i < value.x.cells * value.y.cells; ++i)
    value.cells.push_back({once(cells[i].count), once(cells[i].sum)});
  return value;
}

}  // namespace

extern const SensorKindDefinition kMapKind{
    .number = MAXLAT_SENSOR_MAP,
    .word = "map",
    .layout_version = MAXLAT_MAP_VERSION,
    .kind = SensorKind::map,
    .size_of = size_of_map,
    .read = read_map,
    .constant_part =
        [](const std::uint64_t (&)[2]) {
          return SensorPart{offsetof(maxlat_map, x), sizeof(maxlat_map)};
        },
};

}  // namespace maxlat::sensors
