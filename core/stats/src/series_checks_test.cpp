// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <maxlat/core/stats/pareto_tail.hpp>
#include <maxlat/core/stats/series_checks.hpp>

namespace maxlat::core {
namespace {

// By hand: 1 2 3 4 has the autocorrelation 0.25 at lag 1, Q = 4 * 6 / 3 * 0.0625 = 0.5, of one degree of freedom.
TEST(LjungBox, IsTheFormula) {
  EXPECT_NEAR(ljung_box_p(std::vector<double>{1, 2, 3, 4}, 1), std::erfc(std::sqrt(0.5 / 2)), 1e-12);
  EXPECT_EQ(ljung_box_p(std::vector<double>{3, 3, 3, 3}, 2), 1);
}

// Five rising values: S = 10, variance 16.667, (10 - 1) / 4.082 = 2.2045, two-sided 0.0275.
TEST(MannKendall, IsTheFormula) {
  EXPECT_NEAR(mann_kendall_p(std::vector<double>{1, 2, 3, 4, 5}), 0.0275, 1e-4);
  EXPECT_NEAR(mann_kendall_p(std::vector<double>{5, 4, 3, 2, 1}), 0.0275, 1e-4);
  EXPECT_EQ(mann_kendall_p(std::vector<double>{7, 7, 7, 7}), 1);
  // Ties: 1 1 2 2 has S = 4, variance (156 - 2 * 18) / 18 = 6.667, (4 - 1) / 2.582.
  EXPECT_NEAR(mann_kendall_p(std::vector<double>{1, 1, 2, 2}), std::erfc(3 / 2.581989 / std::sqrt(2)), 1e-6);
}

// The table of Kolmogorov's limit: 1.358 is exceeded in one of twenty.
TEST(EvenlySpread, IsTheTables) {
  std::vector<double> even(1000);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = (static_cast<double>(i) + 0.5) / 1000;
  EXPECT_EQ(evenly_spread_p(even), 1);
  const double shift = 1.358 / (std::sqrt(1000) + 0.12 + 0.11 / std::sqrt(1000)) - 0.5 / 1000;
  for (double& value : even) value = std::min(1.0, value + shift);
  EXPECT_NEAR(evenly_spread_p(even), 0.05, 1e-3);
  EXPECT_LT(evenly_spread_p(std::vector<double>(50, 0.5)), 1e-6);
}

// What each promises: one in twenty of nothing.
TEST(SeriesChecks, CallOneInTwentyOfNothing) {
  std::mt19937_64 random(5);
  constexpr int kTrials = 600;
  int dependent = 0, trend = 0, uneven = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> series(150);
    for (double& value : series) value = uniform_draw(random);
    dependent += ljung_box_p(series, 10) <= 0.05;
    trend += mann_kendall_p(series) <= 0.05;
    std::sort(series.begin(), series.end());
    uneven += evenly_spread_p(series) <= 0.05;
  }
  for (const int called : {dependent, trend, uneven}) {
    EXPECT_LE(called, kTrials / 20 + 22);  // four standard deviations
    EXPECT_GE(called, kTrials / 20 - 22);
  }
}

TEST(SeriesChecks, FindWhatTheyAreFor) {
  std::mt19937_64 random(6);
  std::vector<double> clustered(300), rhythm(300), rising(300);
  for (std::size_t i = 0; i < 300; ++i) {
    clustered[i] = (i == 0 ? 0 : 0.4 * clustered[i - 1]) + uniform_draw(random);
    rhythm[i] = uniform_draw(random) + (i % 7 == 0 ? 0.5 : 0);
    rising[i] = uniform_draw(random) + static_cast<double>(i) / 900;
  }
  EXPECT_LT(ljung_box_p(clustered, 10), 1e-3);
  EXPECT_LT(ljung_box_p(rhythm, 10), 1e-3);
  EXPECT_LT(mann_kendall_p(rising), 1e-3);
}

}  // namespace
}  // namespace maxlat::core
