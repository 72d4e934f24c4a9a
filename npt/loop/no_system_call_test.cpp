// SPDX-License-Identifier: MIT
//
// The loop makes no system call: it runs in a child that a seccomp filter kills at the first one but exit. (Not
// seccomp's strict mode: that also forbids reading the time-stamp counter.)
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <maxlat/base/histogram.hpp>

#include "counter_read.hpp"
#include "loop.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kLoops = 500'000;

void forbid_every_system_call_but_exit() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter{sizeof program / sizeof program[0], program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    ::_exit(77);
}

// The wait status of a child that runs `body` behind the filter.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    forbid_every_system_call_but_exit();
    ::syscall(SYS_exit_group, body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

template <class Counter>
int status_of_loop(Counter counter) {
  const std::atomic<bool> never{false};
  std::atomic<bool> halt{false};
  JournalSpec spec;
  spec.step_ticks = 1'000'000;  // many steps and looks, so that the rare path is in it too
  spec.steps = 100'000;
  spec.look_every_ticks = 100'000;
  spec.outliers = 20;
  spec.stop = &never;
  spec.halt = &halt;
  Journal journal(spec);
  base::Histogram histogram;
  journal.begin(counter.read());
  return status_of_child([&] {
    const Segment segment = run_segment(counter, NoProbe{}, &histogram.raw(), &journal, kLoops);
    return segment.samples == kLoops && histogram.total() == kLoops && journal.steps() > 1 ? 0 : 1;
  });
}

TEST(NoSystemCall, TheFilterKills) {  // the control: what would fail if the loop made one
  const int status = status_of_child([] { return static_cast<int>(::syscall(SYS_getppid)); });
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp filters here";
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

TEST(NoSystemCall, InTheLoopWithAnyRead) {
  for (const int status :
       {status_of_loop(FencedCounter{}), status_of_loop(PlainCounter{}), status_of_loop(OrderedCounter{})}) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp filters here";
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace maxlat::npt
