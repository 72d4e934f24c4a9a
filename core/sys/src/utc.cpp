// SPDX-License-Identifier: MIT
#include <fmt/chrono.h>

#include <maxlat/core/sys/utc.hpp>

namespace maxlat::core {

std::string utc_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string utc_text(std::chrono::nanoseconds since_1970) {
  using std::chrono::system_clock;
  return utc_text(system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since_1970)));
}

}  // namespace maxlat::core
