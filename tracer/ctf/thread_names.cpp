// SPDX-License-Identifier: MIT
#include <charconv>
#include <maxlat/trace/thread_names.hpp>
#include <optional>

#include "tsdl.hpp"
#include "tsdl_lexer.hpp"

namespace maxlat::trace {
namespace {

// Takes `word` and the blank behind it from the front.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() == word.size() || text[word.size()] != ' ') return false;
  text.remove_prefix(word.size() + 1);
  return true;
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
  return word;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool parse_line(std::string_view line, ThreadNames& names) {
  if (!take(line, "ring")) return false;
  const std::string_view ring = take_word(line);
  if (!take(line, "tid") || !take_number(line) || !take(line, "from")) return false;
  const std::optional<std::uint64_t> from = take_number(line);
  if (!from || !take(line, "name")) return false;
  tsdl::Lexer words(line);
  const tsdl::Token name = words.next();
  if (name.kind != tsdl::Token::string || words.offset() != line.size()) return false;
  names[std::string(ring)].push_back({*from, tsdl::unquoted(name.text)});
  return true;
}

}  // namespace

std::string thread_name_line(std::string_view ring, std::uint32_t thread_id, const ThreadName& name) {
  return "ring " + std::string(ring) + " tid " + std::to_string(thread_id) + " from " +
         std::to_string(name.from_ticks) + " name " + tsdl::quoted(name.text) + "\n";
}

ThreadNames parse_thread_names(std::string_view text) {
  ThreadNames names;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    parse_line(text.substr(0, end), names);
  }
  return names;
}

std::size_t wrong_thread_name_line(std::string_view text) {
  ThreadNames names;
  std::size_t number = 1;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1), ++number) {
    if (!parse_line(text.substr(0, end), names)) return number;
  }
  return 0;
}

}  // namespace maxlat::trace
