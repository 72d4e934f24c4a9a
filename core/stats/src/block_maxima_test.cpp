// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/block_maxima.hpp>
#include <maxlat/core/stats/pareto_tail.hpp>

namespace maxlat::core {
namespace {

TEST(ExtremeValues, ExceededWithIsTheFormula) {
  const double y = -std::log(-std::log(0.99));  // 4.600
  EXPECT_NEAR(exceeded_with({10, 2, 0}, 0.01), 10 + 2 * y, 1e-9);
  EXPECT_NEAR(exceeded_with({10, 2, 0.25}, 0.01), 10 + 2 * (std::exp(0.25 * y) - 1) / 0.25, 1e-9);
  EXPECT_NEAR(exceeded_with({10, 2, -0.25}, 0.01), 10 + 2 * (1 - std::exp(-0.25 * y)) / 0.25, 1e-9);
}

// The quantiles of a distribution, evenly taken, have its moments.
TEST(ExtremeValues, FitFindsWhatItIsGiven) {
  for (const ExtremeValues truth : {ExtremeValues{5000, 700, 0}, {5000, 700, 0.2}, {5000, 700, -0.3}}) {
    std::vector<double> values(20'000);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = exceeded_with(truth, 1 - (static_cast<double>(i) + 0.5) / 20'000);
    const auto fit = fit_extreme_values(values);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->location, truth.location, 10);
    EXPECT_NEAR(fit->scale, truth.scale, 10);
    EXPECT_NEAR(fit->shape, truth.shape, 0.01);
  }
}

TEST(ExtremeValues, ThereIsNoFitOfEqualValues) {
  EXPECT_FALSE(fit_extreme_values(std::vector<double>(50, 7.0)));
  EXPECT_FALSE(block_level(std::vector<double>(3600, 7.0), 86'400, 1));
}

TEST(BlockLevel, CoversAKnownAnswer) {
  std::mt19937_64 random(13);
  int covered = 0;
  constexpr int kTrials = 100;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const ParetoTail tail{std::vector{-0.15, 0.0, 0.1, 0.25}[trial % 4], 900};
    const std::vector<double> maxima = draw_excesses(tail, 3600, random);
    const auto level = block_level(maxima, 86'400, trial);
    ASSERT_TRUE(level);
    EXPECT_EQ(level->blocks, 100u);
    const double truth = excess_of(tail, std::log(86'400));
    covered += level->interval.low <= truth && truth <= level->interval.high;
  }
  EXPECT_GE(covered, 90);
  EXPECT_LE(covered, 98);
}

}  // namespace
}  // namespace maxlat::core
