// SPDX-License-Identifier: MIT
#include "escape.hpp"

#include <algorithm>

namespace maxlat::trace_tools {
namespace {

constexpr char kHex[] = "0123456789abcdef";

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// What begins with these two bytes is no overlong form, no surrogate and not beyond the last character: a strict reader
// of JSON takes none of them.
bool may_begin(unsigned char first, unsigned char second) {
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  return first != 0xf4 || second < 0x90;
}

// Bytes of the UTF-8 character at the beginning: 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length || !may_begin(first, static_cast<unsigned char>(text[1]))) return 0;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length : 0;
}

template <typename Special>
std::string escaped(std::string_view text, const Special& special) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      out += c;
    } else if (const std::size_t length = c < 0 ? utf8_length(text.substr(i)) : 0; length != 0) {
      out += text.substr(i, length);
      i += length - 1;
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (const std::size_t named = std::string_view("\n\t\r\b\f").find(c); named != std::string_view::npos) {
      (out += '\\') += "ntrbf"[named];
    } else {
      special(out, static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

std::string c_escaped(std::string_view text) {
  return escaped(text,
                 [](std::string& out, unsigned char byte) { ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15]; });
}

std::string json_escaped(std::string_view text) {
  return escaped(text, [](std::string& out, unsigned char byte) {
    if (byte >= 0x80)
      out += "\\ufffd";
    else
      ((out += "\\u00") += kHex[byte >> 4]) += kHex[byte & 15];
  });
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace maxlat::trace_tools
