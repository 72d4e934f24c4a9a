// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <maxlat/core/stats/block_bootstrap.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

// Each value is so many times the one before it, and something new.
std::vector<double> autoregressive(std::mt19937_64& random, std::size_t length, double times) {
  std::normal_distribution<> news(0, std::sqrt(1 - times * times));
  double value = std::normal_distribution<>()(random);
  std::vector<double> series;
  for (std::size_t i = 0; i < length; ++i) {
    series.push_back(value);
    value = times * value + news(random);
  }
  return series;
}

double mean_block_length(double times, std::size_t length) {
  std::mt19937_64 random(2004);
  constexpr int kSeries = 50;
  double sum = 0;
  for (int i = 0; i < kSeries; ++i) sum += block_length(autoregressive(random, length, times));
  return sum / kSeries;
}

// Of such a series the best length is known: ((2 times / (1 - times^2))^2 n)^(1/3).
TEST(BlockLength, IsTheBestOneOfASeriesThatIsKnown) {
  for (const double times : {0.3, 0.5, 0.8}) {
    const double best = std::cbrt(std::pow(2 * times / (1 - times * times), 2) * 5000);
    EXPECT_NEAR(mean_block_length(times, 5000) / best, 1, 0.25) << times;
  }
}

TEST(BlockLength, IsShortWhereNothingDependsOnThePast) {
  EXPECT_LT(mean_block_length(0, 5000), 4);
  EXPECT_EQ(block_length(std::vector<double>(50, 3.0)), 1) << "constant";
  EXPECT_GE(block_length(std::vector<double>{1, 2}), 1);
}

TEST(VarianceOfDrawnSum, OfLengthOneIsThatOfIndependentDraws) {
  EXPECT_DOUBLE_EQ(variance_of_drawn_sum(std::vector<double>{1, 2, 3, 6}, 1), 14);  // 4 times their variance, 3.5
}

// Drawn as Politis 1994 says.
TEST(VarianceOfDrawnSum, IsTheVarianceOfDrawnSums) {
  std::mt19937_64 random(1994);
  const std::vector<double> series = autoregressive(random, 60, 0.7);
  for (const double length : {2.0, 5.0, 20.0}) {
    std::uniform_int_distribution<std::size_t> anywhere(0, series.size() - 1);
    std::bernoulli_distribution ends(1 / length);
    constexpr int kDraws = 40'000;
    double sums = 0, squares = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      double sum = 0;
      std::size_t at = anywhere(random);
      for (std::size_t i = 0; i < series.size(); ++i) {
        sum += series[at];
        at = ends(random) ? anywhere(random) : (at + 1) % series.size();
      }
      sums += sum;
      squares += sum * sum;
    }
    const double drawn = squares / kDraws - sums / kDraws * (sums / kDraws);
    EXPECT_NEAR(variance_of_drawn_sum(series, length) / drawn, 1, 0.04) << length;  // five standard deviations
  }
}

}  // namespace
}  // namespace maxlat::core
