// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/core/stats/period.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

std::vector<double> every(double period, double jitter, double until, std::mt19937_64& random) {
  std::vector<double> times;
  std::normal_distribution<> off(0, jitter);
  for (double time = period / 3; time < until; time += period) times.push_back(time + off(random));
  return times;
}

void add_chance(std::vector<double>& times, int count, double until, std::mt19937_64& random) {
  std::uniform_real_distribution<> anywhere(0, until);
  for (int i = 0; i < count; ++i) times.push_back(anywhere(random));
}

TEST(Period, OfATimerIsFoundAmongOtherEvents) {
  for (const double period : {7.0, 30.0, 60.0, 120.0}) {
    std::mt19937_64 random(1);
    std::vector<double> times = every(period, period / 50, 3600, random);
    add_chance(times, static_cast<int>(times.size() / 3), 3600, random);
    const auto found = period_of(times, 2, 0.01);
    ASSERT_TRUE(found) << period;
    EXPECT_NEAR(found->length, period, period * 0.01) << "and not a part of it";
    EXPECT_LE(found->p, 0.01);
  }
}

// The timer's tick, 250 a second, through the eyes of a clock that is 40 ppm off; one event of five is none of it.
TEST(BeatsWith, IsTrueOfATickAndNotOfWhatLiesBetween) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> any(0, 150'000);
  std::vector<double> times;
  for (int i = 0; i < 24; ++i) times.push_back(any(random) * 0.004 * (1 + 40e-6) + 0.0011);
  add_chance(times, 6, 600, random);
  EXPECT_TRUE(beats_with(times, times[0], 250, 0.001));
  EXPECT_FALSE(beats_with(times, times[0] + 0.002, 250, 0.001));
  EXPECT_FALSE(beats_with(times, times[0], 300, 0.001));
  EXPECT_FALSE(beats_with(std::vector<double>{1, 1.004, 1.008, 1.012}, 1, 250, 0.001)) << "of three others, by chance";
}

// A day of a thousand ticks a second: 10^8 beats, and more events than count.
TEST(BeatsWith, FindsTheTickOfALongRun) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> any(0, 86'400'000);
  std::vector<double> times;
  for (int i = 0; i < 1500; ++i) times.push_back(any(random) * 0.001 * (1 - 70e-6) + 0.0003);
  add_chance(times, 1500, 86'400, random);
  EXPECT_TRUE(beats_with(times, times[0], 1000, 0.001));
  EXPECT_FALSE(beats_with(times, times[0] + 0.0005, 1000, 0.001));
}

TEST(BeatsWith, WhatNoRunLastsIsNeitherSoughtNorStored) {
  EXPECT_FALSE(beats_with(std::vector<double>{0, 1e15, 1e300}, 0, 1000, 0.001));
}

TEST(BeatsWith, IsSeldomTrueOfChance) {
  std::mt19937_64 random(4);
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> times;
    add_chance(times, 32, 600, random);
    found += beats_with(times, times[0], 1000, 0.01);
  }
  EXPECT_LE(found, 10);  // four are allowed, and three deviations
}

TEST(Period, OfChanceIsFoundAsSeldomAsIsSaid) {
  int found = 0;
  constexpr int kTries = 400;
  std::mt19937_64 random(2);
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> times;
    add_chance(times, 10 + i % 40, 600, random);
    found += period_of(times, 5, 0.05).has_value();
  }
  EXPECT_LE(found, kTries * 7 / 100);
}

TEST(Period, FewEventsOrAShortTimeHaveNone) {
  EXPECT_FALSE(period_of(std::vector<double>{}, 1, 0.5));
  EXPECT_FALSE(period_of(std::vector<double>{1, 2, 3, 4, 5}, 1, 0.5)) << "five";
  EXPECT_FALSE(period_of(std::vector<double>{1, 1.1, 1.2, 1.3, 1.4, 1.5}, 1, 0.5)) << "half a unit";
  EXPECT_FALSE(period_of(std::vector<double>(10, 7.0), 1, 0.5)) << "all at once";
}

TEST(Period, SeenTwiceIsNone) {
  // Two bursts: they fit a period of the time between them, and nothing says that there will be a third.
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    times.push_back(100 + 0.1 * i);
    times.push_back(500 + 0.1 * i);
  }
  const auto found = period_of(times, 50, 0.01);
  EXPECT_TRUE(!found || found->length <= 401.0 / 3);
}

}  // namespace
}  // namespace maxlat::core
