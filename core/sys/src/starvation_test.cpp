// SPDX-License-Identifier: MIT
//
// The rules, over a folder that looks like /proc and times that the test says. What the kernel does with a starving
// thread: npt/tests/npt_starvation.py.
#include <gtest/gtest.h>
#include <sched.h>

#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <optional>

#include "test_task.hpp"

namespace maxlat::core {
namespace {

using namespace std::chrono_literals;

class Starvation : public testing::Test {
 protected:
  void put(const std::string& process, const TaskStat& task) const {
    proc_.write(process + "/task/" + std::to_string(task.id) + "/stat", stat_line(task));
  }
  void loop_is(char state, uint64_t ticks) const { put("self", {kLoop, "npt", state, ticks, kCpu, 99, SCHED_FIFO}); }
  std::optional<std::string> look(std::chrono::milliseconds at, bool stop = false, bool has_samples = true) {
    const WatchedLoop loop{kLoop, kCpu, false, has_samples};
    return watch_->look({&loop, 1}, stop, start_ + at);
  }

  // No thread has this id, and no box this CPU: move_off() finds nothing to move.
  static constexpr int kLoop = 0x7ffffff0;
  static constexpr unsigned kCpu = 1'000'000;
  test::TemporaryFolder proc_;
  StarvationWatch::Clock::time_point start_ = StarvationWatch::Clock::now();
  std::optional<StarvationWatch> watch_;
};

TEST_F(Starvation, ALineOfStatIsReadWhateverTheNameIs) {
  const auto task = parse_task_stat(stat_line({12, "a) R (b", 'S', 77, 3, 98, SCHED_RR, 7}));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->name, "a) R (b");
  EXPECT_EQ(task->state, 'S');
  EXPECT_EQ(task->cpu_clock_ticks, 77u);
  EXPECT_EQ(task->cpu, 3u);
  EXPECT_EQ(task->parent, 7);
  EXPECT_EQ(to_string(*task), "a) R (b (pid 12, SCHED_RR 98)");
  EXPECT_FALSE(parse_task_stat("12 (cut"));
  EXPECT_FALSE(parse_task_stat("12 (cut) R 1 2"));
  EXPECT_FALSE(parse_task_stat(""));
}

TEST_F(Starvation, TheTaskThatRunsFirstHasTheCpu) {
  EXPECT_FALSE(task_that_has(kCpu, proc_.path()));
  put("10", {10, "ordinary", 'R', 9'000, kCpu, 0, SCHED_OTHER});
  EXPECT_EQ(to_string(*task_that_has(kCpu, proc_.path())), "ordinary (pid 10, SCHED_OTHER)");
  put("20", {21, "hog", 'R', 5, kCpu, 99, SCHED_FIFO});
  put("30", {30, "asleep", 'S', 9'000, kCpu, 99, SCHED_FIFO});
  put("40", {40, "elsewhere", 'R', 9'000, kCpu + 1, 99, SCHED_FIFO});
  put("50", {50, "waits", 'R', 1, kCpu, 99, SCHED_FIFO});
  EXPECT_EQ(task_that_has(kCpu, proc_.path())->id, 21);
  put("60", {60, "deadline", 'R', 0, kCpu, 0, SCHED_DEADLINE});
  EXPECT_EQ(task_that_has(kCpu, proc_.path())->id, 60);
}

TEST_F(Starvation, ASecondAfterTheSignal) {
  watch_.emplace(std::nullopt, proc_.path());
  put("20", {21, "hog", 'R', 5, kCpu, 99, SCHED_FIFO});
  loop_is('R', 100);
  EXPECT_FALSE(look(0s));
  EXPECT_FALSE(look(3600s)) << "nobody asked it to end";
  EXPECT_FALSE(look(3600s, true));
  EXPECT_FALSE(look(3600s + 900ms, true));
  EXPECT_EQ(look(3601s, true), "hog (pid 21, SCHED_FIFO 99) kept CPU 1000000 from the loop");
  EXPECT_FALSE(look(3602s, true)) << "said once";
}

TEST_F(Starvation, FiveSecondsAfterThePlannedEnd) {
  watch_.emplace(start_ + 10s, proc_.path());
  loop_is('R', 100);
  EXPECT_FALSE(look(0s));
  EXPECT_FALSE(look(14s));
  EXPECT_EQ(look(15s), "a task of higher priority kept CPU 1000000 from the loop");
}

TEST_F(Starvation, TenSecondsBeforeTheFirstSample) {
  watch_.emplace(start_ + 3600s, proc_.path());
  loop_is('R', 0);
  EXPECT_FALSE(look(0s, false, false));
  EXPECT_FALSE(look(9900ms, false, false));
  EXPECT_TRUE(look(10s, false, false));
}

TEST_F(Starvation, ALoopThatSleepsOrRunsIsNotStarving) {
  watch_.emplace(start_, proc_.path());
  loop_is('S', 100);
  EXPECT_FALSE(look(0s, true));
  EXPECT_FALSE(look(60s, true)) << "it rests";
  for (int second = 61; second < 90; ++second) {
    loop_is('R', static_cast<uint64_t>(second));
    EXPECT_FALSE(look(std::chrono::seconds(second), true)) << "it has the CPU now and then";
  }
}

}  // namespace
}  // namespace maxlat::core
