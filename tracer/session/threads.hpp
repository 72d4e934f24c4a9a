// SPDX-License-Identifier: MIT
//
// The threads that trace: the list of them, and waiting until each was seen outside its probes.
//
// A thread enters the list with the first event that somebody wants (probe.hpp, record_elsewhere), or in
// prepare_thread(), and leaves it when its pthread keys are destroyed: as late as POSIX allows, so that the destructors
// of thread_local objects and of other keys still trace. What it traces after that is lost and counted.
//
// THE KEY. glibc keeps a thread's values of the first 32 keys in the thread itself, and allocates when it is given one
// of a later key. So that a probe never allocates, this key is made before the program's constructors run. Where 32
// keys were made before even that (by the constructors of shared libraries), only prepare_thread() enters threads into
// the list, and the events of others are lost and counted.
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

// Once a process, before the first event can be wanted: membarrier.
void make_ready_for_threads();

// Enters the calling thread into the list. RETURNS: false: it has left it for good, or that would allocate in a probe.
enum class Caller { probe, program };
bool register_thread(Caller caller);

// A thread that cannot stay in the list is in it as long as one of these lives: who stops a channel waits for it, too.
// Not where the thread has the list's lock itself (a handler of forks that runs within ours, a traced
// pthread_mutex_unlock): who stops a channel waits for that.
// Makes system calls. REQUIRES: inside.
class Guest {
 public:
  Guest();
  ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

 private:
  SignalsBlocked no_signals_;
  const bool entered_;
};

// Where the thread has its ring in a channel; `nowhere`: it has none.
inline const maxlat_ring*& ring_place(ThreadState& thread, unsigned channel) {
  return channel < kFastChannels ? thread.ring[1 + channel] : thread.other_ring[channel - kFastChannels];
}

// Returns when every thread of the list was seen outside once after this began. REQUIRES: the caller has cleared what
// would lead a new probe in; the control lock, which rests meanwhile. RETURNS: false when a thread did not come out for
// that many seconds (tests wait less).
extern int patience_seconds;
bool wait_until_all_outside();

// Forgets the thread's ring in a channel, for every thread. REQUIRES: no probe uses it: wait_until_all_outside().
void forget_rings(unsigned channel);

// A start of the channel: threads that were refused a ring may ask again. REQUIRES: as forget_rings().
void forgive_refusals(unsigned channel);

// Of the prepared threads one that has no ring in the channel: its id, or 0. REQUIRES: the channel is not running.
std::uint32_t prepared_thread_without_ring(unsigned channel);
// RETURNS: false: that thread has ended; the ring is still the caller's.
bool give_ring_to(std::uint32_t thread_id, unsigned channel, const maxlat_ring* ring);
bool any_thread_is_prepared();
// The calling thread is, from now on. REQUIRES: registered.
void mark_as_prepared();

// What a thread that ends does for its rings (live_channels.cpp), with its leave from the list in the right place of
// it. REQUIRES: signals blocked.
void end_rings_of_this_thread(void (*leave_list)());

// Around fork(): nobody else is in the list's lock; in the child only the calling thread is left.
void lock_threads_for_fork();
void unlock_threads_after_fork(bool in_child);

}  // namespace maxlat::trace::detail
