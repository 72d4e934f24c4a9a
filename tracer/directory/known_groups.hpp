// SPDX-License-Identifier: MIT
//
// The same as maxlat/sensors/directory.hpp offers to monitors, of directories that are named.
#pragma once

#include <maxlat/sensors/directory.hpp>
#include <span>
#include <string>
#include <vector>

namespace maxlat::sensors::detail {

std::vector<KnownGroup> groups_of_directories(std::span<const std::string> places, bool running,
                                              std::vector<std::string>* refused);
base::Status forget_in(std::span<const std::string> places, const GroupView& group);

}  // namespace maxlat::sensors::detail
