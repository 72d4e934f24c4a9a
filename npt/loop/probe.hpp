// SPDX-License-Identifier: MIT
//
// The probes that are not NoProbe: an arm's function, and the same at a limited rate.
//
// A probe type also says how many events it made of so many calls: the books of the arm start with that number, which
// no tracer had a hand in.
#pragma once

#include <maxlat/base/histogram.h>
#include <maxlat/base/platform.h>
#include <maxlat/npt/plugin.h>

#include <cstdint>

#include "loop.hpp"

namespace maxlat::npt {

struct CalledProbe {
  maxlat_npt_probe arm;
  void begin() const {}
  void operator()(uint64_t count, uint64_t ticks, uint64_t /*now*/) const { arm.loop(arm.state, count, ticks); }
  uint64_t events(uint64_t calls) const { return calls; }
};

// At most one event in `period_ticks`, on a grid: lateness of one event (the loop looks at the time only once a turn)
// is not handed on to the next, so the rate is the one asked for. What a stall missed is not made up for: in no time T
// are there more than T / period + 1 events.
//
// At low rates the gaps with an event in them are lost among the others, so they are filed apart, too: by the call
// after the event, which is told how long the gap was. The next event tells it, as it does where every turn has one: so
// the trace says what each event cost (trace_paths.hpp). A turn without an event costs one comparison; what else there
// is to do lies in the gap of the event, and in the one after it.
class RateLimit {
 public:
  // `gaps`: of those that had an event in them.
  RateLimit(uint64_t period_ticks, maxlat_histogram* gaps) : period_(period_ticks), gaps_(gaps) {}

  bool admits(uint64_t count, uint64_t ticks, uint64_t now) {
    if (MAXLAT_LIKELY(now < look_at_)) return false;
    return look(count, ticks, now);
  }
  // The uncounted loops are over: from here on gaps are filed.
  void begin() {
    files_ = true;
    had_event_ = false;
  }
  uint64_t admitted() const { return admitted_; }
  // When an event was admitted: the length of the gap with the event before it; 0 where that was the last of a segment.
  uint64_t gap_of_the_event_before() const { return event_gap_; }

 private:
  [[gnu::noinline]] bool look(uint64_t count, uint64_t ticks, uint64_t now) {
    const bool begins_a_segment = count == 0;  // then no gap has ended
    if (had_event_) event_gap_ = begins_a_segment ? 0 : ticks;
    if (files_ && had_event_ && !begins_a_segment) maxlat_histogram_record(gaps_, ticks, now);
    had_event_ = now >= next_;
    look_at_ = had_event_ ? 0 : next_;
    if (!had_event_) return false;
    next_ += period_;
    if (next_ <= now) next_ = now + period_;
    ++admitted_;
    return true;
  }

  uint64_t period_;
  maxlat_histogram* gaps_;
  uint64_t look_at_ = 0;  // calls before have nothing to do
  uint64_t next_ = 0;     // from then on there may be an event
  bool had_event_ = false, files_ = false;
  uint64_t event_gap_ = 0;
  uint64_t admitted_ = 0;
};

// An arm's probe at a limited rate, or NoProbe: the arm "none" has the same limiter in its loop, and the same gaps are
// picked out in it. What the limiter costs, and that an event which falls due in a stall is made in the turn right
// after it, is then no difference between it and a tracer.
template <class Probe>
struct LimitedProbe {
  Probe probe;
  RateLimit* limit;
  void begin() const { limit->begin(); }
  void operator()(uint64_t count, uint64_t ticks, uint64_t now) const {
    if (limit->admits(count, ticks, now)) probe(count, limit->gap_of_the_event_before(), now);
  }
  uint64_t events(uint64_t /*calls*/) const { return limit->admitted(); }
};

}  // namespace maxlat::npt
