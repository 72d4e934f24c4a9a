// SPDX-License-Identifier: MIT
//
// Text for a terminal: what it shows of it, how wide, in lines of which width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace maxlat::core {

// Of what we print, in lines of our own making.
inline constexpr std::size_t kTextWidth = 120;

// Bytes of the UTF-8 character that the text begins with; 0 when there is none (RFC 3629: no overlong form, no
// surrogate). REQUIRES: not empty.
std::size_t utf8_length(std::string_view text);
// Characters a terminal shows: bytes that do not continue a UTF-8 sequence.
std::size_t shown_width(std::string_view text);
// At most `width` characters, the last two ".." when something was cut.
std::string cut_to(std::string_view text, std::size_t width);
// What a terminal must not be sent as it is (escape sequences in a name) becomes '?'.
std::string printable(std::string_view text);

// Words wrapped to the width: `first` before the first line, `indent` before the others; a word that is wider than that
// has a line of its own.
std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view indent);
// The same, with as many blanks before the others as `first` is wide.
std::string wrapped(std::string_view text, std::size_t width, std::string_view first);

// A line of a list: the name, filled up to the width, and what it is. A name that is wider has one blank behind it.
inline constexpr std::size_t kNameWidth = 12;  // of commands and plans
std::string list_line(std::string_view name, std::string_view what, std::size_t width = kNameWidth);

// "a, b, c": the names of a table's rows (pointers to what has a name), for the hint of an error.
template <class Rows>
std::string names_of(const Rows& rows) {
  std::string names;
  for (const auto* row : rows) names.append(names.empty() ? "" : ", ").append(row->name);
  return names;
}

}  // namespace maxlat::core
