// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::core {
namespace {

__extension__ typedef unsigned __int128 Wide;

struct Unit {
  std::string_view name;
  uint64_t ns;
};

constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60ull * 1'000'000'000},
    Unit{"h", 3'600ull * 1'000'000'000},
    Unit{"d", 86'400ull * 1'000'000'000},
};
constexpr Wide kLimit = Wide{1} << 63;
constexpr size_t kMaxDigits = 19;  // of 2^63; so that no intermediate product overflows 128 bits

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the digits at the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

Error bad_duration(std::string_view text, std::string_view what) {
  return {.text = fmt::format("\"{}\" is not a duration: {}", text, what),
          .hint = "a number and one of ns us ms s m h d, for example 500ms or 1.5h"};
}

// Three figures and the largest unit below `ns` of "ns" to "s".
std::string three_figures(double ns) {
  size_t unit = 0;
  double value = ns;
  // 999.5 would be printed as 1000: that is a figure of the next unit.
  while (unit < 3 && std::abs(value) >= 999.5) {
    value /= 1000;
    ++unit;
  }
  const double size = std::abs(value);
  const int decimals = size == 0 || size >= 99.95 || (unit == 0 && value == std::floor(value)) ? 0
                       : size >= 9.995                                                         ? 1
                       : size >= 0.9995                                                        ? 2
                                                                                               : 3;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit].name);
}

std::string two_units(uint64_t seconds, uint64_t large_s, const char* large, uint64_t small_s, const char* small) {
  const uint64_t rest = seconds % large_s / small_s;
  return rest == 0 ? fmt::format("{} {}", seconds / large_s, large)
                   : fmt::format("{} {} {} {}", seconds / large_s, large, rest, small);
}

}  // namespace

Result<uint64_t> parse_duration_ns(std::string_view text, std::string_view default_unit) {
  if (text.starts_with('-')) return bad_duration(text, "it is negative");
  std::string_view rest = text;
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return bad_duration(text, "it has no number");
  if (whole.size() > kMaxDigits || fraction.size() > kMaxDigits) return bad_duration(text, "it has too many digits");

  const std::string_view name = rest.empty() ? default_unit : rest;
  if (name.empty()) {
    if (whole.find_first_not_of('0') == std::string_view::npos && fraction.empty()) return 0;
    return Error{.text = fmt::format("\"{}\" has no unit", text),
                 .hint = fmt::format("write {0}us, {0}ms or {0}s", text)};
  }
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == kUnits.end()) return bad_duration(text, fmt::format("unknown unit \"{}\"", name));

  Wide ns = 0;
  for (char c : whole) ns = ns * 10 + static_cast<unsigned>(c - '0');
  ns *= unit->ns;
  Wide numerator = 0, denominator = 1;
  for (char c : fraction) {
    numerator = numerator * 10 + static_cast<unsigned>(c - '0');
    denominator *= 10;
  }
  numerator *= unit->ns;
  if (numerator % denominator != 0) return bad_duration(text, "it is finer than a nanosecond");
  ns += numerator / denominator;
  if (ns >= kLimit) return bad_duration(text, "it is longer than 292 years");
  return static_cast<uint64_t>(ns);
}

std::string duration_text(double seconds) {
  if (seconds < 59.95) {
    std::string text = three_figures(seconds * 1e9);
    // "500 ms", not "500.0 ms": a duration is mostly a round number that somebody chose.
    const size_t space = text.find(' ');
    if (text.find('.') < space) {
      size_t end = text.find_last_not_of('0', space - 1);
      if (text[end] == '.') --end;
      text.erase(end + 1, space - end - 1);
    }
    return text;
  }
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 3'600) return two_units(whole, 60, "m", 1, "s");
  if (whole < 86'400) return two_units(whole, 3'600, "h", 60, "m");
  return two_units(whole, 86'400, "d", 3'600, "h");
}

std::string latency_text(double ns) {
  return three_figures(ns);
}

std::string rate_text(double hz) {
  // What three figures round up to 1000 has the larger unit.
  if (hz >= 999.5e3) return fmt::format("{:.3g} M/s", hz / 1e6);
  if (hz >= 999.5) return fmt::format("{:.3g} k/s", hz / 1e3);
  return fmt::format("{:.3g} /s", hz);
}

}  // namespace maxlat::core
