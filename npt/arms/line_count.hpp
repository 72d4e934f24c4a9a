// SPDX-License-Identifier: MIT
//
// How many lines a log has: what arms that write text recorded. A last line without its end was not written whole.
#pragma once

#include <cstdint>
#include <string>

namespace maxlat::npt {

// 0 where the file cannot be read: then nothing was recorded that anybody could read back.
uint64_t count_lines(const std::string& path);

}  // namespace maxlat::npt
