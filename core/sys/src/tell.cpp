// SPDX-License-Identifier: MIT
#include <cstdio>
#include <maxlat/core/sys/tell.hpp>

namespace maxlat::core {

void tell_text(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace maxlat::core
