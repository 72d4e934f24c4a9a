// SPDX-License-Identifier: MIT
#include "throttling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::npt {
namespace {

using By = core::RtThrottling::By;

// As seen on a stock 6.18 box (fair server, debugfs not readable): a 6 s run on one CPU.
ThrottlingEvidence stock() {
  return {core::Policy::fifo, {By::nothing, false, 0, 0}, 6, {1.2e5, 49.47e6, 50.56e6, 51.5e6, 50.5e6, 37.5e6}, 82};
}

TEST(Throttling, IsSeenWithTheKernelsDefaultWhereTheSettingCannotBeRead) {
  const auto reason = throttled(stock());
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, testing::HasSubstr("4 of 6 s"));
}

TEST(Throttling, IsNamedAfterWhatDoesIt) {
  ThrottlingEvidence evidence = stock();
  evidence.settings = {By::rt_throttling, true, 1'000'000'000, 50'000'000};
  EXPECT_THAT(*throttled(evidence), testing::HasSubstr("RT throttling"));
  evidence.settings.by = By::fair_server;
  EXPECT_THAT(*throttled(evidence), testing::HasSubstr("fair server"));
}

TEST(Throttling, AHardwareStallOfTheSameLengthHasNoContextSwitchAndStaysAFinding) {
  ThrottlingEvidence evidence = stock();
  evidence.involuntary_switches = 0;
  EXPECT_FALSE(throttled(evidence));
  evidence.involuntary_switches = 3;
  EXPECT_FALSE(throttled(evidence)) << "four gaps, three switches";
  evidence.involuntary_switches = 4;
  EXPECT_TRUE(throttled(evidence));
}

TEST(Throttling, OtherLengthsAreNotIt) {
  ThrottlingEvidence evidence = stock();
  evidence.second_max_ns = {5e6, 5e6, 40e6, 200e6, 500e6, 20e6};
  EXPECT_FALSE(throttled(evidence));
  evidence.settings = {By::rt_throttling, true, 1'000'000'000, 200'000'000};
  evidence.second_max_ns = {5e6, 201e6, 199e6, 5e6};
  EXPECT_TRUE(throttled(evidence)) << "the length is that of the settings";
}

TEST(Throttling, OneGapIsEnoughOnlyForARunTooShortForTwo) {
  ThrottlingEvidence evidence = stock();
  evidence.second_max_ns = {1e5, 50.5e6, 1e5, 1e5, 1e5, 1e5};
  EXPECT_FALSE(throttled(evidence));
  evidence.duration_s = 2;
  evidence.second_max_ns = {1e5, 50.5e6};
  EXPECT_TRUE(throttled(evidence));
}

TEST(Throttling, IsNotForThreadsThatAreNotRealTimeNorWhereItIsOff) {
  ThrottlingEvidence evidence = stock();
  evidence.policy = core::Policy::other;
  EXPECT_FALSE(throttled(evidence));
  evidence.policy = core::Policy::deadline;
  EXPECT_FALSE(throttled(evidence));
  evidence.policy = core::Policy::round_robin;
  EXPECT_TRUE(throttled(evidence));
  evidence.settings = {By::nothing, true, 1'000'000'000, 0};
  EXPECT_FALSE(throttled(evidence));
}

TEST(NeededRest, IsTwiceWhatTheKernelTakes) {
  constexpr uint64_t kMinute = 60'000'000'000;
  const core::RtThrottling stock_box{By::fair_server, true, 1'000'000'000, 50'000'000};
  const Rest rest = needed_rest(core::Policy::fifo, stock_box, kMinute);
  EXPECT_EQ(rest.ns, 100'000'000u);
  EXPECT_EQ(rest.why, "the scheduler's fair server would stop a loop without rest for 50 ms of each 1 s");
  EXPECT_EQ(needed_rest(core::Policy::round_robin, {By::nothing, false, 0, 0}, kMinute).ns, 100'000'000u)
      << "not readable: as every kernel has it";
  EXPECT_EQ(needed_rest(core::Policy::fifo, {By::rt_throttling, true, 100'000'000, 1'000'000}, kMinute).ns,
            20'000'000u);
  EXPECT_EQ(needed_rest(core::Policy::fifo, {By::rt_throttling, true, 100'000'000, 1'000'000}, 100'000'000).ns,
            20'000'000u)
      << "a tenth of a second is long enough for a period of as much";
  EXPECT_EQ(needed_rest(core::Policy::fifo, {By::rt_throttling, true, 1'000'000, 900'000}, kMinute).ns, 500'000'000u);
  EXPECT_EQ(needed_rest(core::Policy::fifo, stock_box, 0).ns, 100'000'000u) << "nobody knows how long it takes";
}

// A defect: all of it once a second, 980 ms of work in a row, was stopped in each period of 100 ms but one.
TEST(NeededRest, IsSpreadSoThatEachPeriodHasAPartOfIt) {
  EXPECT_EQ(rest_parts({By::rt_throttling, true, 100'000'000, 1'000'000}), 10u);
  EXPECT_EQ(rest_parts({By::rt_throttling, true, 300'000'000, 1'000'000}), 4u) << "never later than the period ends";
  EXPECT_EQ(rest_parts({By::fair_server, true, 1'000'000'000, 50'000'000}), 1u);
  EXPECT_EQ(rest_parts({By::fair_server, true, 4'000'000'000, 50'000'000}), 1u);
  EXPECT_EQ(rest_parts({By::rt_throttling, true, 1'000, 100}), 1000u) << "no more often than a sleep can be";
  EXPECT_EQ(rest_parts({By::nothing, true, 100'000'000, 0}), 1u) << "nobody stops it";
  EXPECT_EQ(rest_parts({By::nothing, false, 0, 0}), 1u);
}

TEST(NeededRest, IsNoneWhereNothingStopsTheLoop) {
  const core::RtThrottling stock_box{By::fair_server, true, 1'000'000'000, 50'000'000};
  EXPECT_EQ(needed_rest(core::Policy::other, stock_box, 0).ns, 0u);
  EXPECT_EQ(needed_rest(core::Policy::deadline, stock_box, 0).ns, 0u);
  EXPECT_EQ(needed_rest(core::Policy::fifo, {By::nothing, true, 1'000'000'000, 0}, 0).ns, 0u);
  EXPECT_EQ(needed_rest(core::Policy::fifo, stock_box, kLongestWithoutRest_ns).ns, 0u);
}

}  // namespace
}  // namespace maxlat::npt
