// SPDX-License-Identifier: MIT
#include "sensors/group_layout.hpp"

#include <algorithm>
#include <cstring>

namespace maxlat::sensors::detail {
base::Result<std::vector<PlacedSensor>> sensors_of_group(const void* pages, std::uint64_t bytes) {
  const auto* const memory = static_cast<const std::uint8_t*>(pages);
  std::vector<PlacedSensor> sensors;
  for (std::uint64_t offset = 0; offset < bytes;) {
    PlacedSensor placed{.offset = offset};
    if (bytes - offset >= sizeof placed.head) std::memcpy(&placed.head, memory + offset, sizeof placed.head);
    if (placed.head.magic != MAXLAT_SENSOR_MAGIC || placed.head.size < sizeof(maxlat_sensor) ||
        placed.head.size % MAXLAT_SENSOR_ALIGNMENT != 0 || placed.head.size > bytes - offset) {
      return base::Error{"at byte " + std::to_string(offset) + " of the group is something else than a sensor"};
    }
    const auto same = [&](const PlacedSensor& other) { return text_of(other.head.name) == text_of(placed.head.name); };
    if (std::any_of(sensors.begin(), sensors.end(), same))
      return base::Error{"two sensors of the group are called " + text_of(placed.head.name)};
    offset += placed.head.size;
    sensors.push_back(placed);
  }
  if (sensors.empty()) return base::Error{"the group has no sensor"};
  return sensors;
}

}  // namespace maxlat::sensors::detail
