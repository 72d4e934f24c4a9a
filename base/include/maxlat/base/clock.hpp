// SPDX-License-Identifier: MIT
//
// How fast the time-stamp counter ticks, who says so, and whether it may be trusted at all.
//
// A latency is a difference of ticks; every figure of this toolkit depends on the rate. So the rate is never guessed
// from /proc/cpuinfo (that is the core's present frequency, not the counter's: npt 1.01 takes it) and its source is
// part of every result. In this order:
//
//   kernel    the kernel's own calibration, from the user page of a perf event (time_mult, time_shift)
//   cpuid     leaf 15h (crystal and ratio), or the hypervisor's leaf 40000010h
//   measured  against CLOCK_MONOTONIC_RAW, the median of several spans, with the spread as stated error
//
// A counter that is not invariant (CPUID 80000007h EDX bit 8; constant on aarch64 by architecture), or that the kernel
// has marked unstable, is refused: `trust` says why, and npt falls back to CLOCK_MONOTONIC_RAW and says so.
//
// ERRORS: calibrate() does not fail; a counter that cannot be trusted is an answer, not an error.
// COST: microseconds from kernel or cpuid, about 60 ms when it has to measure.
#pragma once

#include <cstdint>
#include <string>

#include <maxlat/base/counter.h>

namespace maxlat::base {

enum class RateSource { kernel, cpuid, measured, monotonic_raw };

const char* to_string(RateSource source);

struct CounterClock {
  RateSource source = RateSource::measured;
  double ticks_per_ns = 0;   // 2.596 on a 2.596 GHz counter
  double error_ppm = 0;      // stated error of the rate: spread for measured, 0 where the source states none
  bool trusted = false;      // invariant, and not marked unstable by the kernel
  std::string why;           // one line: what makes it trusted or not
  maxlat_counter_ratio ratio{};

  double to_ns(double ticks) const { return ticks / ticks_per_ns; }
  uint64_t to_ns(uint64_t ticks) const { return maxlat_ticks_to_ns(ratio, ticks); }
  uint64_t to_ticks(uint64_t ns) const { return maxlat_ns_to_ticks(ratio, ns); }
};

// The counter of this machine. `force_measure` is npt's -e: measure even where the kernel or CPUID knows.
CounterClock calibrate(bool force_measure = false);

// A clock of a given rate, for tests and for results that come from elsewhere.
CounterClock clock_with_rate(double ticks_per_ns);

}  // namespace maxlat::base
