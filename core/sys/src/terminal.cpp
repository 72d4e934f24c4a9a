// SPDX-License-Identifier: MIT
#include <sys/ioctl.h>

#include <maxlat/core/sys/terminal.hpp>

namespace maxlat::core {

std::optional<std::size_t> terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace maxlat::core
