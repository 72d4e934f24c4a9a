// SPDX-License-Identifier: MIT
//
// Where the counter stands against the system's clocks. The offset is what the clock showed minus the counter in
// nanoseconds at the rate that the METADATA states (whole hertz): a counter that has run for a week at 2.6 GHz stands
// at 1.6e15, and a rate cut to whole hertz moves its end by 0.1 ms. Taken with the same cut rate, the error is zero at
// the moment of measuring, and grows only from there.
#include <maxlat/base/counter.h>
#include <time.h>

#include <maxlat/trace/ctf_format.hpp>

#include "frequency.hpp"

namespace maxlat::trace {
namespace {

constexpr int kReadPairs = 16;

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The clock between two reads of the counter, the closest pair of several: what interrupts the pair only widens it.
std::int64_t offset_ns(clockid_t clock, std::uint64_t frequency_hz) {
  std::uint64_t narrowest = ~std::uint64_t{0};
  std::int64_t offset = 0;
  for (int i = 0; i < kReadPairs; ++i) {
    const std::uint64_t before = maxlat_counter_ordered();
    const std::int64_t ns = clock_ns(clock);
    const std::uint64_t after = maxlat_counter_ordered();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    offset = ns - static_cast<std::int64_t>(ticks_to_ns(before + narrowest / 2, frequency_hz));
  }
  return offset;
}

}  // namespace

TraceClock trace_clock(const base::CounterClock& counter) {
  const std::uint64_t frequency = frequency_hz(counter);
  return {counter, offset_ns(CLOCK_REALTIME, frequency), offset_ns(CLOCK_MONOTONIC, frequency)};
}

}  // namespace maxlat::trace
