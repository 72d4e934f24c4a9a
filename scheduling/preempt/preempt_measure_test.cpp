// SPDX-License-Identifier: MIT
//
// With real threads, where this process may have real-time policies: facts, no times.
#include "preempt_measure.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/base/clock.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <thread>

#include "pair_threads.hpp"

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;

constexpr uint64_t kTolerance_ns = 5'000;

class PreemptionOnThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    core::Status allowed;
    std::thread([&] { allowed = core::set_scheduling({.policy = core::Policy::fifo, .priority = 95}); }).join();
    if (!allowed) GTEST_SKIP() << allowed.error().text;
  }
  // How often each outcome came in ten rounds.
  std::map<RoundOutcome, int> outcomes(const PairOfPolicies& pair, uint64_t limit_ns) {
    std::map<RoundOutcome, int> counts;
    PairThreads threads(cpu_, pair, clock_);
    const core::Status started = threads.start();
    EXPECT_TRUE(started.ok() && !threads.starved());
    for (int i = 0; i < 10; ++i) {
      const std::optional<Round> round = threads.round({limit_ns});
      if (!round) return counts;
      ++counts[judge(*round, clock_.to_ticks(kTolerance_ns))];
    }
    return counts;
  }

  const unsigned cpu_ = core::assignable_cpus()->back();
  const base::CounterClock clock_ = base::calibrate();
  const core::Scheduling low_{.policy = core::Policy::fifo, .priority = 94}, high_{.priority = 95};
};

TEST_F(PreemptionOnThisMachine, AHigherPriorityNeverWaitsAndAnEqualOneAlwaysDoes) {
  std::map<RoundOutcome, int> counts = outcomes({low_, high_, {}}, 1'000'000'000);
  EXPECT_EQ(counts[RoundOutcome::waited], 0);
  EXPECT_GT(counts[RoundOutcome::preempted], 0);
  counts = outcomes({high_, high_, {}}, 500'000);
  EXPECT_EQ(counts[RoundOutcome::preempted], 0);
  EXPECT_GT(counts[RoundOutcome::waited], 0);
}

TEST_F(PreemptionOnThisMachine, NothingOfThePairStays) {
  { PairThreads never_started(cpu_, {low_, high_, {}}, clock_); }
  EXPECT_GT(outcomes({low_, high_, {}}, 1'000'000'000).size(), 0u);
  EXPECT_EQ(core::current_scheduling()->policy, core::Policy::other);
  EXPECT_EQ(*core::allowed_cpus(), *core::assignable_cpus());
}

TEST_F(PreemptionOnThisMachine, ARefusedPolicyIsAnErrorAndThreadsAreJoined) {
  PairThreads threads(cpu_, {low_, {.policy = core::Policy::fifo, .priority = 100}, {}}, clock_);
  const core::Status started = threads.start();
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().text, HasSubstr("a real-time priority is 1 to 99"));
}

// As the kernel moves it when its CPU goes offline. A defect: such a pair was called broken.
TEST_F(PreemptionOnThisMachine, AThreadThatWasMovedHasNoRound) {
  const core::CpuList others = core::difference(*core::assignable_cpus(), {cpu_});
  if (others.empty()) GTEST_SKIP() << "there is no other CPU";
  PairThreads threads(cpu_, {low_, high_, {}}, clock_);
  ASSERT_TRUE(threads.start().ok() && !threads.starved());
  EXPECT_TRUE(threads.round({1'000'000'000}));
  EXPECT_EQ(threads.left(), "");
  ASSERT_TRUE(core::AffinityMask(others).apply(threads.woken_thread()));
  EXPECT_FALSE(threads.round({1'000'000'000}));
  EXPECT_FALSE(threads.starved());
  EXPECT_THAT(threads.left(), HasSubstr(fmt::format("the thread on CPU {} was moved to another", cpu_)));
}

// Each pair of the table once on the CPU, each round in one count, the samples those of the pairs that must preempt.
TEST_F(PreemptionOnThisMachine, EveryPairHasItsRoundsAndTheSamplesAreOfThoseThatMust) {
  const core::CpuList before = *core::allowed_cpus();
  size_t calls = 0;
  const core::Result<core::Phase> phase =
      measure_preemption({.cpus = {cpu_}, .loops = 3}, [&](const core::Phase& so_far, double done) {
        ++calls;
        EXPECT_EQ(so_far.pairs.size(), calls);
        EXPECT_EQ(so_far.per_cpu.size(), 1u);
        EXPECT_DOUBLE_EQ(done, static_cast<double>(calls) / 56);
      });
  ASSERT_TRUE(phase.ok()) << phase.error().text;
  EXPECT_EQ(calls, 56u);
  ASSERT_EQ(phase->pairs.size(), 56u);
  uint64_t samples = 0;
  for (const core::PolicyPair& pair : phase->pairs) {
    EXPECT_EQ(pair.rounds, pair.preempted + pair.waited + pair.untold);
    // On a busy machine the fair ones may have more of them in vain, or none.
    if (pair.promise == core::PolicyPair::Promise::must_not) {
      EXPECT_GE(pair.rounds, 3u) << shown_name(pair);
    }
    if (pair.promise == core::PolicyPair::Promise::must) samples += pair.preempted;
  }
  EXPECT_EQ(phase->per_cpu[0].samples, samples);
  EXPECT_EQ(*core::allowed_cpus(), before);
  core::RunResult run;
  run.phases = {*phase};
  EXPECT_TRUE(core::validate(run).ok()) << core::validate(run).error().text;
}

}  // namespace
}  // namespace maxlat::scheduling
