// SPDX-License-Identifier: MIT
#include <fmt/chrono.h>

#include <maxlat/core/sys/utc.hpp>

namespace maxlat::core {

std::string utc_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace maxlat::core
