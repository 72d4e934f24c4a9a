// SPDX-License-Identifier: MIT
//
// The place of a session's one consumer: a write lock on byte 0 of its memory (session_layout.h, ONE CONSUMER).
//
// The lock belongs to a file description (F_OFD_SETLK), so that two consumers in one process exclude each other, too,
// and the kernel gives it back with the last descriptor. A child that was forked has such a descriptor: it closes it
// before fork() returns there, or the place would be taken as long as the child lives, and its consumer long dead. A
// child that runs a program has it closed by that (O_CLOEXEC); one of vfork() or _Fork() keeps it until then.
//
// THREADS: any, one at a time for one object. Not from signal handlers.
#pragma once

#include <maxlat/base/result.hpp>

namespace maxlat::trace {

class ConsumerLock {
 public:
  ConsumerLock();
  ~ConsumerLock();
  ConsumerLock(const ConsumerLock&) = delete;
  ConsumerLock& operator=(const ConsumerLock&) = delete;

  // RETURNS: whether it was free. ERRORS: of the system.
  base::Result<bool> take(int memory_fd);

 private:
  friend void forget_consumer_locks();
  int file_ = -1;  // of a description of its own
  // The list of all, for the child of a fork.
  ConsumerLock* next_ = nullptr;
  ConsumerLock* previous_ = nullptr;
};

}  // namespace maxlat::trace
