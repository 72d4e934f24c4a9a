// SPDX-License-Identifier: MIT
#include "sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::reports {
namespace {

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool is_postgresql(std::string_view store) {
  return store.starts_with("postgresql://") || store.starts_with("postgres://");
}

std::optional<double> number_of(const SqlValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<int64_t>(&value)) return static_cast<double>(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return parsed<double>(*text);
  return std::nullopt;
}

int64_t count_of(const SqlValue& value) {
  if (const auto* count = std::get_if<int64_t>(&value)) return *count;
  if (const auto* text = std::get_if<std::string>(&value)) return parsed<int64_t>(*text).value_or(0);
  return 0;
}

std::string text_of(const SqlValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

SqlValue value_of(const std::optional<double>& number) {
  return number ? SqlValue(*number) : SqlValue();
}

std::string sql_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = text.front() == '\0' ? 0 : core::utf8_length(text);
    if (length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

}  // namespace maxlat::reports
