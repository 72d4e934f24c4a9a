// SPDX-License-Identifier: MIT
//
// One clock a boot: the rate of the counter, and where it stands against the system's clocks, as all sessions of a user
// on this box say it in their metadata. Without it each session measures for itself, and the events of two processes
// stand against each other as their errors do: tens of microseconds, in either direction. With it the same ticks are
// the same time, and the order of a merged trace is that of the counter.
//
// WHERE. control_folder()/clock-BOOT, a line of text, BOOT being the kernel's boot id, so that one of an earlier boot
// is never taken. The folder is of this user alone, and so is the file, or neither is used. A user's sessions have one
// clock, root's have another: a trace of both is merged by nanoseconds.
//
// REFINED at each start of a session: where the wall clock has moved away (slewed, set) by more than a millisecond, the
// offsets are taken anew. The record keeps its uuid, and readers count on that and not on the offsets: they read traces
// of one clock with one offset (ctf/trace_folder.cpp).
//
// FAILURE: whatever goes wrong, the session has the clock that was measured for it, with no uuid. Who writes has the
// file's lock (flock) and writes it whole to a new name, so that nobody reads half a record; who does not get the lock
// within a tenth of a second does without.
#pragma once

#include <maxlat/trace/ctf_format.hpp>

namespace maxlat::trace::detail {

// `measured`: what the caller knows of the counter now. THREADS: any.
TraceClock boot_clock(const base::CounterClock& measured);

}  // namespace maxlat::trace::detail
