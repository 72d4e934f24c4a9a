// SPDX-License-Identifier: MIT
//
// Ticks and nanoseconds at a rate in whole hertz, as CTF states it. Exact: no drift between the writer of an offset and
// the reader that uses it.
#pragma once

#include <maxlat/base/platform.h>

#include <cmath>
#include <cstdint>
#include <maxlat/base/clock.hpp>

namespace maxlat::trace {

inline std::uint64_t frequency_hz(const base::CounterClock& counter) {
  return static_cast<std::uint64_t>(std::llround(counter.ticks_per_ns * 1e9));
}

inline std::uint64_t ticks_to_ns(std::uint64_t ticks, std::uint64_t frequency_hz) {
  return static_cast<std::uint64_t>(maxlat_u128{ticks} * 1'000'000'000 / frequency_hz);
}

inline std::uint64_t ns_to_ticks(std::uint64_t ns, std::uint64_t frequency_hz) {
  return static_cast<std::uint64_t>(maxlat_u128{ns} * frequency_hz / 1'000'000'000);
}

}  // namespace maxlat::trace
