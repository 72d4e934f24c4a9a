// SPDX-License-Identifier: MIT
//
// Synthetic rounds: each thing that can happen between two threads on a CPU, and what is to be said of it.
#include "round.hpp"

#include <gtest/gtest.h>

namespace maxlat::scheduling {
namespace {

constexpr uint64_t kTolerance = 10;

// Woken at 1000, runs from 1030 to 1035; the other one stands still from 1020 to 1050.
constexpr Round kPreempted{
    .spin_begin = 500, .before = 1020, .after = 1050, .gave_up = 0, .wake = 1000, .first = 1030, .last = 1035};

TEST(PreemptionRound, TheWokenThreadRanInAGapOfTheRunningOne) {
  EXPECT_EQ(judge(kPreempted, kTolerance), RoundOutcome::preempted);
  EXPECT_EQ(latency_of(kPreempted), 30u);
}

// However late: the limit is the running thread's, and it still spun.
TEST(PreemptionRound, LateIsPreemptedAndItsLatencySaysSo) {
  Round late = kPreempted;
  late.before = 900'000, late.first = 900'010, late.last = 900'015, late.after = 900'020;
  EXPECT_EQ(judge(late, kTolerance), RoundOutcome::preempted);
  EXPECT_EQ(latency_of(late), 899'010u);
}

TEST(PreemptionRound, ComingAfterTheOtherHasGivenUpIsWaiting) {
  Round waited = kPreempted;
  waited.gave_up = 6000, waited.first = 6010, waited.last = 6015, waited.before = waited.after = 0;
  EXPECT_EQ(judge(waited, kTolerance), RoundOutcome::waited);
}

TEST(PreemptionRound, NeverComingIsWaiting) {
  Round never = kPreempted;
  never.gave_up = 6000, never.first = never.last = never.before = never.after = 0;
  EXPECT_EQ(judge(never, kTolerance), RoundOutcome::waited);
}

// Both ran at once: on another CPU, so nothing was preempted.
TEST(PreemptionRound, TheOtherRanOnWhileTheWokenOneRan) {
  Round beside = kPreempted;
  beside.after = 1033;  // before the woken thread's last read
  EXPECT_EQ(judge(beside, kTolerance), RoundOutcome::waited);
  beside = kPreempted;
  beside.before = 1031;  // after its first
  EXPECT_EQ(judge(beside, kTolerance), RoundOutcome::waited);
}

TEST(PreemptionRound, SomebodyElseHadTheCpuAtTheWakeUp) {
  Round third = kPreempted;
  third.before = 900;
  EXPECT_EQ(judge(third, kTolerance), RoundOutcome::untold);
  third.before = 990;  // within the tolerance
  EXPECT_EQ(judge(third, kTolerance), RoundOutcome::preempted);
}

TEST(PreemptionRound, TheOtherBeganTooLateOrNever) {
  Round late = kPreempted;
  late.spin_begin = 1000;
  EXPECT_EQ(judge(late, kTolerance), RoundOutcome::untold);
  late.spin_begin = 0;
  EXPECT_EQ(judge(late, kTolerance), RoundOutcome::untold);
}

TEST(PreemptionRound, AStopFromOutsideTellsNothing) {
  Round stopped = kPreempted;
  stopped.before = stopped.after = 0;  // the woken thread may have come by then
  EXPECT_FALSE(stopped.ended());
  EXPECT_EQ(judge(stopped, kTolerance), RoundOutcome::untold);
  stopped.first = stopped.last = 0;
  EXPECT_EQ(judge(stopped, kTolerance), RoundOutcome::untold);
  EXPECT_TRUE(kPreempted.ended());
}

TEST(PreemptionRound, AFirstReadBeforeTheWakeUpHasNoNegativeLatency) {
  Round early = kPreempted;
  early.before = 992, early.first = 995, early.last = 999;
  EXPECT_EQ(judge(early, kTolerance), RoundOutcome::preempted);
  EXPECT_EQ(latency_of(early), 0u);
}

}  // namespace
}  // namespace maxlat::scheduling
