// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/machine/hash.hpp>

namespace maxlat::core {

std::string hash_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace maxlat::core
