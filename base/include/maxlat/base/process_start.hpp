// SPDX-License-Identifier: MIT
//
// When a process began. A process number may be used again by another process; number and start time together name one
// process.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace maxlat::base {

// Ticks since the boot, as field 22 of /proc/PID/stat has it. RETURNS: 0: there is no such process, or it has ended and
// nobody has asked how. Not from signal handlers.
std::uint64_t start_time_of(pid_t pid);

}  // namespace maxlat::base
