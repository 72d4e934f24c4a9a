// SPDX-License-Identifier: MIT
//
// Where the counter stands against the system's clocks. The offset is what the clock showed minus the counter in
// nanoseconds at the rate that the METADATA states (whole hertz): a counter that has run for a week at 2.6 GHz stands
// at 1.6e15, and a rate cut to whole hertz moves its end by 0.1 ms. Taken with the same cut rate, the error is zero at
// the moment of measuring, and grows only from there.
#include <maxlat/base/moment.hpp>
#include <maxlat/trace/ctf_format.hpp>

#include "frequency.hpp"

namespace maxlat::trace {
namespace {

std::int64_t offset_ns(clockid_t clock, std::uint64_t frequency_hz) {
  const base::Moment moment = base::read_both(clock);
  return static_cast<std::int64_t>(moment.ns) - static_cast<std::int64_t>(ticks_to_ns(moment.ticks, frequency_hz));
}

}  // namespace

TraceClock trace_clock(const base::CounterClock& counter) {
  const std::uint64_t frequency = frequency_hz(counter);
  return {counter, offset_ns(CLOCK_REALTIME, frequency), offset_ns(CLOCK_MONOTONIC, frequency)};
}

}  // namespace maxlat::trace
