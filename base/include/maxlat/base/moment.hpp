// SPDX-License-Identifier: MIT
//
// The kernel's clocks in nanoseconds, and one moment on the counter and on a clock at once, which is what turns times
// of the one into times of the other.
#pragma once

#include <time.h>

#include <cstdint>

namespace maxlat::base {

std::uint64_t clock_ns(clockid_t clock);
inline std::uint64_t monotonic_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

struct Moment {
  std::uint64_t ticks = 0, ns = 0;
};

// Of several tries the one with the shortest bracket of counter reads around the clock's: the counter is known to
// within half of it. What interrupts a try only widens its bracket.
Moment read_both(clockid_t clock);

}  // namespace maxlat::base
