// SPDX-License-Identifier: MIT
//
// A file that the user named, whole; also a pipe, which is read to its end.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::core {

// ERRORS: what the system says of it: no such file, is a directory, permission denied.
Result<std::string> read_input(const std::string& path);

}  // namespace maxlat::core
