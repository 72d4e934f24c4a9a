// SPDX-License-Identifier: MIT
//
// Letting `maxlat trace` in: a thread that serves the control socket (control_protocol.hpp). There is none without this
// call, unless the environment asks for it: with MAXLAT_TRACE_CONTROL set (by `maxlat trace record -- CMD`, or by hand)
// a program that has events does it before main().
//
// The thread runs SCHED_OTHER with all signals blocked, and sleeps in the kernel until a request comes. It disturbs
// tracing threads only twice: by a membarrier when a session stops, and, when a session is destroyed, by the
// interrupts with which the kernel removes its memory from the CPUs' TLBs. So stop in the real-time part, and destroy
// after it. A child of fork() has no control; a program that it executes starts again as described above.
#pragma once

#include <maxlat/base/result.hpp>

namespace maxlat::trace {

// Listens at socket_path(getpid()), and removes the sockets that killed processes have left there (SIGKILL lets nobody
// remove its own). Once a process: again is no error. THREADS: any, not from signal handlers.
base::Status open_control();
// Ends the thread and removes the socket. Sessions go on.
void close_control();

}  // namespace maxlat::trace
