// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <maxlat/core/stats/outliers.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

std::vector<uint64_t> ticks_of(const Outliers& outliers) {
  std::vector<uint64_t> ticks;
  for (const OutlierSample& sample : outliers.largest_first()) ticks.push_back(sample.ticks);
  return ticks;
}

TEST(Outliers, KeepsTheLargestOfManyAsSortingWould) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> all;
  Outliers outliers(20);
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t ticks = 1 + random() % 5'000;  // many equal ones
    all.push_back(ticks);
    if (ticks > outliers.floor()) outliers.offer(ticks, static_cast<uint64_t>(i));
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  all.resize(20);
  EXPECT_EQ(ticks_of(outliers), all);
  EXPECT_EQ(outliers.floor(), all.back());
}

TEST(Outliers, FloorIsZeroUntilFull) {
  Outliers outliers(2);
  EXPECT_EQ(outliers.floor(), 0u);
  outliers.offer(10, 1);
  EXPECT_EQ(outliers.floor(), 0u);
  outliers.offer(5, 2);
  EXPECT_EQ(outliers.floor(), 5u);
  outliers.offer(5, 3);  // does not exceed the floor
  outliers.offer(6, 4);
  EXPECT_EQ(outliers.floor(), 6u);
  EXPECT_EQ(ticks_of(outliers), (std::vector<uint64_t>{10, 6}));
}

TEST(Outliers, EachKeepsItsOwnTimeAndTheEarlierOfEqualsStays) {
  Outliers outliers(2);
  outliers.offer(7, 100);
  outliers.offer(7, 200);
  outliers.offer(9, 300);
  const auto kept = outliers.largest_first();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].time, 300u);
  EXPECT_EQ(kept[1].time, 100u);
}

TEST(Outliers, NoneWantedNoneKept) {
  Outliers outliers(0);
  outliers.offer(UINT64_MAX, 1);
  EXPECT_TRUE(outliers.largest_first().empty());
}

}  // namespace
}  // namespace maxlat::core
