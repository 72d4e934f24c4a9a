// SPDX-License-Identifier: MIT
//
// Reading our own trace back: how many events are in it, and what the tracer's paths cost.
//
// THE IDEA   Every npt:loop tells how long the gap was in which the event before it was made (probe.hpp), and the whole
//            tracepoint of that event lay in that gap. What path it took follows from where its record lies. So the
//            trace itself says what each event cost, known afterwards, at no cost in the loop:
//
//              sub-buffer switch            the first record of a packet: its probe closed the packet before and opened
//                [and wakeup]               this one, and with the policy "wakeup" wrote to the consumer's eventfd
//              last event of a sub-buffer   the record ends where the sub-buffer ends: its probe closed and published
//                                           it
//              long record after a silence  the record has its full time: 2^32 ticks since the last full one
//              first touch of a page        begins on a page of the ring, or runs into one, that nothing was written to
//                                           before; mapped and locked it is (prepare_thread): no page fault, but
//                                           neither in the caches nor in the TLB
//              ordinary event               none of these
//
//            THERE IS NO FLUSH among them: the consumer copies what stands in an open packet without the producer's
//            help (ring/open_packet.h), and npt's consumer is told not even to do that. The first event of the thread
//            is npt:start, before the first gap.
// REQUIRES   a recording without periodic flush: a packet that was taken early is no switch of the producer's.
// LOSS       Where events are missing (dropped: the packets' books grow; overwritten: packets are missing) the gap told
//            by the event after them is nobody's. Snapshots of a flight recorder are read in their order; what was
//            copied of a packet that was still open is in the next snapshot again and is not counted twice.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm_spec.hpp>
#include <maxlat/npt/arm_tail.hpp>
#include <string>

namespace maxlat::npt {

// The path of an event that is not in the trace, when events were lost.
std::string path_of_lost_events(const ArmSpec& arm);

struct TraceReadBack {
  uint64_t events = 0;
  std::string damage;  // the first place that could not be read; empty: all was whole
  ArmTail tail;        // without paths where the run has no threads
};

// ERRORS: not a trace.
core::Result<TraceReadBack> read_trace_back(const std::string& folder, const ArmSpec& arm, const ArmRun& run);

}  // namespace maxlat::npt
