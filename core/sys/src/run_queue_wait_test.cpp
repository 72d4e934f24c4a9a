// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/test/fake_root.hpp>
#include <thread>

#include "test_task.hpp"

namespace maxlat::core {
namespace {

using testing::HasSubstr;
using testing::Not;

uint64_t wait_in(const std::string& text) {
  test::FakeRoot root;
  root.file("/schedstat", text);
  return RunQueueWait((root.path() + "/schedstat").c_str()).ns();
}

TEST(RunQueueWait, IsTheSecondNumberOfTheKernelsLine) {
  EXPECT_EQ(wait_in("123456 789 42\n"), 789u);
  EXPECT_EQ(wait_in("0 18446744073709551615 0\n"), UINT64_MAX);
}

TEST(RunQueueWait, IsNoneWhereTheKernelDoesNotCount) {
  EXPECT_EQ(wait_in("0 0 0\n"), 0u);
  EXPECT_EQ(wait_in(""), 0u);
  EXPECT_EQ(wait_in("5"), 0u);
  EXPECT_EQ(RunQueueWait("/nonexistent").ns(), 0u);
}

// Two threads that want one CPU: each must wait for the other.
TEST(RunQueueWait, GrowsForAThreadThatSharesItsCpu) {
  uint64_t run_ns = 0;
  // A thread that has only just begun may have run for 0 ns.
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
       run_ns == 0 && std::chrono::steady_clock::now() < end;)
    std::ifstream("/proc/thread-self/schedstat") >> run_ns;
  if (run_ns == 0) GTEST_SKIP() << "this kernel does not count";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  std::atomic<bool> enough{false};
  const auto spin = [&](bool first) {
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const RunQueueWait waited;
    const uint64_t before = waited.ns();
    while (!enough.load())
      if (first && waited.ns() > before + 5'000'000) enough.store(true);
  };
  std::thread other(spin, false), watching(spin, true);
  watching.join();  // the loop ends when the kernel has counted 5 ms
  other.join();
}

TEST(TakenTime, IsSaidFromAMillisecondAndAThousandthOn) {
  const test::FakeRoot nobody;
  EXPECT_FALSE(judge({1, 999'999, 0.01}, nobody.path()));
  EXPECT_FALSE(judge({1, 9'000'000, 10}, nobody.path()));
  const auto some = judge({1, 20'000'000, 10}, nobody.path());
  ASSERT_TRUE(some);
  EXPECT_FALSE(some->too_much);
  EXPECT_EQ(some->text, "other tasks had CPU 1 for 20 ms of 10 s while the loop wanted it (0.2 %)");
}

TEST(TakenTime, IsTooMuchFromATwentiethOn) {
  const test::FakeRoot nobody;
  EXPECT_FALSE(judge({1, 499'000'000, 10}, nobody.path())->too_much);
  EXPECT_TRUE(judge({1, 500'000'000, 10}, nobody.path())->too_much);
}

TEST(TakenTime, NamesTheRealTimeTaskThatIsThere) {
  const auto text_with = [](const TaskStat& task) {
    test::FakeRoot proc;
    proc.file("/812/task/812/stat", stat_line(task));
    return judge({1, 5'000'000'000, 10}, proc.path())->text;
  };
  EXPECT_THAT(text_with({812, "hog", 'R', 7, 1, 99, SCHED_FIFO}),
              HasSubstr("; hog (pid 812, SCHED_FIFO 99) is there now"));
  EXPECT_THAT(text_with({812, "hog", 'R', 7, 1, 0, SCHED_OTHER}), Not(HasSubstr("hog")));
}

}  // namespace
}  // namespace maxlat::core
