// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <maxlat/core/stats/change_points.hpp>
#include <maxlat/core/stats/pareto_tail.hpp>

namespace maxlat::core {
namespace {

std::vector<double> noise(std::size_t count, std::mt19937_64& random) {
  return draw_excesses({0.3, 1000}, count, random);
}

TEST(ChangePoints, AreWhereTheSeriesChanges) {
  std::mt19937_64 random(1);
  std::vector<double> series = noise(300, random);
  for (std::size_t i = 120; i < 210; ++i) series[i] += 2000;
  const std::vector<ChangePoint> found = change_points(series);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(static_cast<double>(found[0].at), 120, 4);
  EXPECT_NEAR(static_cast<double>(found[1].at), 210, 4);
  EXPECT_NEAR(found[0].median_after - found[0].median_before, 2000, 400);
  EXPECT_EQ(found[0].median_after, found[1].median_before);
  EXPECT_LT(found[1].p, 0.01);
}

// Ten runs before and ten behind an update that doubles the figure: as a series of results is.
TEST(ChangePoints, NeedFewRuns) {
  std::vector<double> series = {10, 12, 11, 13, 10.5, 11.5, 12.5, 10.2, 11.1, 12.2,
                                22, 24, 21, 23, 25,   22.5, 23.5, 21.5, 24.5, 22.2};
  const std::vector<ChangePoint> found = change_points(series);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 10u);
}

TEST(ChangePoints, OneWildValueIsNone) {
  std::mt19937_64 random(2);
  std::vector<double> series = noise(100, random);
  series[50] = 1e9;
  EXPECT_TRUE(change_points(series).empty());
  EXPECT_TRUE(change_points(std::vector<double>(100, 7.0)).empty());
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 2, 3}).empty());
}

TEST(ChangePoints, AreInOneOfAHundredOfNothing) {
  std::mt19937_64 random(3);
  int cut = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) cut += !change_points(noise(80, random)).empty();
  EXPECT_LE(cut, 22);  // four standard deviations
  EXPECT_GE(cut, 1);
}

// A formula, and what change_points() finds in the clearest series there is.
TEST(ChangePoints, FewestAreThoseThatAreFound) {
  const auto p_of_clearest = [](std::size_t n) {
    std::vector<double> series(n);
    for (std::size_t i = 0; i < n; ++i) series[i] = (i < n / 2 ? 0 : 1000) + static_cast<double>(i);
    double p = 1;
    for (const ChangePoint& change : change_points(series))
      if (change.at == n / 2) p = change.p;
    return p;
  };
  std::size_t before = 0;
  for (const double p : {0.05, 0.01, 1e-3, 1e-5, 1e-9}) {
    const std::size_t fewest = fewest_for_change(p);
    EXPECT_LE(p_of_clearest(fewest), p) << fewest;
    EXPECT_GT(p_of_clearest(fewest - 1), p) << fewest;
    EXPECT_GE(fewest, before);
    before = fewest;
  }
}

TEST(ChangePoints, TiesDoNoHarm) {
  std::mt19937_64 random(4);
  int cut = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> series = noise(80, random);
    for (double& value : series) value = value > 1500 ? 2 : 1;  // two values only
    cut += !change_points(series).empty();
  }
  EXPECT_LE(cut, 10);
}

}  // namespace
}  // namespace maxlat::core
