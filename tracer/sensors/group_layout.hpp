// SPDX-License-Identifier: MIT
//
// The sensors of a group, one behind the other: the walk that the producer makes before it publishes. Heads in private
// memory are ours, but a struct may have a member that is no sensor: then the walk ends in a head that is none.
#pragma once

#include <maxlat/sensors/sensor.h>

#include <algorithm>
#include <cstdint>
#include <maxlat/base/result.hpp>
#include <string>
#include <vector>

namespace maxlat::sensors::detail {

// Of a group's memory, to bound what a monitor maps and copies.
inline constexpr std::uint64_t kLargestGroup = 64ull << 20;

struct PlacedSensor {
  std::uint64_t offset = 0;  // in the group
  maxlat_sensor head{};      // a copy
};

// ERRORS: what lies there is not a sensor, two have one name, there is none.
base::Result<std::vector<PlacedSensor>> sensors_of_group(const void* pages, std::uint64_t bytes);

// A text that fills its place has no zero.
template <std::size_t kSize>
std::string text_of(const char (&bytes)[kSize]) {
  std::size_t length = 0;
  while (length < kSize && bytes[length] != 0) ++length;
  return std::string(bytes, length);
}

// The same for terminals and files: letters that do something there are replaced.
template <std::size_t kSize>
std::string shown_text(const char (&bytes)[kSize]) {
  std::string text = text_of(bytes);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return text;
}

}  // namespace maxlat::sensors::detail
