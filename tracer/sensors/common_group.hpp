// SPDX-License-Identifier: MIT
//
// The same as maxlat/sensors/common_group.hpp offers, by directories that are named.
#pragma once

#include <maxlat/sensors/common_group.hpp>
#include <span>
#include <string>

namespace maxlat::sensors::detail {

base::Status join_group_by(std::span<const std::string> directories, void* pages, std::size_t bytes,
                           std::string_view name);

}  // namespace maxlat::sensors::detail
