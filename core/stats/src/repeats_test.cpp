// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <maxlat/core/stats/repeats.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

// The table of Mann and Whitney: of 3 and 3 apart 2/20, of 4 and 4 apart 2/70, with U = 1 4/70.
TEST(DifferenceOfGroups, IsExact) {
  EXPECT_NEAR(difference_of_groups(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}).p, 2.0 / 20, 1e-12);
  EXPECT_NEAR(difference_of_groups(std::vector<double>{5, 6, 7, 8}, std::vector<double>{1, 2, 3, 4}).p, 2.0 / 70,
              1e-12);
  EXPECT_NEAR(difference_of_groups(std::vector<double>{1, 2, 3, 5}, std::vector<double>{4, 6, 7, 8}).p, 4.0 / 70,
              1e-12);
  EXPECT_NEAR(difference_of_groups(std::vector<double>{1, 4}, std::vector<double>{2, 3}).p, 1, 1e-12);
}

TEST(DifferenceOfGroups, SharesTiedRanks) {
  EXPECT_EQ(difference_of_groups(std::vector<double>{7, 7, 7}, std::vector<double>{7, 7, 7}).p, 1);
  // Of {1, 1, 2, 2} the pairs have the rank sums 3, 5 (four times) and 7: those as far out as 3 are two of six.
  EXPECT_NEAR(difference_of_groups(std::vector<double>{1, 1}, std::vector<double>{2, 2}).p, 2.0 / 6, 1e-12);
}

TEST(DifferenceOfGroups, TellsItsSize) {
  const GroupDifference apart = difference_of_groups(std::vector<double>{1, 2, 3}, std::vector<double>{11, 12, 13});
  EXPECT_EQ(apart.shift, 10);
  EXPECT_EQ(apart.share_greater, 1);
  const GroupDifference wild = difference_of_groups(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 1e9});
  EXPECT_LE(wild.shift, 1);
  EXPECT_NEAR(wild.share_greater, (1 + 3 + 0.5 + 0.5) / 9.0, 1e-12);
}

TEST(RepeatsNeeded, AreTheFewestThatCanBeSignificant) {
  EXPECT_EQ(repeats_needed(0.1), 3u);    // 2/20
  EXPECT_EQ(repeats_needed(0.05), 4u);   // 2/70
  EXPECT_EQ(repeats_needed(0.005), 6u);  // 2/924, and 2/252 is more
  EXPECT_FALSE(smallest_difference(std::vector<double>{1, 2, 3}, 3, 0.05));
}

// What is promised: a difference of that size is found in 19 of 20, and none where there is none in 19 of 20.
TEST(SmallestDifference, IsFound) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> noise(1000, 50);
  constexpr std::size_t kEach = 8;
  constexpr int kTrials = 400;
  const auto group = [&](double shift) {
    std::vector<double> values(kEach);
    for (double& value : values) value = noise(random) + shift;
    return values;
  };
  int found = 0, invented = 0;
  double stated = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> repeats = group(0);
    const double smallest = smallest_difference(repeats, kEach, 0.05).value();
    stated += smallest / kTrials;
    found += difference_of_groups(group(0), group(smallest)).p <= 0.05;
    invented += difference_of_groups(repeats, group(0)).p <= 0.05;
  }
  EXPECT_GE(found, 0.95 * kTrials - 13) << "of " << kTrials;
  EXPECT_LE(invented, 0.05 * kTrials + 17);
  EXPECT_LT(stated, 4 * 50);  // and not by stating something so large that everybody sees it
}

TEST(SmallestDifference, ShrinksWithTheRepeats) {
  const std::vector<double> repeats = {10, 12, 11, 13, 9};
  const double with_5 = smallest_difference(repeats, 5, 0.05).value();
  EXPECT_NEAR(smallest_difference(repeats, 20, 0.05).value(), with_5 / 2, 1e-9);
  EXPECT_EQ(smallest_difference(std::vector<double>{7, 7, 7}, 5, 0.05), 0);
}

// 30 and 30 are exact, 31 and 31 are not, and of the same shift.
TEST(DifferenceOfGroups, ManyValuesAreNearlyWhatExactRanksSay) {
  for (const double shift : {0.0, 3.0, 6.0}) {
    const auto p_of = [&](int each) {
      std::vector<double> base, other;
      for (int i = 0; i < each; ++i) {
        base.push_back((i * 37) % each);
        other.push_back((i * 41) % each + shift + 0.25);
      }
      return difference_of_groups(base, other).p;
    };
    const double exact = p_of(30), many = p_of(31);
    EXPECT_NEAR(std::log10(many), std::log10(exact), 0.15) << shift;
  }
  const std::vector<double> same(40, 7.0);
  EXPECT_EQ(difference_of_groups(same, same).p, 1) << "all tied";
}

}  // namespace
}  // namespace maxlat::core
