// SPDX-License-Identifier: MIT
#include "measurement_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::npt {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;

Options no_limits() {
  Options options;
  options.cpus = {3};
  options.loops = 0;
  return options;
}

MeasurementPlan plan_of(const Options& options) {
  return plan_by(base::clock_with_rate(2.5), options);
}

TEST(MeasurementPlan, TheTimelineHasRoomForAsLongAsIsKnown) {
  Options options = no_limits();
  EXPECT_EQ(plan_of(options).journal.steps, 86'400u) << "until a signal comes";
  options.loops = 1000;
  EXPECT_EQ(plan_of(options).journal.steps, 3600u);
  options.duration_ns = kSecond + 1;
  EXPECT_EQ(plan_of(options).journal.steps, 2u) << "a step that has begun is one";
}

TEST(MeasurementPlan, ARunOfMoreThanAWeekHasLongerStepsUnlessItRestsInEach) {
  Options options = no_limits();
  options.duration_ns = 7 * kDay;
  EXPECT_EQ(plan_of(options).journal.step_ticks, 2'500'000'000u);
  options.duration_ns = 8 * kDay;
  EXPECT_EQ(plan_of(options).journal.step_ticks, 5'000'000'000u);
  EXPECT_EQ(plan_of(options).journal.steps, 4u * 86'400);
  options.rest_ns = 1;
  EXPECT_EQ(plan_of(options).journal.step_ticks, 2'500'000'000u);
  EXPECT_EQ(plan_of(options).journal.steps, 8u * 86'400);
}

TEST(MeasurementPlan, ARestInPartsIsAsLongInAll) {
  Options options = no_limits();
  options.rest_ns = 20'000'000;
  options.rest_parts = 10;
  const core::JournalSpec spec = plan_of(options).journal;
  EXPECT_EQ(spec.rest_ticks, 5'000'000u);
  EXPECT_EQ(spec.rest_every_ticks, 250'000'000u);
}

TEST(MeasurementPlan, LimitsAreInTicksAndThoseNotAskedForAreNone) {
  Options options = no_limits();
  const core::JournalSpec none = plan_of(options).journal;
  EXPECT_EQ(none.duration_ticks, 0u);
  EXPECT_EQ(none.rest_ticks, 0u);
  EXPECT_EQ(none.break_above, UINT64_MAX);
  EXPECT_EQ(none.tell_above, UINT64_MAX);
  options.duration_ns = 4 * kSecond;
  options.rest_ns = 60'000'000;
  options.break_above_ns = 20'000;
  options.arm.snapshot_above_ns = 2'000;
  options.outliers = 7;
  const core::JournalSpec spec = plan_of(options).journal;
  EXPECT_EQ(spec.look_every_ticks, 250'000'000u);
  EXPECT_EQ(spec.duration_ticks, 10'000'000'000u);
  EXPECT_EQ(spec.rest_ticks, 150'000'000u);
  EXPECT_EQ(spec.rest_every_ticks, spec.step_ticks);
  EXPECT_EQ(spec.break_above, 50'000u);
  EXPECT_EQ(spec.tell_above, 5'000u);
  EXPECT_EQ(spec.outliers, 7u);
}

TEST(MeasurementPlan, EventsComeNoMoreOftenThanAskedFor) {
  Options options = no_limits();
  EXPECT_FALSE(plan_of(options).limits_rate());
  options.max_event_hz = 1000;
  EXPECT_EQ(plan_of(options).event_every_ticks, 2'500'000u);
  options.max_event_hz = 3;
  EXPECT_EQ(plan_of(options).event_every_ticks, 833'333'334u) << "rounded up";
}

TEST(MeasurementPlan, AClockThatIsTheRawClockIsReadAsTheRawClock) {
  Options options = no_limits();
  options.counter = CounterRead::ordered;
  base::CounterClock clock = base::clock_with_rate(1.0);
  EXPECT_EQ(plan_by(clock, options).counter, CounterRead::ordered);
  clock.source = base::RateSource::monotonic_raw;
  EXPECT_TRUE(plan_by(clock, options).reads_raw_clock());
}

TEST(MeasurementPlan, WhoAsksForTheRawClockHasIt) {
  Options options = no_limits();
  options.cpus = {core::allowed_cpus()->front()};
  options.counter = CounterRead::raw_clock;
  const auto plan = make_plan(options);
  ASSERT_TRUE(plan.ok()) << plan.error().text;
  EXPECT_TRUE(plan->reads_raw_clock());
  EXPECT_DOUBLE_EQ(plan->clock.ticks_per_ns, 1.0);
  EXPECT_EQ(plan->clock.why, "asked for");
}

TEST(MeasurementPlan, WhoNamesNoCpuHasOne) {
  Options options;
  options.trust_counter = true;
  const auto plan = make_plan(options);
  ASSERT_TRUE(plan.ok()) << plan.error().text;
  EXPECT_EQ(plan->options.cpus, *default_cpus());
}

TEST(MeasurementPlan, WhatDoesNotGoTogetherIsSaidBeforeAnythingElse) {
  Options options = no_limits();
  options.cpus = {4095};
  options.rest_ns = kSecond;
  const auto rest = make_plan(options);
  ASSERT_FALSE(rest.ok());
  EXPECT_THAT(rest.error().text, HasSubstr("shorter than a second"));
  options.rest_ns = 0;
  options.trace_window_ns = 1;
  EXPECT_THAT(check(options).error().hint, HasSubstr("they take turns"));
  options.trace_window_ns = 0;
  options.kernel_loop = options.allow_interrupts = true;
  EXPECT_THAT(check(options).error().text, HasSubstr("the loop in the kernel"));
  options.kernel_loop = false;
  const auto nowhere = make_plan(options);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().text, HasSubstr("4095"));
}

// A defect: -D 100000d and a rest each second asked for the memory of 8,640,000,000 steps.
TEST(MeasurementPlan, TheTimelineOfALongRunWithRestsHasItsLimit) {
  Options options;
  options.duration_ns = 100'000ull * 86'400 * 1'000'000'000;
  options.rest_ns = 100'000'000;
  const MeasurementPlan plan = plan_by(base::clock_with_rate(1.0), options);
  EXPECT_EQ(plan.journal.steps, 28u * 86'400);
  EXPECT_EQ(plan.journal.step_ticks, 1'000'000'000u);
}

}  // namespace
}  // namespace maxlat::npt
