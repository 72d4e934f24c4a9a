// SPDX-License-Identifier: MIT
#include "escape.hpp"

#include <algorithm>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::trace_tools {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Some letters of several bytes are obeyed by terminals (core::printable()).
bool is_shown(std::string_view letter) {
  return core::printable(letter) == letter;
}

template <bool kForTerminals, typename Special>
std::string escaped(std::string_view text, const Special& special) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      out += c;
    } else if (const std::size_t length = c < 0 ? core::utf8_length(text.substr(i)) : 0;
               length != 0 && (!kForTerminals || is_shown(text.substr(i, length)))) {
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
  return escaped<true>(
      text, [](std::string& out, unsigned char byte) { ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15]; });
}

std::string json_escaped(std::string_view text) {
  return escaped<false>(text, [](std::string& out, unsigned char byte) {
    if (byte >= 0x80)
      out += "\\ufffd";
    else
      ((out += "\\u00") += kHex[byte >> 4]) += kHex[byte & 15];
  });
}

std::string quoted_json(std::string_view text) {
  return '"' + json_escaped(text) + '"';
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace maxlat::trace_tools
