// SPDX-License-Identifier: MIT
//
// When a process began: a process number and this are one process, while the number alone may be another's by now.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace maxlat::base {

// Ticks since the boot, as field 22 of /proc/PID/stat has it. RETURNS: 0: there is no such process, or it has ended and
// nobody has asked how. Not from signal handlers.
std::uint64_t start_time_of(pid_t pid);

}  // namespace maxlat::base
