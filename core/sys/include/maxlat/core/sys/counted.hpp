// SPDX-License-Identifier: MIT
//
// "1 round", "8 rounds".
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace maxlat::core {

// For nouns that take an s.
inline std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace maxlat::core
