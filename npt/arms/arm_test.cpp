// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>

#include <maxlat/npt/arm.hpp>

namespace maxlat::npt {
namespace {

using testing::HasSubstr;

core::Phase measured() {
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  return phase;
}

ArmBooks books(uint64_t recorded, uint64_t lost_full, uint64_t lost_wrap = 0, uint64_t lost_big = 0) {
  ArmBooks result;
  result.events = core::EventCounts{0, recorded, lost_full, lost_wrap, lost_big};
  result.verified_by = "test";
  return result;
}

TEST(ArmBooks, ThatBalanceAreValid) {
  core::Phase phase = measured();
  enter_books(books(100, 0), 100, phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_EQ(phase.events->produced, 100u);
  EXPECT_TRUE(phase.warnings.empty());
}

TEST(ArmBooks, ACountedLossIsAWarning) {
  core::Phase phase = measured();
  enter_books(books(60, 20, 15, 5), 100, phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_THAT(phase.warnings.front(), HasSubstr("40 of 100 events were lost"));
}

TEST(ArmBooks, ALossThatNobodyCountedIsInvalid) {
  for (const ArmBooks& wrong : {books(99, 0), books(101, 0), books(60, 41)}) {
    core::Phase phase = measured();
    enter_books(wrong, 100, phase);
    EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
    EXPECT_THAT(phase.reason, HasSubstr("100 events were produced"));
  }
}

TEST(ArmBooks, WhatTheArmKnowsOfIsTheReason) {
  core::Phase phase = measured();
  ArmBooks broken = books(10, 0);
  broken.invalid = "the consumer died";
  enter_books(broken, 100, phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
  EXPECT_EQ(phase.reason, "the consumer died");
}

TEST(ArmBooks, AnArmThatRecordsNothingHasNone) {
  core::Phase phase = measured();
  enter_books(ArmBooks{}, 100, phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_FALSE(phase.events.has_value());
  EXPECT_EQ(phase.facts["events_produced"], "100");
}

TEST(DelayArm, WaitsAsLongAsItSaysAndAsOften) {
  const base::CounterClock clock = base::calibrate(false);
  auto arm = make_arm(*parse_arm("delay:20us/10"));
  ASSERT_TRUE(arm.ok());
  ASSERT_TRUE((*arm)->set_up({*parse_arm("delay:20us/10"), clock, {}, {}, {}, nullptr}).ok());
  const maxlat_npt_probe probe = (*arm)->probe();
  unsigned long_ones = 0;
  const uint64_t begin = maxlat_counter_plain();
  for (uint64_t i = 0; i < 1000; ++i) probe.loop(probe.state, i, 0);
  const uint64_t all = maxlat_counter_plain() - begin;
  EXPECT_GE(all, clock.to_ticks(100 * 20'000));
  for (uint64_t i = 0; i < 30; ++i) {
    const uint64_t before = maxlat_counter_plain();
    probe.loop(probe.state, i, 0);
    long_ones += maxlat_counter_plain() - before >= clock.to_ticks(20'000);
  }
  EXPECT_GE(long_ones, 3u);
}

}  // namespace
}  // namespace maxlat::npt
