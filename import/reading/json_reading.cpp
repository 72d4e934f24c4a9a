// SPDX-License-Identifier: MIT
#include "reading/json_reading.hpp"

#include <cctype>
#include <cmath>
#include <functional>
#include <set>

#include "reading/words.hpp"

namespace maxlat::importing {

using nlohmann::json;

namespace {

// A string, a word or a number from its first letter on, or one letter of any other kind.
std::string_view token_at(std::string_view text) {
  size_t end = 1;
  if (text[0] == '"') {
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return text.substr(0, end + 1);
  }
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.'; };
  if (is_of_word(text[0]))
    while (end < text.size() && is_of_word(text[end])) ++end;
  return text.substr(0, end);
}

std::string without_words_of_c(std::string_view text) {
  std::string json_text;
  json_text.reserve(text.size());
  for (std::string_view token; !text.empty(); text.remove_prefix(token.size())) {
    token = token_at(text);
    const std::string_view word = token.starts_with('-') ? token.substr(1) : token;
    json_text += word == "nan" || word == "inf" ? "null" : token;
  }
  return json_text;
}

// The keys of the objects that are open. The library keeps the last of two values, and would not tell of the first.
class Keys {
 public:
  // nlohmann's parser_callback_t.
  bool operator()(int, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(parsed.get_ref<const std::string&>()).second)
      throw Mistake{fmt::format("the key {} is there twice", in_quotes(parsed.get_ref<const std::string&>()))};
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

}  // namespace

json parsed_json(std::string_view text) {
  Keys keys;
  return json::parse(without_words_of_c(text), std::ref(keys));
}

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
