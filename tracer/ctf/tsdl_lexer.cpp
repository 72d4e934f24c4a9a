// SPDX-License-Identifier: MIT
#include "tsdl_lexer.hpp"

namespace maxlat::trace::tsdl {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// RETURNS: false when a comment does not end.
bool Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) return false;
      at_ = close + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blanks()) return {Token::cut, {}, at_};
  const std::size_t begin = at_;
  if (begin == text_.size()) return {Token::end, {}, begin};
  const char first = text_[begin];
  if (first == '"') {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) {
      at_ = text_.size();  // an escape at the very end has stepped over it
      return {Token::cut, {}, begin};
    }
    ++at_;
    return {Token::string, text_.substr(begin + 1, at_ - begin - 2), begin};
  }
  ++at_;
  const bool negative = first == '-' && at_ < text_.size() && is_digit(text_[at_]);
  if (is_word(first) || negative) {
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  }
  const Token::Kind kind = negative || is_digit(first) ? Token::number : is_word(first) ? Token::word : Token::mark;
  return {kind, text_.substr(begin, at_ - begin), begin};
}

std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else if (i + 3 < text.size() && is_digit(text[i + 1])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[++i];
    }
  }
  return out;
}

}  // namespace maxlat::trace::tsdl
