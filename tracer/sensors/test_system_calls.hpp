// SPDX-License-Identifier: MIT
// For tests of what must not call the kernel.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <iterator>

namespace maxlat::sensors::test {

// A system call of this thread ends its process, but for the one by which a process ends.
inline bool forbid_system_calls() {
  sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const sock_fprog filter{.len = std::size(program), .filter = program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

inline constexpr int kNoSeccomp = 77;

// Runs this in a child that has none. RETURNS: 0: it ended; kNoSeccomp: it was not begun; -1: it made one.
template <class Body>
int status_without_system_calls(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbid_system_calls()) _exit(kNoSeccomp);
    body();
    syscall(SYS_exit_group, 0);  // before _exit(), which never returns, AddressSanitizer makes a system call of its own
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace maxlat::sensors::test
