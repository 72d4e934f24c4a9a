// SPDX-License-Identifier: MIT
//
// fork(): the child begins without sessions. Its one thread has inherited mappings of memory that is the parent's to
// write, so before it runs on its events are disabled, its rings forgotten and unmapped, its copies of the descriptors
// closed. Locks are taken around the fork, so nobody was in the middle of anything.
//
// vfork() and posix_spawn(): the child runs in the parent's memory until it execs; nothing is done, and nothing needs
// to be, as long as it does not trace. exec(): everything is gone with the memory.
#pragma once

namespace maxlat::trace::detail {

// Once is enough, more does no harm. THREADS: any.
void watch_forks();

// The control side's part: in the child its thread is gone and its socket is the parent's; control_server.cpp.
void forget_control();

}  // namespace maxlat::trace::detail
