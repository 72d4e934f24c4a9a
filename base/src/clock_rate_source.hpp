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
// Invariance from the processor, stability from the kernel's list of clock sources.
CounterTrust counter_trust();

// What the kernel says of clocks, each empty when it cannot be read.
struct KernelClocks {
  std::string available;        // its list of clock sources
  std::string current;          // the one by which it keeps time
  std::string boot_parameters;  // its command line
};
// The rule by itself. A counter that is not in the kernel's list is refused: the kernel has found it unstable. But
// `tsc=unstable` takes it out of the list unseen, and hosts of virtual machines boot their guests so. Where such a
// kernel keeps time with a clock that is by definition this counter times a rate, it trusts the counter as we do.
CounterTrust judge_counter(bool invariant, const KernelClocks& kernel);

}  // namespace maxlat::base
