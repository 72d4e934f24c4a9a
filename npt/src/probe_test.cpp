// SPDX-License-Identifier: MIT
#include "probe.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maxlat::npt {
namespace {

// Every turn of a loop that looks each `turn` ticks, from 1000 on.
std::vector<uint64_t> admitted(RateLimit& limit, uint64_t turn, uint64_t until) {
  std::vector<uint64_t> times;
  for (uint64_t now = 1000; now < until; now += turn)
    if (limit.admits(now)) times.push_back(now);
  return times;
}

TEST(RateLimit, KeepsTheRateThoughEachEventIsLate) {
  RateLimit limit{.period_ticks = 100};
  const auto times = admitted(limit, 7, 1000 + 100 * 1000);
  EXPECT_EQ(times.front(), 1000u);
  EXPECT_EQ(times.size(), 1000u);  // spaced from the event before, it would be 1 event in 105 ticks: 953
  for (size_t i = 0; i < times.size(); ++i) EXPECT_LT(times[i] - (1000 + i * 100), 7u);
  EXPECT_EQ(limit.admitted, 1000u);
}

TEST(RateLimit, DoesNotMakeUpForAStall) {
  RateLimit limit{.period_ticks = 100};
  EXPECT_TRUE(limit.admits(1000));
  EXPECT_TRUE(limit.admits(9000));
  EXPECT_FALSE(limit.admits(9001));
  EXPECT_FALSE(limit.admits(9099));
  EXPECT_TRUE(limit.admits(9100));
}

TEST(RateLimit, AboveTheRateOfTheLoopEveryTurnHasAnEvent) {
  RateLimit limit{.period_ticks = 5};
  EXPECT_EQ(admitted(limit, 20, 2000).size(), 50u);
}

TEST(Probe, CountsItsEventsItself) {
  unsigned calls = 0;
  const maxlat_npt_probe counting{&calls, nullptr,
                                  [](void* state, uint64_t, uint64_t) { ++*static_cast<unsigned*>(state); }, nullptr};
  RateLimit limit{.period_ticks = 10};
  const LimitedProbe probe{{counting}, &limit};
  for (uint64_t now = 100; now < 200; ++now) probe(0, 0, now);
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(probe.events(100), 10u);
  EXPECT_EQ(CalledProbe{counting}.events(100), 100u);
}

}  // namespace
}  // namespace maxlat::npt
