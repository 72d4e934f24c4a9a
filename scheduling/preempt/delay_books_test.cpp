// SPDX-License-Identifier: MIT
#include "preempt/delay_books.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::scheduling {
namespace {

TEST(DelayBooks, TheLargestAreKeptWithTheirPairs) {
  DelayBooks books;
  for (uint64_t i = 1; i <= DelayBooks::kKept; ++i) EXPECT_TRUE(books.keep({{i, 1000 + i}, "first"}));
  EXPECT_FALSE(books.keep({{1, 2000}, "as small as the smallest"}));
  EXPECT_TRUE(books.keep({{5, 3000}, "behind who was as large before"}));
  ASSERT_EQ(books.largest.size(), DelayBooks::kKept);
  EXPECT_EQ(books.largest.back().sample.ticks, 2u);
  EXPECT_EQ(books.largest[DelayBooks::kKept - 5].sample.time, 1005u);
  EXPECT_EQ(books.largest[DelayBooks::kKept - 4].pair, "behind who was as large before");
  EXPECT_EQ(books.samples()[0].ticks, DelayBooks::kKept);
}

}  // namespace
}  // namespace maxlat::scheduling
