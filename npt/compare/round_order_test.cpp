// SPDX-License-Identifier: MIT
#include "round_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(RoundOrder, EveryArmOnceInEveryRound) {
  const auto orders = round_orders(4, 50, 7);
  ASSERT_EQ(orders.size(), 50u);
  for (const auto& order : orders) EXPECT_THAT(order, UnorderedElementsAre(0u, 1u, 2u, 3u));
}

// What a report's seed promises must hold on the machine of whoever reads it: the values are fixed.
TEST(RoundOrder, SameSeedSameOrderForever) {
  EXPECT_EQ(round_orders(5, 8, 42), round_orders(5, 8, 42));
  EXPECT_NE(round_orders(5, 8, 42), round_orders(5, 8, 43));
  EXPECT_THAT(round_orders(3, 4, 1),
              ElementsAre(ElementsAre(1, 0, 2), ElementsAre(1, 2, 0), ElementsAre(2, 1, 0), ElementsAre(0, 1, 2)));
}

TEST(RoundOrder, NoPlaceIsPreferred) {
  std::map<std::vector<std::size_t>, int> seen;
  for (const auto& order : round_orders(3, 6000, 3)) ++seen[order];
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);  // five standard deviations
}

}  // namespace
}  // namespace maxlat::npt
