// SPDX-License-Identifier: MIT
//
// Wall-clock times for people and files, in UTC and to the second (ISO 8601). Nothing is measured with them.
#pragma once

#include <chrono>
#include <string>

namespace maxlat::core {

// "2026-11-23T23:34:40Z": every time in a result.
std::string utc_text(std::chrono::system_clock::time_point time = std::chrono::system_clock::now());
// Of what the kernel tells: nanoseconds since 1970.
std::string utc_text(std::chrono::nanoseconds since_1970);

}  // namespace maxlat::core
