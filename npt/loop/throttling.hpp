// SPDX-License-Identifier: MIT
//
// Has the scheduler stopped the loop for its own reasons?
//
// A SCHED_FIFO thread that never sleeps is stopped on a stock box: by RT throttling (sched_rt_runtime_us out of
// sched_rt_period_us, 50 ms in each second), since Linux 6.12 by the fair server, which takes the same share when an
// ordinary thread waits for the CPU. Such a gap says nothing about the machine, and it hides what happened meanwhile.
// So a run in which it happened is not valid.
//
// What gives it away is three things together: the length (what the settings say, within limits), the recurrence, and
// that the scheduler really took the CPU away (involuntary context switches). A stall of 50 ms that the hardware made
// has no context switch and stays what it is: a finding.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/realtime.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::npt {

struct ThrottlingEvidence {
  core::Policy policy = core::Policy::fifo;
  core::RtThrottling settings;
  double duration_s = 0;
  std::vector<double> second_max_ns;  // the timeline: the largest gap of each second
  uint64_t involuntary_switches = 0;  // of the measuring thread, within the loop
};

// The reason why the run is not valid, or nothing.
std::optional<std::string> throttled(const ThrottlingEvidence& evidence);

// Loops up to this long need no rest. The kernel stops a FIFO loop that has used more than 950 ms of a second; two
// rounds of a comparison are separated by the start of a process, 100 ms or more, so any second has at least that pause
// in it when a round is no longer than this (docs/method.md, "Throttling"). Where the kernel counts by less than a
// second, no length is short enough.
inline constexpr std::uint64_t kLongestWithoutRest_ns = 800'000'000;

struct Rest {
  uint64_t ns = 0;  // in each second
  std::string why;  // "" without
};

// In how many parts to take a second's rest, so that at least one of them lies in each period of the scheduler's. One
// rest a second is of no use where the kernel counts by a tenth of it.
unsigned rest_parts(const core::RtThrottling& settings);

// What a loop has to rest so that the scheduler never stops it: twice what the settings would take, since a rest of
// just as much begins and ends a tick late. None where nothing stops it, or where it is shorter than
// kLongestWithoutRest_ns. `duration_ns` 0: not known.
Rest needed_rest(core::Policy policy, const core::RtThrottling& settings, uint64_t duration_ns);

}  // namespace maxlat::npt
