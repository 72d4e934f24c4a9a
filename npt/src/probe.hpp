// SPDX-License-Identifier: MIT
//
// The probes that are not NoProbe: an arm's function, and the same at a limited rate.
//
// A probe type also says how many events it made of so many calls: the books of the arm start with that number, which
// no tracer had a hand in.
#pragma once

#include <maxlat/base/platform.h>

#include <cstdint>

#include "../arms/plugin.h"

namespace maxlat::npt {

struct CalledProbe {
  maxlat_npt_probe arm;
  void operator()(uint64_t count, uint64_t ticks, uint64_t /*now*/) const { arm.loop(arm.state, count, ticks); }
  uint64_t events(uint64_t calls) const { return calls; }
};

// At most one event in `period_ticks`, on a grid: lateness of one event (the loop looks at the time only once a turn)
// is not handed on to the next, so the rate is the one asked for. What a stall missed is not made up for: in no time T
// are there more than T / period + 1 events.
struct RateLimit {
  uint64_t period_ticks = 0;
  uint64_t next = 0;  // the counter from which on the next event may be
  uint64_t admitted = 0;

  bool admits(uint64_t now) {
    if (MAXLAT_LIKELY(now < next)) return false;
    next += period_ticks;
    if (next <= now) next = now + period_ticks;
    ++admitted;
    return true;
  }
};

struct LimitedProbe {
  CalledProbe probe;
  RateLimit* limit;
  void operator()(uint64_t count, uint64_t ticks, uint64_t now) const {
    if (limit->admits(now)) probe(count, ticks, now);
  }
  uint64_t events(uint64_t /*calls*/) const { return limit->admitted; }
};

}  // namespace maxlat::npt
