// SPDX-License-Identifier: MIT
#include "progress_watch.hpp"

#include <gmock/gmock.h>

namespace maxlat::loadgen {
namespace {

using namespace std::chrono_literals;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

const ProgressWatch::Time kStart{};

TEST(ProgressWatch, OneEntryASecond) {
  ProgressWatch watch(kStart);
  watch.observe(100, 0, kStart + 1s);
  watch.observe(150, 0, kStart + 2s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(100), DoubleEq(50)));
}

TEST(ProgressWatch, ALateLookStandsForAllTheSecondsItCovers) {
  ProgressWatch watch(kStart);
  watch.observe(10, 0, kStart + 1s);
  watch.observe(310, 0, kStart + 4s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(10), DoubleEq(100), DoubleEq(100), DoubleEq(100)));
}

TEST(ProgressWatch, AnEarlyLookAddsNothingAndLosesNothing) {
  ProgressWatch watch(kStart);
  watch.observe(40, 0, kStart + 100ms);
  EXPECT_THAT(watch.per_second(), IsEmpty());
  watch.observe(100, 0, kStart + 1s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(100)));
}

// A defect: a hackbench that kept its keeper from counting had "median 0 CPU-s/s", as if it were dead.
TEST(ProgressWatch, WhatWasCountedLateIsOfAllTheSecondsSinceTheLastCount) {
  ProgressWatch watch(kStart);
  watch.observe(100, 0, kStart + 1s, kStart + 1s);
  watch.observe(100, 0, kStart + 2s, kStart + 1s);
  watch.observe(100, 0, kStart + 3s, kStart + 1s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(100)));
  watch.observe(400, 0, kStart + 4s, kStart + 4s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(100), DoubleEq(100), DoubleEq(100), DoubleEq(100)));
}

TEST(ProgressWatch, WhatWasCountedAndStoodStillStandsStill) {
  ProgressWatch watch(kStart);
  watch.observe(100, 0, kStart + 1s, kStart + 1s);
  watch.observe(100, 0, kStart + 2s, kStart + 2s);
  EXPECT_THAT(watch.per_second(), ElementsAre(DoubleEq(100), DoubleEq(0)));
}

TEST(ProgressWatch, APauseBeginsWithTheLastChange) {
  ProgressWatch watch(kStart);
  EXPECT_EQ(watch.pause(kStart + 3s), 3s);
  watch.observe(1, 0, kStart + 4s);
  watch.observe(1, 0, kStart + 9s);
  EXPECT_EQ(watch.pause(kStart + 9s), 5s);
}

TEST(ProgressWatch, AFinishedRoundIsASignOfLifeWithoutAnyWork) {
  ProgressWatch watch(kStart);
  watch.observe(0, 1, kStart + 4s);
  EXPECT_EQ(watch.pause(kStart + 5s), 1s);
}

TEST(ProgressWatch, NothingAtAllIsIdleAfterASecond) {
  const ProgressWatch watch(kStart);
  EXPECT_FALSE(watch.idle_at_end(kStart + 900ms));
  EXPECT_TRUE(watch.idle_at_end(kStart + 1s));
}

TEST(ProgressWatch, ALongLastPauseIsIdle) {
  ProgressWatch watch(kStart);
  watch.observe(1, 0, kStart + 1s);
  EXPECT_FALSE(watch.idle_at_end(kStart + 3900ms)) << "a busy machine stops a load for a second";
  EXPECT_TRUE(watch.idle_at_end(kStart + 4100ms));
  watch.observe(2, 0, kStart + 55s);
  EXPECT_FALSE(watch.idle_at_end(kStart + 60s)) << "less than a tenth";
  EXPECT_TRUE(watch.idle_at_end(kStart + 62s));
}

}  // namespace
}  // namespace maxlat::loadgen
