// SPDX-License-Identifier: MIT
//
// Pages of a file in memory are taken before they are mapped (fallocate(2)): without any left that fails, and no store
// is ever a SIGBUS.
//
// SIGNALS. One that comes meanwhile may end the call with EINTR (fallocate(2); not on Linux 6.18, where it was tried),
// and what it had taken is given back: a program whose timer ticks faster than that would never have its memory. So
// signals are blocked, and wait until it is done.
#pragma once

#include <cstdint>

namespace maxlat::trace {

// As fallocate(2). Not a cancellation point. RETURNS: 0, or -1 and errno.
int fallocate_whole(int fd, int mode, std::int64_t offset, std::int64_t size);

// Whoever reserves memory calls it by this. Tests replace it with one that fails.
using ReserveMemory = int (*)(int fd, int mode, std::int64_t offset, std::int64_t size);
extern ReserveMemory reserve_memory;

}  // namespace maxlat::trace
