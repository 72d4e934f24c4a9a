// SPDX-License-Identifier: MIT
//
// TSDL, split into words: identifiers (dots included: packet.context), numbers, strings, and single characters.
// Comments are skipped. Never reads outside the text, always ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace maxlat::trace::tsdl {

struct Token {
  enum Kind { word, number, mark, string, end, cut };  // cut: the text ends inside a string or comment
  Kind kind = end;
  std::string_view text;  // of a string: between its quotes, escapes as they were written
  std::size_t offset = 0;

  bool is(std::string_view expected) const { return kind < string && text == expected; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();
  std::size_t offset() const { return at_; }

 private:
  bool skip_blanks();

  std::string_view text_;
  std::size_t at_ = 0;
};

// What a string token means.
std::string unquoted(std::string_view text);

}  // namespace maxlat::trace::tsdl
