// SPDX-License-Identifier: MIT
#include "shm/reserve_memory.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace maxlat::trace {

int fallocate_whole(int fd, int mode, std::int64_t offset, std::int64_t size) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  long done = 0;
  do {
    done = syscall(SYS_fallocate, fd, mode, offset, size);  // libc's is a cancellation point
  } while (done != 0 && errno == EINTR);                    // a debugger's, or a freezer's: not to be blocked
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return static_cast<int>(done);
}

ReserveMemory reserve_memory = fallocate_whole;

}  // namespace maxlat::trace
