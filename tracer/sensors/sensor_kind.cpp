// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/sensor_kind.hpp>

namespace maxlat::sensors {

std::vector<const SensorKindDefinition*> sensor_kind_rows();  // of tracer/CMakeLists.txt

std::vector<const SensorKindDefinition*>& sensor_kind_table() {
  static std::vector<const SensorKindDefinition*> table = sensor_kind_rows();
  return table;
}

const SensorKindDefinition* find_sensor_kind(std::uint32_t number) {
  const auto& table = sensor_kind_table();
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto* kind) { return kind->number == number; });
  return row == table.end() ? nullptr : *row;
}

const char* word_of(SensorKind kind) {
  for (const SensorKindDefinition* one : sensor_kind_table())
    if (one->kind == kind && kind != SensorKind::unknown) return one->word;
  return "unknown";
}

bool has_events(SensorKind kind) {
  const auto& table = sensor_kind_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const auto* one) { return one->kind == kind && one->events != nullptr; });
}

}  // namespace maxlat::sensors
