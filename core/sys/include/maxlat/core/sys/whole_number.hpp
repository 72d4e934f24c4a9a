// SPDX-License-Identifier: MIT
//
// A text that is a whole number and nothing else, as files of /proc and /sys have them.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace maxlat::core {

// Nothing: no digits, a sign, something behind the number, or too large for T.
template <std::unsigned_integral T = uint64_t>
std::optional<T> whole_number(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace maxlat::core
