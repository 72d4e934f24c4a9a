// SPDX-License-Identifier: MIT
#include "reading/json_reading.hpp"

#include <cmath>

#include "reading/words.hpp"

namespace maxlat::importing {

using nlohmann::json;

double number_of(const json& object, const char* key, const std::string& who) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) throw Mistake{fmt::format("{} has no '{}'", who, key)};
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0) throw Mistake{fmt::format("{}: '{}' is {}", who, key, value)};
  return value;
}

uint64_t count_of(const json& object, const char* key, const std::string& who) {
  number_of(object, key, who);
  if (!object[key].is_number_unsigned()) throw Mistake{fmt::format("{}: '{}' is not a count", who, key)};
  return object[key].get<uint64_t>();
}

std::vector<std::pair<double, uint64_t>> histogram_of(const json& object, const std::string& who) {
  const auto histogram = object.find("histogram");
  if (histogram == object.end() || !histogram->is_object())
    throw Mistake{fmt::format("{} has no histogram (cyclictest needs -h N)", who)};
  std::vector<std::pair<double, uint64_t>> rows;
  for (const auto& [key, count] : histogram->items()) {
    const std::optional<double> value = decimal_number(key);
    if (!value || !count.is_number_unsigned())
      throw Mistake{fmt::format("{}: histogram row {} is not a count", who, in_quotes(key))};
    rows.emplace_back(*value, count.get<uint64_t>());
  }
  return rows;
}

core::Error not_readable(std::string_view tool, const std::string& why) {
  return {fmt::format("{}'s result is not readable: {}", tool, why), "run its command by hand to see what it prints"};
}

core::Error not_complete(std::string_view tool, size_t byte) {
  // As of a result of our own (core/result).
  return {fmt::format("{}'s result is not readable: not a complete JSON text: it breaks off or goes wrong at byte {}",
                      tool, byte),
          "was the program that wrote it killed, or the disk full?"};
}

}  // namespace maxlat::importing
