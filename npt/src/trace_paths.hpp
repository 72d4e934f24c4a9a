// SPDX-License-Identifier: MIT
//
// Reading our own trace back: how many events are in it, and what the tracer's rare paths cost.
//
// THE IDEA   Every npt:loop tells how long the gap before it was, and the tracepoint of the event before lies in that
//            gap. So the trace itself says what each event cost, and the first event of a packet is the one that had to
//            switch sub-buffers (and, with the policy "wakeup", to wake the consumer). That is known afterwards, for
//            every event, and costs nothing in the loop. Where the rate is limited or events were lost, only gaps count
//            between events that followed one another.
// REQUIRES   a recording without periodic flush: a packet that was taken early is no switch of the producer's.
#pragma once

#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result.hpp>
#include <string>
#include <vector>

#include "arm.hpp"

namespace maxlat::npt {

struct TraceReadBack {
  uint64_t events = 0;
  std::string damage;                  // the first place that could not be read; empty: all was whole
  base::Histogram ordinary, switches;  // gaps in ticks, by what their tracepoint did
  std::vector<NamedGap> switch_gaps;
};

// ERRORS: not a trace.
core::Result<TraceReadBack> read_trace_back(const std::string& folder, const std::string& name_of_switch);

}  // namespace maxlat::npt
