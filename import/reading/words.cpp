// SPDX-License-Identifier: MIT
#include "reading/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>

namespace maxlat::importing {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string_view take_word(std::string_view& line) {
  size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word; !(word = take_word(line)).empty();) words.push_back(word);
  return words;
}

Labelled labelled(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == line.npos) return {};
  return {core::trimmed(line.substr(0, colon)), core::trimmed(line.substr(colon + 1))};
}

std::optional<uint64_t> number_after(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + words.size());
  return core::whole_number(take_word(line));
}

std::optional<double> decimal_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::string in_quotes(std::string_view word) {
  std::string shown = core::printable(core::cut_to(word, 40));
  // What is not text at all is not shown as such.
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return "'" + shown + "'";
}

core::Error in_line(const InputText& input, const std::string& why) {
  return {.text = fmt::format("line {}: {}", input.line_number(), why)};
}

}  // namespace maxlat::importing
