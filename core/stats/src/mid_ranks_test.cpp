// SPDX-License-Identifier: MIT
#include "mid_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MidRanks, AreInTheOrderOfTheValues) {
  EXPECT_THAT(doubled_mid_ranks(std::vector{30.0, 10.0, 20.0}), ElementsAre(6, 2, 4));
  EXPECT_THAT(doubled_mid_ranks(std::vector<double>{}), IsEmpty());
}

TEST(MidRanks, TiedValuesShareTheMiddleOfTheirs) {
  EXPECT_THAT(doubled_mid_ranks(std::vector{5.0, 1.0, 5.0, 9.0}), ElementsAre(5, 2, 5, 8));
  EXPECT_THAT(doubled_mid_ranks(std::vector{7.0, 7.0, 7.0}), ElementsAre(4, 4, 4));
}

}  // namespace
}  // namespace maxlat::core
