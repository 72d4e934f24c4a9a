// SPDX-License-Identifier: MIT
#include "probe.hpp"

#include <gtest/gtest.h>

#include <maxlat/base/histogram.hpp>
#include <vector>

namespace maxlat::npt {
namespace {

class RateLimitTest : public testing::Test {
 protected:
  bool admits(uint64_t now) { return limit.admits(++count, 20, now); }
  // Every turn of a loop that looks each `turn` ticks, from 1000 on.
  std::vector<uint64_t> admitted(uint64_t turn, uint64_t until) {
    std::vector<uint64_t> times;
    for (uint64_t now = 1000; now < until; now += turn)
      if (admits(now)) times.push_back(now);
    return times;
  }
  base::Histogram gaps;
  RateLimit limit{100, &gaps.raw()};
  uint64_t count = 0;
};

TEST_F(RateLimitTest, KeepsTheRateThoughEachEventIsLate) {
  const auto times = admitted(7, 1000 + 100 * 1000);
  EXPECT_EQ(times.front(), 1000u);
  EXPECT_EQ(times.size(), 1000u);  // spaced from the event before, it would be 1 event in 105 ticks: 953
  for (size_t i = 0; i < times.size(); ++i) EXPECT_LT(times[i] - (1000 + i * 100), 7u);
  EXPECT_EQ(limit.admitted(), 1000u);
}

TEST_F(RateLimitTest, DoesNotMakeUpForAStall) {
  EXPECT_TRUE(admits(1000));
  EXPECT_TRUE(admits(9000));
  EXPECT_FALSE(admits(9001));
  EXPECT_FALSE(admits(9099));
  EXPECT_TRUE(admits(9100));
}

TEST_F(RateLimitTest, AboveTheRateOfTheLoopEveryTurnHasAnEvent) {
  EXPECT_EQ(admitted(200, 11000).size(), 50u);
}

TEST_F(RateLimitTest, FilesTheGapThatHadTheEventAndNoOther) {
  EXPECT_TRUE(limit.admits(1, 20, 500));  // in the uncounted loops
  limit.begin();
  EXPECT_FALSE(limit.admits(1, 88, 588));
  EXPECT_TRUE(limit.admits(1, 21, 1000));
  EXPECT_FALSE(limit.admits(2, 77, 1077));  // 77: from 1000, when the event was made
  EXPECT_FALSE(limit.admits(3, 22, 1099));
  EXPECT_TRUE(limit.admits(4, 23, 1122));
  EXPECT_TRUE(limit.admits(5, 90, 1212));  // an event in two turns, one after the other
  EXPECT_FALSE(limit.admits(6, 55, 1267));
  EXPECT_EQ(gaps.total(), 3u);
  EXPECT_EQ(gaps.min(), 55u);
  EXPECT_EQ(gaps.max(), 90u);
}

TEST_F(RateLimitTest, AnEventTellsTheGapOfTheOneBefore) {
  EXPECT_TRUE(limit.admits(1, 20, 1000));
  EXPECT_EQ(limit.gap_of_the_event_before(), 0u);
  EXPECT_FALSE(limit.admits(2, 77, 1077));
  EXPECT_TRUE(limit.admits(3, 23, 1100));
  EXPECT_EQ(limit.gap_of_the_event_before(), 77u);
  EXPECT_TRUE(limit.admits(4, 150, 1250));
  EXPECT_EQ(limit.gap_of_the_event_before(), 150u);
}

TEST_F(RateLimitTest, AcrossSegmentsThereIsNoGap) {
  limit.begin();
  EXPECT_TRUE(limit.admits(8, 20, 1000));
  EXPECT_FALSE(limit.admits(0, 0, 1050));  // the first call of a segment
  EXPECT_EQ(limit.gap_of_the_event_before(), 0u);
  EXPECT_FALSE(limit.admits(1, 20, 1070));
  EXPECT_EQ(gaps.total(), 0u);
}

// The loop of the arm "none" goes the limiter's way turn by turn, so that it is no difference between arms.
TEST(Probe, WithoutAnArmTheSameGapsArePickedOut) {
  const maxlat_npt_probe nothing{nullptr, nullptr, [](void*, uint64_t, uint64_t) {}, nullptr};
  base::Histogram of_none, of_arm;
  RateLimit limit_of_none(10, &of_none.raw()), limit_of_arm(10, &of_arm.raw());
  const LimitedProbe<NoProbe> none{{}, &limit_of_none};
  const LimitedProbe<CalledProbe> arm{{nothing}, &limit_of_arm};
  none.begin();
  arm.begin();
  for (uint64_t now = 100, turn = 1; now < 900; ++turn, now += turn % 7) {
    none(turn, turn % 7, now);
    arm(turn, turn % 7, now);
  }
  EXPECT_GT(of_none.total(), 70u);
  EXPECT_EQ(of_none.total(), of_arm.total());
  EXPECT_EQ(of_none.raw().sum, of_arm.raw().sum);
}

TEST(Probe, CountsItsEventsItself) {
  unsigned calls = 0;
  const maxlat_npt_probe counting{&calls, nullptr,
                                  [](void* state, uint64_t, uint64_t) { ++*static_cast<unsigned*>(state); }, nullptr};
  base::Histogram gaps;
  RateLimit limit(10, &gaps.raw());
  const LimitedProbe<CalledProbe> probe{{counting}, &limit};
  for (uint64_t now = 100; now < 200; ++now) probe(0, 0, now);
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(probe.events(100), 10u);
  EXPECT_EQ(CalledProbe{counting}.events(100), 100u);
}

}  // namespace
}  // namespace maxlat::npt
