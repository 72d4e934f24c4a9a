// SPDX-License-Identifier: MIT
//
// With real threads, where this process may have real-time policies: facts, no times.
#include "cyclic_measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <thread>

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;

class WakeupsOnThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    core::Status allowed;
    std::thread([&] { allowed = core::set_scheduling({.priority = 95}); }).join();
    if (!allowed) GTEST_SKIP() << allowed.error().text;
    settings_.cpus = {core::assignable_cpus()->back()};
    settings_.loops = 20;
  }
  CyclicSettings settings_;
};

TEST_F(WakeupsOnThisMachine, BothTimersGiveTheWakeUpsThatWereAskedFor) {
  for (const TimerKind timer : {TimerKind::nanosleep, TimerKind::timerfd}) {
    settings_.timer = timer;
    const auto run = measure_wakeups(settings_);
    ASSERT_TRUE(run.ok()) << run.error().text;
    const core::Phase& phase = run->phase;
    EXPECT_EQ(phase.status, core::PhaseStatus::ok) << phase.reason;
    ASSERT_EQ(phase.per_cpu.size(), 1u);
    EXPECT_EQ(phase.per_cpu[0].cpu, settings_.cpus[0]);
    EXPECT_EQ(phase.per_cpu[0].samples, 20u);
    EXPECT_EQ(phase.per_cpu[0].outliers.size(), 20u);
    EXPECT_GE(phase.per_cpu[0].exposure_s, 0.019);  // 19 intervals lie between the first due time and the last
    EXPECT_EQ(phase.facts.at("timer"), to_string(timer));
  }
}

TEST_F(WakeupsOnThisMachine, ALimitIsAFactAlsoWhereNoneWasAboveIt) {
  settings_.break_above_ns = 3'600'000'000'000;
  const auto run = measure_wakeups(settings_);
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phase.facts.at(core::fact::kLimit), core::latency_text(3600e9));
  EXPECT_FALSE(run->phase.facts.contains(core::fact::kBreak));
}

TEST_F(WakeupsOnThisMachine, NothingOfItStays) {
  const core::CpuList before = *core::allowed_cpus();
  ASSERT_TRUE(measure_wakeups(settings_).ok());
  EXPECT_EQ(core::current_scheduling()->policy, core::Policy::other);
  EXPECT_EQ(*core::allowed_cpus(), before);
}

TEST_F(WakeupsOnThisMachine, APolicyThatIsRefusedIsAnErrorAndThreadsAreJoined) {
  settings_.scheduling.priority = 100;
  const auto run = measure_wakeups(settings_);
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().text, HasSubstr("a real-time priority is 1 to 99"));
}

TEST_F(WakeupsOnThisMachine, ASnapshotHasWhatThereIs) {
  settings_.loops = 3'000;
  settings_.snapshot_period_ns = 10'000'000;
  uint64_t samples = 0;
  const auto run = measure_wakeups(settings_, {.on_snapshot = [&](const core::Phase& so_far) {
                                     EXPECT_EQ(so_far.status, core::PhaseStatus::interrupted);
                                     if (!so_far.per_cpu.empty()) samples = so_far.per_cpu[0].samples;
                                   }});
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_GT(samples, 0u);
  EXPECT_GE(run->phase.per_cpu[0].samples, samples);
}

TEST_F(WakeupsOnThisMachine, ACpuThatIsNotThereIsNamed) {
  settings_.cpus = {60'000};
  EXPECT_THAT(measure_wakeups(settings_).error().text, HasSubstr("CPU 60000 does not exist"));
}

}  // namespace
}  // namespace maxlat::scheduling
