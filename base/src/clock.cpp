// SPDX-License-Identifier: MIT
#include <cmath>
#include <maxlat/base/clock.hpp>

#include "clock_rate_source.hpp"

namespace maxlat::base {

const char* to_string(RateSource source) {
  switch (source) {
    case RateSource::kernel:
      return "kernel calibration";
    case RateSource::cpuid:
      return "CPUID";
    case RateSource::measured:
      return "measured against CLOCK_MONOTONIC_RAW";
    case RateSource::monotonic_raw:
      return "CLOCK_MONOTONIC_RAW itself";
  }
  return "unknown";
}

CounterClock clock_with_rate(double ticks_per_ns) {
  CounterClock clock;
  clock.ticks_per_ns = ticks_per_ns;
  clock.ratio.mult = static_cast<uint64_t>(std::llround(std::ldexp(1 / ticks_per_ns, 32)));
  clock.ratio.inverse = static_cast<uint64_t>(std::llround(std::ldexp(ticks_per_ns, 32)));
  clock.trusted = true;
  clock.why = "given";
  return clock;
}

CounterClock calibrate(bool force_measure) {
  RateSource source = RateSource::measured;
  double error_ppm = 0;
  std::optional<double> rate;
  if (!force_measure) {
    source = RateSource::kernel;
    rate = ticks_per_ns_from_kernel();
    if (!rate) {
      source = RateSource::cpuid;
      rate = ticks_per_ns_from_cpuid();
    }
  }
  if (!rate) {
    const MeasuredRate measured = measure_ticks_per_ns();
    source = RateSource::measured;
    rate = measured.ticks_per_ns;
    error_ppm = measured.spread_ppm;
  }
  CounterClock clock = clock_with_rate(*rate);
  clock.source = source;
  clock.error_ppm = error_ppm;
  CounterTrust trust = counter_trust();
  clock.trusted = trust.trusted;
  clock.why = std::move(trust.why);
  return clock;
}

}  // namespace maxlat::base
