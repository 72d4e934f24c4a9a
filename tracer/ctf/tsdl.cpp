// SPDX-License-Identifier: MIT
#include "tsdl.hpp"

namespace maxlat::trace::tsdl {

std::string type_name(const Field& field) {
  const bool floating = field.kind == FieldKind::floating || field.is_float;
  const char letter = floating ? 'f' : field.is_signed ? 'i' : 'u';
  return letter + std::to_string(8 * field.bytes) + (field.is_hex ? "x" : "");
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += '\\';
      for (int shift = 6; shift >= 0; shift -= 3) out += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace maxlat::trace::tsdl
