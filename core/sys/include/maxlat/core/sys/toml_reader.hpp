// SPDX-License-Identifier: MIT
//
// TOML that people write: plans and gates. What is wrong with it is one line with file and line number, whether the
// text is no TOML or says something that the reader does not take.
//
// A reader is a function from the document to a value. It throws, by refuse(), inside read_toml() only, which turns
// that into an Error.
#pragma once

#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#endif
// toml++ 3.3 asserts what a text can make false ("[#"), and then refuses the text: a debug build must not end there.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

struct TomlMistake {
  toml::source_position where;
  std::string text;
};

// "FILE:LINE: text"
Error error_in_file(const std::string& file, const toml::source_position& where, std::string_view text,
                    std::string_view hint);

// Throws a TomlMistake where toml++ 3.3 would not come back with an error:
//   a letter that is not ASCII where a blank may be, and toml++ runs into __builtin_unreachable(): outside quotes
//   and comments, behind a backslash, and behind one that ends a line and its blanks. TOML knows only the last;
//   what would make toml++ take for such a letter one that stands in quotes for us: a quote or a bracket in a word, a
//   second "=";
//   a key of more than 64 names (a.b.c). It makes a table of each in the one before, and frees them by as many calls in
//   each other.
void refuse_what_breaks_toml(std::string_view text);

// `hint` is that of every error.
template <typename Reader>
auto read_toml(std::string_view text, const std::string& file, std::string_view hint, const Reader& reader)
    -> Result<decltype(reader(std::declval<const toml::table&>()))> {
  try {
    refuse_what_breaks_toml(text);
    return reader(toml::parse(text, file));
  } catch (const TomlMistake& mistake) {
    return error_in_file(file, mistake.where, mistake.text, hint);
  } catch (const toml::parse_error& error) {
    return error_in_file(file, error.source().begin, error.description(), hint);
  }
}

// All that follow throw a TomlMistake, and so may be called by a reader only.
[[noreturn]] void refuse(const toml::node& node, std::string text);
std::string toml_text(const toml::node& node, std::string_view key);
std::string toml_line(const toml::node& node, std::string_view key);  // may be empty
std::vector<std::string> toml_texts(const toml::node& node, std::string_view key);
uint64_t toml_time_ns(const toml::node& node, std::string_view key);  // "50us"
const toml::table& toml_table(const toml::node& node, std::string_view key);
// Its keys as they stand in the file: a table has them by name.
struct TomlEntry {
  std::string key;
  const toml::node& value;
};
std::vector<TomlEntry> toml_in_order(const toml::table& table);
// A dotted key without quotes (p99.9) is read as a table: said in words, as it is the likeliest slip.
void refuse_dotted_key(const toml::node& node, std::string_view key);

}  // namespace maxlat::core
