// SPDX-License-Identifier: MIT
//
// The threads that trace: the list of them, and waiting until each was seen outside its probes.
//
// A thread enters the list with the first event that somebody wants (probe.hpp, record_elsewhere), or in
// prepare_thread(), and leaves it when its pthread keys are destroyed: as late as POSIX allows, so that the destructors
// of thread_local objects and of other keys still trace. What it traces after that is lost and counted.
//
// LOCK: of the list, held for short, with all signals blocked and with priority inheritance, because real-time threads
// take it, too, on their way in and out. THREADS: any; what may be called from a probe is marked so.
#pragma once

#include <signal.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/thread.hpp>

namespace maxlat::trace::detail {

// No signal handler of this thread runs while one of these lives. Async-signal-safe.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// The thread is in the tracer itself: no signals, and events that its own code causes (a traced malloc) are dropped.
class Busy {
 public:
  Busy() : before_(thread_state.busy) { thread_state.busy = true; }
  ~Busy() { thread_state.busy = before_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  SignalsBlocked no_signals_;
  bool before_;
};

// Once a process, before the first event can be wanted: keys, membarrier, fork handlers.
void make_ready_for_threads();

// Enters the calling thread into the list. RETURNS: false: it has left it for good. From probes, too.
bool register_thread();

// Returns when every thread of the list was seen outside once after this began. REQUIRES: the caller has cleared what
// would lead a new probe in. RETURNS: false when a thread did not come out for that many seconds (tests wait less).
extern int patience_seconds;
bool wait_until_all_outside();

// Forgets the thread's ring in a channel, for every thread. REQUIRES: no probe uses it: wait_until_all_outside().
void forget_rings(unsigned channel);

// What a thread that ends does for its rings (live_channels.cpp), with its leave from the list in the right place of
// it. REQUIRES: signals blocked.
void end_rings_of_this_thread(void (*leave_list)());

// Around fork(): nobody else is in the list's lock; in the child only the calling thread is left.
void lock_threads_for_fork();
void unlock_threads_after_fork(bool in_child);

}  // namespace maxlat::trace::detail
