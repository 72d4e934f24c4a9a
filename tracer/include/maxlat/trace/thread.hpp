// SPDX-License-Identifier: MIT
//
// What one thread keeps for its probes, and what a real-time thread does before its first event.
//
// FIRST EVENT. A thread that was not prepared enters the list of threads with its first event, by a value of a pthread
// key. That takes system calls and no allocation, because the key is made before the program's constructors run. Where
// shared libraries had made 32 keys before even that, glibc would allocate for the value: then only prepare_thread()
// does it, and what a thread traces before is lost and counted (lost_no_ring), at the price of a few system calls each.
//
// CHANNELS have a number while they live. 0 to 15: the fast kind, a ring per thread and timer delivery. 16 to 31: all
// others, a ring per CPU or with wakeups. A thread's ring in a channel is found by that number, here.
//
// INSIDE. A probe counts itself in at its beginning and out at its end: two instructions, no barrier, no lock. Who
// stops a channel clears its bit in every event, makes every thread execute a barrier (membarrier(2)), and then waits
// until it has seen each thread outside once: from then on nobody uses the channel's rings, and they may be flushed,
// finalised, unmapped by others. This is an RCU of our own, made for this one place: liburcu's read lock (bulletproof,
// the only flavour that signal handlers and unregistered threads may use) takes 19 instructions more, a third of a
// whole event (probe.hpp, COST). liburcu is used off that path: for the table of channels, for threads that claim a
// ring or leave.
#pragma once

#include <maxlat/ring/layout.h>

#include <cstdint>

namespace maxlat::trace {

// Gives the calling thread a ring in every running per-thread channel: claimed, mapped, every page touched and locked
// (mlock), its first packet opened: so the first event takes no page fault, makes no system call, and has the
// instructions of any other (session/cost_test.cpp), unless it is the first in 2^32 ticks (ring/record.h, TIME). Locks
// the rings of per-CPU channels, too, whose first packets are open since the session's start. SESSIONS STARTED LATER
// are covered: whoever starts one makes, touches, locks and opens the rings of all prepared threads first, so a
// prepared thread has a slot in every per-thread channel, whether it traces there or not. If that fails (no slot, no
// memory), the thread counts as not prepared; a further call of this function reports it.
// RETURNS: false when something was missing: no slot, no memory, or not locked (RLIMIT_MEMLOCK). Events are then lost
// (lost_no_ring), or the first ones are slow. THREADS: any; not from signal handlers. Makes system calls, may block.
bool prepare_thread();

// Hands over the packets that the calling thread has begun, in every running channel; where rings are per CPU, the
// packet of the CPU that it runs on. An idle thread does this before it sleeps for long. Costs up to a sub-buffer
// switch a channel, no system call. THREADS: any, signal handlers too.
void flush();

namespace detail {

inline constexpr unsigned kFastChannels = 16;
inline constexpr unsigned kOtherChannels = 16;
inline constexpr unsigned kChannels = kFastChannels + kOtherChannels;

struct ThreadEntry;  // session/threads.hpp

// A ring in which nothing is ever the common case: sub-buffers of one byte. Probes that find it need no test of their
// own to get out of the fast path. Only its address and that one mask mean anything.
extern constinit const maxlat_ring nowhere;

// What a thread that is not registered reads as its CPU: no channel has a ring for that one.
inline constexpr std::uint32_t kNoCpu = 0xffffffff;
inline constexpr std::uint16_t kNoMemory = 0xffff;

// What a probe needs comes first, in one cache line up to the fifth channel: one miss after a silence.
struct alignas(64) ThreadState {
  constexpr ThreadState() {
    for (const maxlat_ring*& each : ring) each = &nowhere;
    for (const maxlat_ring*& each : other_ring) each = &nowhere;
  }

  std::uint64_t inside = 0;
  const volatile std::uint32_t* cpu = &kNoCpu;  // the kernel's word (current_cpu.hpp) while the thread is registered
  // [0] is always `nowhere`; channel c of the fast kind is at c + 1, `nowhere` until it is claimed. A ring lives as
  // long as its channel's bit is seen by a thread that is inside.
  const maxlat_ring* ring[1 + kFastChannels];
  const maxlat_ring* other_ring[kOtherChannels];  // likewise, from 0
  // Channels in which this thread was refused a ring: no second attempt for each event, but one look at one slot. 0:
  // was not; n: found no slot, and looks at slot n - 1 next; kNoMemory: no attempt before the next start. A word each:
  // this thread and whoever starts or stops a channel write to different ones.
  std::uint16_t refused[kChannels]{};
  bool registered = false;  // in the list of threads that whoever stops a channel waits for
  bool ended = false;       // was in it, and left: the thread is running its last destructors
  bool busy = false;        // in the tracer itself: events from there (a traced malloc) are dropped
  bool has_list = false;    // holds the list's lock: nobody stops a channel meanwhile
  bool prepared = false;    // by prepare_thread(): whoever starts a session makes this thread's rings; the list's lock
  std::uint32_t id = 0;     // of a prepared thread, for that
  ThreadState* next = nullptr;
  ThreadState* previous = nullptr;
  std::uint64_t seen_outside = 0;
};

// initial-exec: an offset from the thread pointer, with no call. A module that is loaded at run time must therefore use
// the tracer of the program (linked with -rdynamic), or find room in the static TLS reserve (700 bytes are enough).
extern constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

#if defined(__x86_64__) && !defined(MAXLAT_RING_THREAD_BUILTINS)
// One instruction each, which no handler can cut in two.
[[gnu::always_inline]] inline void enter(ThreadState& thread) {
  // A compiler barrier [K1]: `inside` before the second look at Event::wanted. Partner: membarrier in
  // session/threads.cpp, between clearing `wanted` and reading `inside`. Shape: Dekker. Without it a probe could use a
  // ring that nobody waits for any more.
  asm volatile("incq %0" : "+m"(thread.inside) : : "memory", "cc");
}
[[gnu::always_inline]] inline void leave(ThreadState& thread) {
  // release [K2], by total store order: the last store into a ring before `inside` is 0. Partner: acquire [K2] in
  // session/threads.cpp. Shape: publish. Without it a ring could be unmapped under a store.
  asm volatile("decq %0" : "+m"(thread.inside) : : "memory", "cc");
}
#else
// Load and store may be separated by a handler: it leaves the count as it found it.
[[gnu::always_inline]] inline void enter(ThreadState& thread) {
  // relaxed: only this thread writes it. Then [K1], as above.
  __atomic_store_n(&thread.inside, __atomic_load_n(&thread.inside, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
[[gnu::always_inline]] inline void leave(ThreadState& thread) {
  // release [K2], as above; the load is relaxed: only this thread writes it.
  __atomic_store_n(&thread.inside, __atomic_load_n(&thread.inside, __ATOMIC_RELAXED) - 1, __ATOMIC_RELEASE);
}
#endif

class Inside {
 public:
  Inside() { enter(thread_state); }
  ~Inside() { leave(thread_state); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace detail
}  // namespace maxlat::trace
