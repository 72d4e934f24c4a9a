// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <maxlat/core/stats/quantile_interval.hpp>
#include <random>

namespace maxlat::core {
namespace {

// The sign test's table: the median of 10 samples lies between the 2nd and the 9th, of 6 between the 1st and the 6th.
TEST(QuantileRanks, AreTheTables) {
  const RankInterval ten = quantile_ranks(10, 0.5, 0.95);
  EXPECT_EQ(ten.low, 2u);
  EXPECT_EQ(ten.high, 9u);
  const RankInterval six = quantile_ranks(6, 0.5, 0.95);
  EXPECT_EQ(six.low, 1u);
  EXPECT_EQ(six.high, 6u);
  const RankInterval hundred = quantile_ranks(100, 0.5, 0.95);
  EXPECT_EQ(hundred.low, 40u);
  EXPECT_EQ(hundred.high, 61u);
}

TEST(QuantileRanks, TooFewSamplesHaveNoUpperEnd) {
  EXPECT_FALSE(quantile_ranks(5, 0.5, 0.95).high);
  EXPECT_EQ(quantile_ranks(5, 0.5, 0.95).low, 0u);
  EXPECT_EQ(samples_for_upper_end(0.5, 0.95), 6u);
  for (const double level : {0.9, 0.99, 0.999, 0.9999, 0.999999}) {
    const std::uint64_t enough = samples_for_upper_end(level, 0.95);
    EXPECT_FALSE(quantile_ranks(enough - 1, level, 0.95).high) << level;
    EXPECT_EQ(quantile_ranks(enough, level, 0.95).high, enough) << level;
  }
  EXPECT_EQ(samples_for_upper_end(0.9999, 0.95), 36887u);  // ln 0.025 / ln 0.9999
}

TEST(QuantileRanks, HoldForAsManySamplesAsADayHas) {
  const RankInterval ranks = quantile_ranks(100'000'000'000, 0.999999, 0.95);  // 100 000 beyond, +- 1.96 sqrt of it
  ASSERT_TRUE(ranks.high);
  EXPECT_NEAR(static_cast<double>(100'000'000'000 - ranks.low), 100'000 + 620, 3);
  EXPECT_NEAR(static_cast<double>(100'000'000'000 - *ranks.high), 100'000 - 620, 3);
}

// A histogram of these samples with bins of 1 ns.
CpuResult binned(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  CpuResult cpu;
  cpu.samples = samples.size();
  cpu.min_ns = samples.front();
  cpu.max_ns = samples.back();
  for (const double sample : samples) {
    const double low = std::floor(sample);
    if (cpu.bins.empty() || cpu.bins.back().low_ns != low) cpu.bins.push_back({low, low + 1, 0});
    ++cpu.bins.back().count;
  }
  return cpu;
}

TEST(QuantileInterval, AreTheEdgesOfTheBinsOfItsRanks) {
  const CpuResult cpu = binned({10.5, 20.5, 30.5, 40.5, 50.5, 60.5, 70.5, 80.5, 90.5, 99.5});
  const QuantileInterval median = quantile_interval(cpu, 0.5, 0.95);
  EXPECT_EQ(median.low_ns, 20);
  EXPECT_EQ(median.high_ns, 91);
  EXPECT_FALSE(quantile_interval(cpu, 0.9, 0.95).high_ns);
}

TEST(QuantileInterval, IsOfTheMaximumWhereItLiesBeyondTheBins) {
  CpuResult cpu;
  cpu.samples = 1000;
  cpu.min_ns = 5;
  cpu.max_ns = 7000;
  cpu.bins = {{0, 100, 900}};
  cpu.overflow_count = 100;
  const QuantileInterval p99 = quantile_interval(cpu, 0.99, 0.95);
  EXPECT_EQ(p99.low_ns, 100);
  EXPECT_EQ(p99.high_ns, 7000);
}

// Three distributions that have nothing in common: it is free of them.
TEST(QuantileInterval, CoversWhatItPromises) {
  std::mt19937_64 random(2026);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto exponential = [](double u) { return -1000 * std::log1p(-u); };
  const auto heavy = [](double u) { return 1000 * std::pow(1 - u, -0.8); };
  const auto even = [](double u) { return 5000 * u; };
  for (const auto& inverse : std::vector<std::function<double(double)>>{exponential, heavy, even}) {
    for (const double level : {0.5, 0.99}) {
      int covered = 0;
      constexpr int kTrials = 300;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> samples(800);
        for (double& sample : samples) sample = inverse(uniform(random));
        const QuantileInterval interval = quantile_interval(binned(samples), level, 0.95);
        ASSERT_TRUE(interval.high_ns);
        covered += interval.low_ns <= inverse(level) && inverse(level) <= *interval.high_ns;
      }
      EXPECT_GE(covered, 0.95 * kTrials - 11);  // three standard deviations
      EXPECT_LE(covered, kTrials - 1);
    }
  }
}

}  // namespace
}  // namespace maxlat::core
