// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <maxlat/core/stats/exceedance.hpp>
#include <random>

namespace maxlat::core {
namespace {

TEST(EventsBelow, NoEventIsTheRuleOfThree) {
  EXPECT_NEAR(events_below(0, 0.95), -std::log(0.05), 1e-12);  // 2.996
  EXPECT_NEAR(events_below(0, 0.99), -std::log(0.01), 1e-12);
}

// Garwood's table, 95 %.
TEST(EventsInterval, IsTheTables) {
  const Interval one = events_interval(1, 0.95), ten = events_interval(10, 0.95);
  EXPECT_EQ(events_interval(0, 0.95).low, 0);
  EXPECT_NEAR(events_interval(0, 0.95).high, 3.689, 5e-4);
  EXPECT_NEAR(one.low, 0.0253, 5e-5);
  EXPECT_NEAR(one.high, 5.572, 5e-4);
  EXPECT_NEAR(ten.low, 4.795, 5e-4);
  EXPECT_NEAR(ten.high, 18.39, 5e-3);
  EXPECT_NEAR(events_below(1, 0.95), 4.744, 5e-4);
}

// Clopper 1934, and the textbook's 1 of 10 and 0 of 100.
TEST(ShareInterval, IsTheTables) {
  const Interval one = share_interval(1, 10, 0.95);
  EXPECT_NEAR(one.low, 0.0025, 5e-5);
  EXPECT_NEAR(one.high, 0.4450, 5e-5);
  const Interval none = share_interval(0, 100, 0.95), all = share_interval(100, 100, 0.95);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 0.01), 1e-12);
  EXPECT_NEAR(all.low, std::pow(0.025, 0.01), 1e-12);
  EXPECT_EQ(all.high, 1);
}

TEST(ShareInterval, HoldsForAsManySamplesAsADayHas) {
  const std::uint64_t samples = 100'000'000'000;
  EXPECT_NEAR(share_below(0, samples, 0.95) * 1e11, 2.9957, 1e-3);
  const Interval ten = share_interval(10, samples, 0.95);  // the Poisson limit
  EXPECT_NEAR(ten.low * 1e11, 4.795, 5e-4);
  EXPECT_NEAR(ten.high * 1e11, 18.39, 5e-3);
}

// Exact: at least what is promised, for every mean. Summed over all counts that can occur, not drawn.
TEST(EventsInterval, CoversWhatItPromises) {
  for (const double mean : {0.1, 0.7, 2.9, 3.1, 5.0, 12.3, 40.0}) {
    double covered = 0, bounded = 0, probability = std::exp(-mean);
    for (std::uint64_t events = 0; events < 300; ++events) {
      const Interval interval = events_interval(events, 0.95);
      covered += interval.low <= mean && mean <= interval.high ? probability : 0;
      bounded += mean < events_below(events, 0.95) ? probability : 0;
      probability *= mean / static_cast<double>(events + 1);
    }
    EXPECT_GE(covered, 0.95) << mean;
    EXPECT_GE(bounded, 0.95) << mean;
    EXPECT_LE(bounded, mean < 3 ? 1.0 : 0.9999) << mean;
  }
}

TEST(ShareInterval, CoversWhatItPromises) {
  std::mt19937_64 random(13);
  for (const double share : {0.003, 0.04, 0.3}) {
    std::binomial_distribution<std::uint64_t> draw(500, share);
    int covered = 0, bounded = 0;
    constexpr int kTrials = 1000;
    for (int trial = 0; trial < kTrials; ++trial) {
      const std::uint64_t events = draw(random);
      const Interval interval = share_interval(events, 500, 0.9);
      covered += interval.low <= share && share <= interval.high;
      bounded += share <= share_below(events, 500, 0.9);
    }
    EXPECT_GE(covered, 0.9 * kTrials - 40) << share;
    EXPECT_GE(bounded, 0.9 * kTrials - 40) << share;
    EXPECT_LE(bounded, share < 0.01 ? kTrials : 0.9 * kTrials + 60) << share;  // whole numbers make it wide
  }
}

TEST(TimeToShow, IsThreePeriodsWithoutAnExceedance) {
  EXPECT_NEAR(time_to_show(1.0 / 24, 0, 0.95), 24 * 2.9957, 0.01);  // 72 h for fewer than one in 24 h
  EXPECT_NEAR(time_to_show(1.0 / 24, 1, 0.95), 24 * 4.744, 0.02);
}

// What was planned is what the interval then says.
TEST(PlanRun, IsLikelyToShowIt) {
  const auto plan = plan_run(1.0, 0.25, 0.95, 0.8);
  ASSERT_TRUE(plan);
  EXPECT_NEAR(events_below(plan->allowed, 0.95) / plan->time, 1.0, 1e-9);
  EXPECT_GE(plan->chance, 0.8);
  std::mt19937_64 random(4);
  std::poisson_distribution<std::uint64_t> events(0.25 * plan->time);
  int shown = 0;
  for (int trial = 0; trial < 2000; ++trial) shown += events_below(events(random), 0.95) / plan->time <= 1 + 1e-9;
  EXPECT_NEAR(shown / 2000.0, plan->chance, 0.04);
}

TEST(PlanRun, AllowsNothingWhereNothingIsLikely) {
  const auto plan = plan_run(1.0, 0, 0.95, 0.8);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->allowed, 0u);
  EXPECT_EQ(plan->chance, 1);
}

TEST(PlanRun, IsNoneWhereTheLikelyRateIsTooHigh) {
  EXPECT_FALSE(plan_run(1.0, 1.0, 0.95, 0.8));
  EXPECT_FALSE(plan_run(1.0, 7.0, 0.95, 0.8));
  EXPECT_FALSE(plan_run(1.0, 0.9999, 0.95, 0.8));
}

TEST(SamplesAbove, CountsABinThatReachesBeyondTheLimit) {
  CpuResult cpu;
  cpu.samples = 17;
  cpu.max_ns = 95;
  cpu.bins = {{10, 20, 10}, {40, 50, 4}, {50, 60, 2}};
  cpu.overflow_count = 1;
  EXPECT_EQ(samples_above(cpu, 5), 17u);
  EXPECT_EQ(samples_above(cpu, 20), 7u);
  EXPECT_EQ(samples_above(cpu, 45), 7u);  // of those from 40 to 50 nobody knows
  EXPECT_EQ(samples_above(cpu, 50), 3u);
  EXPECT_EQ(samples_above(cpu, 94), 1u);
  EXPECT_EQ(samples_above(cpu, 95), 0u);
}

}  // namespace
}  // namespace maxlat::core
