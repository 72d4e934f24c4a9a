// SPDX-License-Identifier: MIT
//
// What the loop costs, measured where and as it will run: the bare read and the full loop in turns, so that a change of
// the core's frequency meets both; the shortest of many short rounds, which is the one that nothing disturbed.
#pragma once

#include <algorithm>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/npt/measure.hpp>

#include "loop.hpp"

namespace maxlat::npt {

template <class Counter, class Probe>
LoopCost measure_loop_cost(Counter counter, Probe probe, const base::CounterClock& clock,
                           const core::JournalSpec& spec) {
  constexpr uint64_t kTurns = 20'000;
  constexpr unsigned kRounds = 25;
  base::Histogram histogram;
  core::Journal journal(without_limits(spec));
  uint64_t bare = UINT64_MAX, full = UINT64_MAX;
  journal.begin(counter.read());
  for (unsigned round = 0; round < kRounds; ++round) {
    bare = std::min(bare, run_bare_reads(counter, kTurns));
    const Segment segment = run_segment(counter, probe, &histogram.raw(), &journal, kTurns);
    full = std::min(full, segment.last - segment.first);
  }
  const auto ns_a_turn = [&](uint64_t ticks) { return clock.to_ns(static_cast<double>(ticks)) / kTurns; };
  return {ns_a_turn(bare), ns_a_turn(full)};
}

}  // namespace maxlat::npt
