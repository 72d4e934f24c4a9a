// SPDX-License-Identifier: MIT
#include "running_load.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <maxlat/core/sys/cpu_list.hpp>

#include "test_process_watching.hpp"

namespace maxlat::loadgen {

extern const LoadDefinition kCpuLoad, kNetworkLoad;

namespace {

using namespace std::chrono_literals;

LoadPlan plan_of(const Work& work) {
  return one_worker_per_cpu("test", {core::allowed_cpus()->front()}, work);
}

core::Status do_nothing(WorkerSlot&) {
  for (;;) poll(nullptr, 0, -1);
}

TEST(RunningLoad, IsDeadAfterTheStatedTimeWithoutProgressAndNotBefore) {
  core::Result<RunningLoad> load = RunningLoad::start(kCpuLoad, plan_of(do_nothing));
  ASSERT_TRUE(load) << load.error().text;
  const auto now = std::chrono::steady_clock::now();
  load->sample(now + kLongestPause - 1s);
  EXPECT_TRUE(load->alive());
  load->sample(now + kLongestPause + 1s);
  EXPECT_FALSE(load->alive());
  EXPECT_EQ(load->result().reason, "no progress for 10 s");
  EXPECT_TRUE(children_of(getpid()).empty()) << "a dead load is stopped";
}

TEST(RunningLoad, AWorkerThatReportsAnErrorIsDeadWithThatReason) {
  core::Result<RunningLoad> load = RunningLoad::start(kCpuLoad, plan_of([](WorkerSlot&) -> core::Status {
                                                        return core::Error{"the disk is full", "free some"};
                                                      }));
  ASSERT_TRUE(load) << load.error().text;
  ASSERT_TRUE(eventually([&] {
    load->sample(std::chrono::steady_clock::now());
    return !load->alive();
  }));
  EXPECT_EQ(load->result().reason, "the disk is full (free some)");
}

// A death is final: a worker that is gone makes no more progress, and its reason does not change.
TEST(RunningLoad, TheFirstReasonIsKept) {
  core::Result<RunningLoad> load = RunningLoad::start(kCpuLoad, plan_of(do_nothing));
  ASSERT_TRUE(load) << load.error().text;
  load->sample(std::chrono::steady_clock::now() + kLongestPause);
  const core::LoadResult first = load->result();
  load->sample(std::chrono::steady_clock::now() + 2 * kLongestPause);
  EXPECT_EQ(load->result().reason, first.reason);
  EXPECT_EQ(load->result().progress, first.progress);
}

TEST(RunningLoad, ProgressIsTheSumOverItsWorkersInItsUnit) {
  const core::CpuList cpu = {core::allowed_cpus()->front()};
  const auto count_to = [](uint64_t units) {
    return [units](WorkerSlot& slot) -> core::Status {
      slot.add(units);
      return do_nothing(slot);
    };
  };
  LoadPlan plan{.command = "built-in",
                .workers = {{"load:a", cpu, count_to(3'000'000), false}, {"load:b", cpu, count_to(4'000'000), false}}};
  const auto start = std::chrono::steady_clock::now();
  core::Result<RunningLoad> load = RunningLoad::start(kNetworkLoad, plan);
  ASSERT_TRUE(load) << load.error().text;
  ASSERT_TRUE(eventually([&] { return load->under_way(); }));
  // As if 1000 s had gone by: what starting took before the watch began does not count then.
  load->sample(start + 1000s);
  EXPECT_NEAR(load->latest().rate * 1000, 7e6 / (1 << 20), 0.2);
}

TEST(RunningLoad, ProgressEndsWhereItsKeeperCountedLast) {
  core::Result<RunningLoad> load = RunningLoad::start(kCpuLoad, plan_of([](WorkerSlot& slot) {
                                                        slot.add(1);
                                                        slot.counted_now();
                                                        return do_nothing(slot);
                                                      }));
  ASSERT_TRUE(load) << load.error().text;
  ASSERT_TRUE(eventually([&] { return load->under_way(); }));
  load->sample(std::chrono::steady_clock::now() + 5s);
  EXPECT_TRUE(load->result().progress.empty());
}

}  // namespace
}  // namespace maxlat::loadgen
