// SPDX-License-Identifier: MIT
//
// From here on a system call kills the process: seccomp(2) with a filter of one rule. For the child of a fork(), as
// nothing takes it away again. (Not seccomp's strict mode: that also forbids reading the time-stamp counter.)
//
// RETURNS: whether the kernel has the filter now.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>

namespace maxlat::test {

namespace detail {
inline bool filter_system_calls(unsigned number, std::uint32_t this_one, std::uint32_t all_others) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, this_one),
      BPF_STMT(BPF_RET | BPF_K, all_others),
  };
  const sock_fprog filter{sizeof program / sizeof program[0], program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
}  // namespace detail

inline bool forbid_system_call(unsigned number) {
  return detail::filter_system_calls(number, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
}
inline bool forbid_system_calls_but(unsigned number) {
  return detail::filter_system_calls(number, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
}

}  // namespace maxlat::test
