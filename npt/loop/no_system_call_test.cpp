// SPDX-License-Identifier: MIT
//
// The loop makes no system call: it runs in a child that a seccomp filter kills at the first one but exit.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/test/system_calls.hpp>

#include "counter_read.hpp"
#include "live/cpu_sensors.hpp"
#include "loop.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kLoops = 500'000;

// The wait status of a child that runs `body` behind the filter.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!test::forbid_system_calls_but(SYS_exit_group)) ::_exit(77);
    ::syscall(SYS_exit_group, body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// `sensors`: of the books, that others see; null: none.
template <class Counter>
int status_of_loop(Counter counter, CpuSensors* sensors = nullptr) {
  const std::atomic<bool> never{false};
  std::atomic<bool> halt{false};
  core::JournalSpec spec;
  spec.step_ticks = 1'000'000;  // many steps and looks, so that the rare path is in it too
  spec.steps = 100'000;
  spec.look_every_ticks = 100'000;
  spec.outliers = 20;
  spec.stop = &never;
  spec.halt = &halt;
  if (sensors != nullptr) spec.show = CpuSensors::show;
  spec.show_state = sensors;
  core::Journal journal(spec);
  base::Histogram histogram = sensors != nullptr ? base::Histogram::in(sensors->gaps()) : base::Histogram();
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

TEST(NoSystemCall, InTheLoopWhoseBooksOthersSee) {
  const base::CounterClock clock = base::calibrate();
  const auto sensors = CpuSensors::publish(0, clock);
  ASSERT_TRUE(sensors) << sensors.error().text;
  const int status = status_of_loop(FencedCounter{}, sensors->get());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp filters here";
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace maxlat::npt
