// SPDX-License-Identifier: MIT
//
// Which Linux it is, where a file or a rule of the kernel depends on that and does not show it itself. (Where it does,
// look at the file: distributions bring back features to older kernels.)
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace maxlat::core {

struct KernelRelease {
  unsigned major = 0, minor = 0;
  auto operator<=>(const KernelRelease&) const = default;
};

// Of a text as uname(2) has it: "6.12.95+deb12-rt-amd64". Nothing where it does not begin so.
std::optional<KernelRelease> kernel_release(std::string_view text);

}  // namespace maxlat::core
