// SPDX-License-Identifier: MIT
//
// fork(): the child begins without sessions. Its one thread has inherited mappings of memory that is the parent's to
// write, so before it runs on its events are disabled, its rings forgotten and unmapped, its copies of the descriptors
// closed. Locks are taken around the fork, so nobody was in the middle of anything; but for a control call that waits
// for probes, which changes nothing meanwhile and may be waiting for the thread that forks.
//
// IN A PROBE. The thread may be in a handler that interrupted a probe of its own: then the probe goes on in the child,
// with a ring in its registers. What it may still touch is not unmapped but becomes private memory at the same place,
// zeros that nobody else sees: the thread's own rings, those of CPUs, the session's head. A ring of zeros is as good as
// another to a probe that is leaving: nothing it reads there is an address, and no loop waits for a value. So its
// record goes nowhere, and the parent's copy of the probe alone writes the event. The eventfd stays open until then, so
// that a late wakeup (of the parent's consumer, which finds nothing) meets no descriptor that the child opened since.
// Where the kernel refuses that memory (overcommit 2 and none left) a probe that goes on dies, as it must: what it
// would write to is the parent's.
//
// COST in the child, when it was in a probe: the pages that this probe still writes, and address space. The objects of
// sessions are destroyed with the first control call (session_core.cpp, sessions()), because a handler may also have
// interrupted malloc(): nothing here uses the heap.
//
// HANDLERS OF FORKS that the program registers run outside ours: they may trace and control, in both processes. Those
// that the constructors of shared libraries registered earlier run within. In the parent they may trace; a thread that
// has no ring loses that and counts it. In the child they must do neither: to them its rings are still the parent's.
//
// vfork() and posix_spawn(): the child runs in the parent's memory until it execs; nothing is done, and nothing needs
// to be, as long as it does not trace. _Fork() and clone(), which call nobody: the child must not trace, nor return
// into a probe, because its rings are the parent's. exec(): everything is gone with the memory; the descriptors are
// close-on-exec.
#pragma once

namespace maxlat::trace::detail {

// Once, before the program can register handlers of its own: then those run outside ours, and may trace and control.
void watch_forks();

// The control side's part: in the child its thread is gone and its socket is the parent's; control_server.cpp.
void lock_control_for_fork();
void unlock_control_after_fork();
void forget_control();

}  // namespace maxlat::trace::detail
