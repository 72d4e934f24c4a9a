// SPDX-License-Identifier: MIT
#include <charconv>
#include <maxlat/core/sys/kernel_release.hpp>

namespace maxlat::core {

std::optional<KernelRelease> kernel_release(std::string_view text) {
  KernelRelease release;
  const char* const end = text.data() + text.size();
  const auto [dot, major_error] = std::from_chars(text.data(), end, release.major);
  if (major_error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [behind, minor_error] = std::from_chars(dot + 1, end, release.minor);
  return minor_error == std::errc{} ? std::optional(release) : std::nullopt;
}

}  // namespace maxlat::core
