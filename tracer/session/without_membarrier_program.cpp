// SPDX-License-Identifier: MIT
//
// without_membarrier PROGRAM [ARGUMENT...]: runs the program where membarrier(2) is an unknown system call, as in a
// kernel before 4.14 or one built without it. The filter is inherited through exec: neither the tracer nor liburcu ever
// sees the call work. ENDS with 77 where the filter is not to be had.
#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool take_membarrier_away() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof(program) / sizeof(program[0]), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return false;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) == -1 && errno == ENOSYS;
}

}  // namespace

int main(int, char** argv) {
  if (!take_membarrier_away()) {
    perror("without_membarrier: no seccomp filter");
    return 77;
  }
  execv(argv[1], argv + 1);
  perror(argv[1]);
  return 1;
}
