// SPDX-License-Identifier: MIT
#include "rate.hpp"

#include <gtest/gtest.h>

namespace maxlat::hwlat {
namespace {

TEST(Rate, NoEventIsTheRuleOfThree) {
  const Rate rate = rate_of(0, 3600);
  EXPECT_EQ(rate.per_hour, 0);
  EXPECT_EQ(rate.low_per_hour, 0);
  EXPECT_NEAR(rate.high_per_hour, 2.9957, 1e-4);  // -ln 0.05
}

// Garwood's table: 10 events, 95 %: 4.795 to 18.39.
TEST(Rate, TenEventsHaveTheTablesInterval) {
  const Rate rate = rate_of(10, 1800);
  EXPECT_DOUBLE_EQ(rate.per_hour, 20);
  EXPECT_NEAR(rate.low_per_hour, 2 * 4.795, 2e-3);
  EXPECT_NEAR(rate.high_per_hour, 2 * 18.390, 2e-3);
}

}  // namespace
}  // namespace maxlat::hwlat
