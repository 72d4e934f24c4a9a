// SPDX-License-Identifier: MIT
#include "monotonic_ticks.hpp"

#include <gtest/gtest.h>

namespace maxlat::attribution {
namespace {

constexpr uint64_t kMs = 1'000'000;

TEST(MonotonicTicks, TimesBetweenTwoLooksAreWhereTheyLie) {
  MonotonicTicks ticks({.ticks = 1'000'000, .ns = 50 * kMs}, 2.0);
  EXPECT_EQ(ticks.at(50 * kMs + 10), 1'000'020u) << "by the rate that is known";
  EXPECT_EQ(ticks.at(50 * kMs - 10), 999'980u);
  // The clock is slow: in the 50 ms that it shows, the counter makes what it makes in 50.025 ms.
  ticks.look({.ticks = 1'000'000 + 100'050'000, .ns = 100 * kMs});
  EXPECT_EQ(ticks.at(100 * kMs), 101'050'000u);
  EXPECT_EQ(ticks.at(75 * kMs), 1'000'000u + 50'025'000u);
  EXPECT_EQ(ticks.length_of(kMs), 2'001'000u);
}

TEST(MonotonicTicks, ALookTooSoonChangesNothing) {
  MonotonicTicks ticks({.ticks = 0, .ns = 0}, 2.0);
  ticks.look({.ticks = 30, .ns = 10});
  EXPECT_EQ(ticks.at(1000), 2000u);
}

}  // namespace
}  // namespace maxlat::attribution
