// SPDX-License-Identifier: MIT
//
// Durations as the user writes them: a number and one of ns us ms s m h d ("500ms", "1.5h", "90"), exact in integers.
// Times and rates as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>

namespace maxlat::core {

// For `default_unit`: a bare number is refused, with a hint. Only 0 is the same in every unit.
inline constexpr std::string_view kUnitNeeded = "";
// `default_unit` is what a bare number means where a letter of cyclictest or npt fixes it ("s" for -D, "us" for -i).
// ERRORS: no number, no unit, unknown unit, negative, more than 2^63 ns.
Result<uint64_t> parse_duration_ns(std::string_view text, std::string_view default_unit = "s");
// "500 ms", "1 h 30 m": for people.
std::string duration_text(double seconds);
// A latency for people, three figures: "120 ns", "4.56 us", "50.1 ms".
std::string latency_text(double ns);
// A rate for people, three figures at most: "4.2 M/s", "12.3 k/s", "100 /s".
std::string rate_text(double hz);

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace maxlat::core
