// SPDX-License-Identifier: MIT
//
// Who can say how fast the counter ticks, one function each. clock.cpp asks them in order of authority.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace maxlat::base {

// The kernel's calibration from a perf event's user page: ns = ticks * mult >> shift. Nothing when perf is not allowed
// (perf_event_paranoid) or the kernel does not use this counter for its own clock.
std::optional<double> ticks_per_ns_from_kernel();

// x86: CPUID leaf 15h, else the hypervisor's leaf 40000010h. aarch64: CNTFRQ_EL0.
std::optional<double> ticks_per_ns_from_cpuid();

struct MeasuredRate {
  double ticks_per_ns = 0;
  double spread_ppm = 0;  // half of (largest - smallest span) / median
};
// Against CLOCK_MONOTONIC_RAW: the median over `spans` spans of `span_ns` each, so that one preemption between two
// reads spoils one span and not the result.
MeasuredRate measure_ticks_per_ns(unsigned spans = 7, uint64_t span_ns = 8'000'000);

struct CounterTrust {
  bool trusted = false;
  std::string why;
};
// Invariance from the processor, stability from the kernel's list of clock sources. `sysfs` is "/sys" but in tests.
CounterTrust counter_trust(const std::string& sysfs = "/sys");
// The rule by itself, for tests: `available` is the kernel's list, empty when it cannot be read.
CounterTrust judge_counter(bool invariant, const std::string& available, const std::string& current);

}  // namespace maxlat::base
