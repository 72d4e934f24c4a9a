// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/version.hpp>

namespace maxlat::core {

// The MAXLAT_... macros are set in core/CMakeLists.txt, for this file alone.
std::string version_text() {
  return "maxlat " MAXLAT_VERSION;
}

std::string build_text() {
#if defined(__clang__)
  const char* compiler = "clang " __clang_version__;
#else
  const char* compiler = "gcc " __VERSION__;
#endif
  const std::string_view sanitizers = MAXLAT_SANITIZERS;
  return fmt::format("{}, {}, {}, sanitizers: {}, linked: {}", compiler, MAXLAT_BUILD_TYPE, MAXLAT_PROCESSOR,
                     sanitizers.empty() ? "none" : sanitizers, MAXLAT_LINKED);
}

}  // namespace maxlat::core
