// SPDX-License-Identifier: MIT
#include "redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace maxlat::core {
namespace {

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// In a pattern 'x' is a hex digit; everything else is itself.
size_t match_pattern(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == 'x' ? !is_hex(text[i]) : text[i] != pattern[i]) return 0;
  return pattern.size();
}

// Four numbers of one to three digits with dots between: 10.0.0.1. A kernel version has three at most.
size_t match_address(std::string_view text) {
  size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) return 0;
    const size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == begin || at - begin > 3) return 0;
  }
  return at;
}

// Seven colons, or one "::" behind a first group of four digits, as every address that leaves a machine has. A time, a
// place on the PCI bus and the name of a C++ thing have neither.
size_t match_address_6(std::string_view text) {
  size_t at = 0, colons = 0, first = 0;
  bool shortened = false;
  while (at < text.size() && (is_hex(text[at]) || text[at] == ':')) {
    const size_t begin = at;
    while (at < text.size() && is_hex(text[at])) ++at;
    if (at - begin > 4) return 0;
    if (begin == 0) first = at;
    if (at == text.size() || text[at] != ':') break;
    const size_t colon = at;
    while (at < text.size() && text[at] == ':') ++at;
    if (at - colon > 2 || (at - colon == 2 && shortened)) return 0;
    shortened = shortened || at - colon == 2;
    colons += at - colon;
  }
  return colons == 7 || (shortened && first == 4) ? at : 0;
}

// Length of the private value that begins here, 0 when none does.
size_t private_value(std::string_view text, std::string_view host_name) {
  constexpr std::array<std::string_view, 3> kPatterns{"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "xx:xx:xx:xx:xx:xx",
                                                      "xx-xx-xx-xx-xx-xx"};
  size_t length = std::max(match_address(text), match_address_6(text));
  for (const std::string_view pattern : kPatterns) length = std::max(length, match_pattern(text, pattern));
  if (!host_name.empty() && text.starts_with(host_name)) length = std::max(length, host_name.size());
  return length;
}

}  // namespace

std::string private_host_name(const MachineView& machine) {
  const std::string name = machine.read("/proc/sys/kernel/hostname").value_or("");
  return name == "localhost" || name == "linux" || name == "(none)" ? "" : name;
}

std::string redact(std::string_view text, std::string_view host_name) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const bool word_begins = at == 0 || !is_word(text[at - 1]);
    const size_t length = word_begins ? private_value(text.substr(at), host_name) : 0;
    if (length > 0 && (at + length == text.size() || !is_word(text[at + length]))) {
      clean += kRedacted;
      at += length;
    } else {
      clean += text[at++];
    }
  }
  return clean;
}

}  // namespace maxlat::core
