// SPDX-License-Identifier: MIT
//
// One clock a boot: the rate of the counter, and where it stands against the system's clocks, as all sessions of a user
// on this box say it in their metadata. Without it each session measures for itself, and the events of two processes
// stand against each other as their errors do: tens of microseconds, in either direction. With it the same ticks are
// the same time, and the order of a merged trace is that of the counter.
//
// THE SAME COUNTER is what traces of one boot have, whoever recorded them. Its uuid is made of the kernel's boot id,
// and readers go by that: they read traces of one clock with one rate and one offset (ctf/trace_folder.cpp), also those
// of root and of users together. A counter that began anew in one boot (suspend, a virtual machine that was moved) is
// told by its offsets there.
//
// WHERE rate and offset stand, for readers that know nothing of that: control_folder()/clock-BOOT, a line of text, so
// that one of an earlier boot is never taken. The folder is of this user alone, and so is the file, or neither is used.
//
// REFINED at each start of a session: where the wall clock has moved away (slewed, set) by more than a millisecond, the
// offsets are taken anew. The rate is not: two traces would then give one tick two times.
//
// FAILURE: whatever goes wrong, the session has the rate and offsets that were measured for it. Who writes has the
// file's lock (flock) and writes it whole to a new name, so that nobody reads half a record; who does not get the lock
// within a tenth of a second does without.
#pragma once

#include <maxlat/trace/ctf_format.hpp>

namespace maxlat::trace::detail {

// `measured`: what the caller knows of the counter now. THREADS: any.
TraceClock boot_clock(const base::CounterClock& measured);

}  // namespace maxlat::trace::detail
