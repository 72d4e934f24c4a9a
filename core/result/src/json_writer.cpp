// SPDX-License-Identifier: MIT
#include "json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace maxlat::core {

double as_written(double value, int decimals) {
  if (value == std::trunc(value)) return value;
  fmt::basic_memory_buffer<char, 64> text;
  fmt::format_to(std::back_inserter(text), "{:.{}f}", value, decimals);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void JsonWriter::scalar(std::string_view, std::string_view value) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(value.begin(), value.end(), is_plain)) {  // every key, and most texts
    text_ += '"';
    text_ += value;
    text_ += '"';
    return;
  }
  // Settings and command output may hold any byte; what is not UTF-8 becomes U+FFFD, as the file must stay JSON.
  using nlohmann::json;
  text_ += json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

void JsonWriter::scalar(std::string_view key, double value) {
  decimal(value, decimals_of(key));
}

void JsonWriter::scalar(std::string_view, uint64_t value) {
  fmt::format_to(std::back_inserter(text_), "{}", value);
}

void JsonWriter::decimal(double value, int decimals) {
  if (!std::isfinite(value)) {  // validate() refuses it; whoever writes without asking gets a file that is refused
    text_ += "null";
    return;
  }
  fmt::format_to(std::back_inserter(text_), "{:.{}f}", value, decimals);
  while (text_.back() == '0') text_.pop_back();
  if (text_.back() == '.') text_.pop_back();
}

void JsonWriter::strings(std::string_view key, const std::vector<std::string>& values) {
  begin(key);
  open('[');
  for (const std::string& value : values) {
    separate();
    scalar(key, value);
  }
  close(']');
}

void JsonWriter::numbers(std::string_view key, const std::vector<double>& values) {
  begin(key);
  text_ += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    decimal(values[i], kDecimals);
  }
  text_ += ']';
}

void JsonWriter::bins(std::string_view key, const std::vector<Bin>& bins) {
  constexpr size_t kBinsPerLine = 16;
  begin(key);
  text_ += '[';
  for (size_t i = 0; i < bins.size(); ++i) {
    if (i > 0) text_ += ',';
    if (i > 0 && i % kBinsPerLine == 0) text_ += '\n';
    text_ += '[';
    decimal(bins[i].low_ns, kDecimals);
    text_ += ',';
    decimal(bins[i].high_ns, kDecimals);
    fmt::format_to(std::back_inserter(text_), ",{}]", bins[i].count);
  }
  text_ += ']';
}

void JsonWriter::begin(std::string_view key) {
  separate();
  scalar(key, key);
  text_ += one_line_ > 0 ? ":" : ": ";
}

void JsonWriter::separate() {
  if (!empty_) text_ += ',';
  empty_ = false;
  if (one_line_ > 0) return;
  text_ += '\n';
  text_.append(static_cast<size_t>(depth_), ' ');
}

void JsonWriter::open(char bracket) {
  text_ += bracket;
  ++depth_;
  empty_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!empty_ && one_line_ == 0) {
    text_ += '\n';
    text_.append(static_cast<size_t>(depth_), ' ');
  }
  text_ += bracket;
  empty_ = false;
}

}  // namespace maxlat::core
