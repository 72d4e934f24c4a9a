// SPDX-License-Identifier: MIT
//
// The positive control: stalls of known length, made by a SCHED_FIFO hog of higher priority on the measured CPU. A
// meter that cannot find them measures nothing, whatever it prints; so each meter must find them before and after a
// run.
//
// The hog reads the counter when it begins and ends its spin, so each stall has three lengths: planted (asked for),
// actual (what the hog really held, longer when the host or an interrupt stopped the hog itself) and found (the meter's
// sample over it). found - actual is the hog's wake-up, its exit and the meter's own loop. The hog measures its
// wake-up, from the time for which it set its timer: the meter cannot know it, and on a virtual machine it takes up to
// 100 us.
//
//   meter   ====|                                    |=====    found:   from its last read before to its first after
//   hog       ^ |..wake..|####################|.exit.|         actual:  counter reads at both ends of the spin
//        timer  |        ^ begin          end ^                         (CLOCK_MONOTONIC is read there as well)
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::loadgen {

struct StallPlan {
  core::CpuList cpus;
  std::vector<uint64_t> lengths_ns = {50'000, 500'000, 5'000'000};
  unsigned repeats = 5;  // of each length, on each CPU, in random order
  uint64_t spacing_ns =
      20'000'000;     // from the end of one to the next, times 0.5 to 1.5 so that no timer beats with them
  int priority = 99;  // must be above the meter's
  uint64_t seed = 1;  // of order and spacing
};

struct Stall {
  unsigned cpu = 0;
  uint64_t planted_ns = 0, actual_ns = 0;
  uint64_t wake_ns = 0;                                   // from the hog's timer to its first read
  uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;  // CLOCK_MONOTONIC
};

// Makes them, one CPU after the other; returns when the last has ended, or with those made so far once a stop is
// requested (core/sys/stop.hpp). THREADS: the hog is a thread of its own; the caller only waits.
// ERRORS: no length, no repeat, a length of 0 or above kLongestStallNs, CPU not usable, no permission for SCHED_FIFO.
core::Result<std::vector<Stall>> plant_stalls(const StallPlan& plan);

// A hog of priority 99 that spins for longer than this is not a control but an outage.
inline constexpr uint64_t kLongestStallNs = 1'000'000'000;

// What a gap meter (npt, the user-space hardware loop) made of them: for each stall the largest outlier of that CPU
// that overlaps it in time. found when actual <= found_ns + 1 us and found_ns <= actual + wake + stated_error_ns.
// REQUIRES: the phase's fact "start_monotonic_ns" (phase_start.hpp), Outlier.t_ns at the end of each gap, and room for
// outliers for every stall. Without the fact nothing is found.
core::ControlResult match_gaps(const std::string& meter, const std::vector<Stall>& stalls, const core::Phase& phase,
                               double stated_error_ns);
// What a periodic meter (cyclictest) can have seen: a stall of S delays the timer due in it by at most S and, when S is
// longer than the interval, by at least S - interval. Judges the longest stall of each CPU against the largest sample
// of that CPU that this stall can explain (found_ns <= actual + wake + stated_error_ns): a longer one is the machine's
// own. A stall that is not longer than the interval proves nothing and is not found.
core::ControlResult match_periodic(const std::string& meter, const std::vector<Stall>& stalls, const core::Phase& phase,
                                   double interval_ns, double stated_error_ns);

}  // namespace maxlat::loadgen
