// SPDX-License-Identifier: MIT
//
// The program's side of a directory (maxlat/sensors/directory.hpp): its groups are handed over when they are published.
#pragma once

#include <span>
#include <string>

namespace maxlat::sensors::detail {

// To each of these directories that is there. Nothing that waits, nothing that can fail for the program: who is not
// there, or too busy to listen, does not get it.
void hand_over(int memory, std::span<const std::string> directories);

}  // namespace maxlat::sensors::detail
