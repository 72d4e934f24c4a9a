// SPDX-License-Identifier: MIT
//
// The sensors of a group, one behind the other: the walk that the producer makes before it publishes. Heads in private
// memory are ours, but a struct may have a member that is no sensor: then the walk ends in a head that is none.
#pragma once

#include <maxlat/sensors/sensor.h>

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

// For terminals and files: a letter that does something there is replaced by '?', be it of one byte or of two in UTF-8
// (U+0080 to U+009F).
std::string without_controls(std::string text);

// As text_of(), of such letters only.
template <std::size_t kSize>
std::string shown_text(const char (&bytes)[kSize]) {
  return without_controls(text_of(bytes));
}

}  // namespace maxlat::sensors::detail
