// SPDX-License-Identifier: MIT
//
// The moment that the times of a phase's samples (Outlier::t_ns) count from. It is not Phase::started: between the two
// lie the start of loads and of the meter, its warm-up and its look at the machine. Two facts tell it:
//
//   start_monotonic_ns   CLOCK_MONOTONIC: for what other programs of the same boot read from it
//   start_realtime_ns    the same moment in nanoseconds since 1970: for journalctl, dmesg -T and people
//
// A phase that is the sum of several rounds has neither: each round has its own.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>

namespace maxlat::core {

// Both facts. The wall clock is read now: what it was set forward or back meanwhile is in it.
void set_start(Phase& phase, std::uint64_t start_monotonic_ns);
// Of a meter that knows the wall clock only.
void set_realtime_start(Phase& phase, std::uint64_t start_realtime_ns);

// Nothing: the phase does not tell it.
std::optional<std::uint64_t> start_monotonic_ns(const Phase& phase);

// Local time as journalctl --since takes it, and its zone.
struct WallClock {
  std::string time;  // "2026-11-24 21:56:50.355"
  std::string zone;  // "CET"
};
// Nothing where the phase does not tell when it began.
std::optional<WallClock> wall_clock(const Phase& phase, double t_ns);

}  // namespace maxlat::core
