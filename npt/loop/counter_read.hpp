// SPDX-License-Identifier: MIT
//
// The counter reads as types, so that the loop is compiled once for each and the choice costs nothing inside it.
#pragma once

#include <maxlat/base/counter.h>
#include <time.h>

#include <cstdint>

namespace maxlat::npt {

struct FencedCounter {
  uint64_t read() const { return maxlat_counter_fenced(); }
};

struct PlainCounter {
  uint64_t read() const { return maxlat_counter_plain(); }
};

struct OrderedCounter {
  uint64_t read() const { return maxlat_counter_ordered(); }
};

// Where the counter cannot be trusted: nanoseconds of a clock that the kernel keeps steady. Costs more, and is a system
// call where the kernel's clock source has no user-space read.
struct RawClockCounter {
  uint64_t read() const {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
  }
};

}  // namespace maxlat::npt
