// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace maxlat::npt {

// What the files in a folder and below hold: how long a trace is.
uint64_t bytes_below(const std::string& folder);

}  // namespace maxlat::npt
