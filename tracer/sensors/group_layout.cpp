// SPDX-License-Identifier: MIT
#include "sensors/group_layout.hpp"

#include <cstring>
#include <maxlat/sensors/sensors.hpp>
#include <set>

namespace maxlat::sensors::detail {

std::string without_controls(std::string text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const auto last = static_cast<unsigned char>(i == 0 ? 0 : text[i - 1]);
    const bool of_two = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    // Behind no byte of a longer letter: some terminals take it for the control itself.
    const bool alone = byte >= 0x80 && byte < 0xa0 && last < 0x80;
    shown += byte < ' ' || byte == 127 || of_two || alone ? '?' : text[i];
    i += of_two ? 1 : 0;
  }
  return shown;
}

base::Result<std::vector<PlacedSensor>> sensors_of_group(const void* pages, std::uint64_t bytes) {
  const auto* const memory = static_cast<const std::uint8_t*>(pages);
  std::vector<PlacedSensor> sensors;
  std::set<std::string> names;
  for (std::uint64_t offset = 0; offset < bytes;) {
    PlacedSensor placed{.offset = offset};
    if (bytes - offset >= sizeof placed.head) std::memcpy(&placed.head, memory + offset, sizeof placed.head);
    if (placed.head.magic != MAXLAT_SENSOR_MAGIC || placed.head.size < sizeof(maxlat_sensor) ||
        placed.head.size % MAXLAT_SENSOR_ALIGNMENT != 0 || placed.head.size > bytes - offset) {
      return base::Error{"at byte " + std::to_string(offset) + " of the group is something else than a sensor"};
    }
    const std::string name = text_of(placed.head.name);
    if (!is_name(name)) return base::Error{"not a name for a sensor: \"" + name + "\"", "letters are [A-Za-z0-9_.:+-]"};
    if (!names.insert(name).second) return base::Error{"two sensors of the group are called " + name};
    offset += placed.head.size;
    sensors.push_back(placed);
  }
  if (sensors.empty()) return base::Error{"the group has no sensor"};
  return sensors;
}

}  // namespace maxlat::sensors::detail
