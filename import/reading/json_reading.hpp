// SPDX-License-Identifier: MIT
//
// What the readers of JSON share. Inside them a mistake is thrown, because they are functions in functions; read_json()
// is the border, and returns it as an Error.
#pragma once

#include <fmt/core.h>

#include <maxlat/core/sys/result.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::importing {

// Thrown inside a reader only.
struct Mistake {
  std::string why;
};

// Of an object, called `who` in the mistake: finite and not negative; a whole number.
double number_of(const nlohmann::json& object, const char* key, const std::string& who);
uint64_t count_of(const nlohmann::json& object, const char* key, const std::string& who);
// Its histogram: {"12": 3456, …}, each value with its count.
std::vector<std::pair<double, uint64_t>> histogram_of(const nlohmann::json& object, const std::string& who);

// "-nan" and "inf", which C prints for numbers that JSON has no word for, are read as null: whoever needs such a number
// finds none.
// ERRORS: throws a parse_error, or a Mistake where an object has a key twice.
nlohmann::json parsed_json(std::string_view text);

core::Error not_readable(std::string_view tool, const std::string& why);
core::Error not_complete(std::string_view tool, size_t byte);

// What `read` makes of the document. `tool`: whose file it is, for errors: "cyclictest".
template <typename Read>
auto read_json(std::string_view tool, std::string_view text, Read read)
    -> core::Result<decltype(read(std::declval<const nlohmann::json&>()))> {
  try {
    return read(parsed_json(text));
  } catch (const Mistake& mistake) {
    return not_readable(tool, mistake.why);
  } catch (const nlohmann::json::parse_error& error) {
    return text.empty() ? not_readable(tool, "it is empty") : not_complete(tool, error.byte);
  } catch (const nlohmann::json::exception&) {
    return not_readable(tool, fmt::format("a value in it is not of the kind that {} writes", tool));
  }
}

// The value, or a mistake, inside read().
template <typename T>
T value_or_throw(core::Result<T> result) {
  if (!result) throw Mistake{result.error().text};
  return *std::move(result);
}

}  // namespace maxlat::importing
