// SPDX-License-Identifier: MIT
#include "session/pattern.hpp"

#include <cstddef>

#include "shm/session_layout.h"

namespace maxlat::trace::detail {
namespace {

constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";

}  // namespace

// When a try behind the last `*` fails, that `*` takes one character more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t behind_star = std::string_view::npos, star_took_to = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      behind_star = ++p;
      star_took_to = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (behind_star != std::string_view::npos) {
      p = behind_star;
      n = ++star_took_to;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_name(std::string_view text) {
  // Files are named after channels, and readers of traces pass over those that begin with a dot.
  return !text.empty() && text.front() != '.' && text.size() < MAXLAT_SHM_NAME &&
         text.find_first_not_of(kNameCharacters) == text.npos;
}

bool is_pattern(std::string_view text) {
  for (const char c : text) {
    if (c != '*' && c != '?' && kNameCharacters.find(c) == kNameCharacters.npos) return false;
  }
  return !text.empty();
}

}  // namespace maxlat::trace::detail
