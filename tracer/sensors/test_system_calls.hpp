// SPDX-License-Identifier: MIT
// For tests of what must not call the kernel.
#pragma once

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <maxlat/test/system_calls.hpp>

namespace maxlat::sensors::test {

inline constexpr int kNoSeccomp = 77;

// Runs this in a child that has none. RETURNS: 0: it ended; kNoSeccomp: it was not begun; -1: it made one.
template <class Body>
int status_without_system_calls(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (!maxlat::test::forbid_system_calls_but(SYS_exit_group)) _exit(kNoSeccomp);
    body();
    syscall(SYS_exit_group, 0);  // before _exit(), which never returns, AddressSanitizer makes a system call of its own
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace maxlat::sensors::test
