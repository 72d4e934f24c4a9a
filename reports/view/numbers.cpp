// SPDX-License-Identifier: MIT
#include "numbers.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::reports {
namespace {

constexpr const char* kNarrowSpace = "\u202f";

std::string superscript(int number) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(number))) text += kDigits[digit - '0'];
  return text;
}

// 3 figures of `value` in the largest of the units that leaves at least 1.
struct Unit {
  double size;
  const char* name;
};

template <size_t N>
const Unit& unit_for(double value, const Unit (&units)[N]) {
  const Unit* chosen = &units[0];
  for (const auto& unit : units) {
    if (value >= unit.size) chosen = &unit;
  }
  return *chosen;
}

}  // namespace

std::string latency_html(double ns) {
  std::string text = core::latency_text(ns);
  const size_t space = text.find(' ');
  if (space == std::string::npos) return text;
  std::string unit = text.substr(space + 1);
  if (unit == "us") unit = "µs";
  return text.substr(0, space) + kNarrowSpace + unit;
}

std::string with_micro_sign(std::string text) {
  const auto is = [&](size_t at, int (*of_class)(int)) {
    return at < text.size() && of_class(static_cast<unsigned char>(text[at])) != 0;
  };
  for (size_t at = text.find(" us"); at != std::string::npos; at = text.find(" us", at + 1)) {
    if (at > 0 && is(at - 1, std::isdigit) && !is(at + 3, std::isalnum)) text.replace(at + 1, 1, "µ");
  }
  return text;
}

std::string grouped(uint64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += kNarrowSpace;
    text += digits[i];
  }
  return text;
}

std::string about(double number) {
  if (number < 1e5 && number >= 10) return grouped(static_cast<uint64_t>(number));
  if (number < 10 && number >= 0.1) return fmt::format("{:.2g}", number);
  const int exponent = static_cast<int>(std::floor(std::log10(number)));
  return fmt::format("{:.1f}\u00a0×\u00a010{}", number / std::pow(10, exponent), superscript(exponent));
}

std::string seconds_html(double seconds) {
  static constexpr Unit kUnits[] = {{0, "s"}, {2 * 3600, "h"}};
  const Unit& unit = unit_for(seconds, kUnits);
  const double value = unit.size > 0 ? seconds / 3600 : seconds;
  return fmt::format("{:.{}f}{}{}", value, value < 100 ? 1 : 0, kNarrowSpace, unit.name);
}

std::string decade_label(double ns) {
  static constexpr Unit kUnits[] = {{1e-3, "ps"}, {1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
  const double nudged = ns * (1 + 1e-9);  // 1000 made by a power may be 999.999…
  const Unit& unit = unit_for(nudged, kUnits);
  return fmt::format("{:.4g} {}", ns / unit.size, unit.name);
}

std::string count_label(double count) {
  static constexpr Unit kUnits[] = {{1, ""}, {1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}, {1e15, " P"}};
  const Unit& unit = unit_for(count * (1 + 1e-9), kUnits);
  return fmt::format("{:.4g}{}", count / unit.size, unit.name);
}

}  // namespace maxlat::reports
