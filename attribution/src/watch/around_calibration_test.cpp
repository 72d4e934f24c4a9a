// SPDX-License-Identifier: MIT
#include "watch/around_calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_accounting.hpp"
#include "test_events.hpp"
#include "test_random_cpu.hpp"

namespace maxlat::attribution {
namespace {

using namespace test;
using testing::ElementsAre;

constexpr int32_t kPartner = 76;

// A gap with a tick in it, so long after it began and before it ended.
Accounting lone_tick(uint64_t in, uint64_t out) {
  const std::vector<KernelEvent> events = {of_vector(1000, EventKind::vector_entry, VectorUse::local_timer),
                                           of_function(1010, EventKind::hrtimer_entry, 0xb0),
                                           of_function(1090, EventKind::hrtimer_exit, 0),
                                           of_vector(1100, EventKind::vector_exit, VectorUse::local_timer)};
  return account(events, interval(1000 - in, 1100 + out, 300));
}

AroundCalibration of_ticks(size_t count, uint64_t in, uint64_t out) {
  AroundCalibration around;
  for (size_t i = 0; i < count; ++i) around.see(lone_tick(in, out));
  return around;
}

TEST(AroundCalibration, IsEightTimesTheMedianOfTheLongerWay) {
  AroundCalibration around = of_ticks(AroundCalibration::kFewest, 10, 30);
  EXPECT_EQ(around.at_most(), 240u);
  for (size_t i = 0; i < AroundCalibration::kFewest - 1; ++i) around.see(lone_tick(15, 250));
  EXPECT_EQ(around.at_most(), 240u) << "fewer than half of them are longer";
  EXPECT_EQ(around.ways(), 4 * AroundCalibration::kFewest - 2);
}

TEST(AroundCalibration, WhatTheHypervisorHadIsNotAmongThem) {
  AroundCalibration around = of_ticks(AroundCalibration::kFewest, 10, 30);
  for (size_t i = 0; i < 100; ++i) around.see(lone_tick(700, 31));
  EXPECT_EQ(around.at_most(), 248u);
  EXPECT_EQ(around.ways(), 2 * AroundCalibration::kFewest + 100) << "their other ways are the kernel's";
  EXPECT_EQ(of_ticks(100, 700, 30).at_most(), 240u) << "it brings each interrupt late";
}

TEST(AroundCalibration, OfTooFewNothingIsSaid) {
  EXPECT_EQ(of_ticks(AroundCalibration::kFewest - 1, 10, 30).at_most(), std::nullopt);
  EXPECT_EQ(of_ticks(100, 10, 700).at_most(), std::nullopt) << "the way out is the longer one";
}

// What else came has ways of its own: by a softirq behind it a tick's way out is longer.
TEST(AroundCalibration, OnlyLoneTicksTell) {
  AroundCalibration around;
  const KernelEvent tick = of_vector(1000, EventKind::vector_entry, VectorUse::local_timer),
                    ended = of_vector(1100, EventKind::vector_exit, VectorUse::local_timer);
  const std::vector<KernelEvent> with_softirq = {tick, ended, event(1110, EventKind::softirq_entry, 1),
                                                 event(1120, EventKind::softirq_exit, 1)};
  const std::vector<KernelEvent> of_task = {tick, ended, switch_to(1110, 5, "task"), back_to_meter(1120)};
  const std::vector<KernelEvent> of_device = {event(1000, EventKind::irq_entry, 24, "eth0"),
                                              event(1100, EventKind::irq_exit, 24)};
  KernelEvent again = tick, ended_again = ended;
  again.tick = 1110, ended_again.tick = 1120;
  const std::vector<KernelEvent> two_ticks = {tick, ended, again, ended_again};
  for (const auto& events : {with_softirq, of_task, of_device, two_ticks})
    around.see(account(events, interval(990, 1130)));
  around.see(account({}, interval(990, 1130)));
  EXPECT_EQ(around.ways(), 0u);
}

TEST(AroundCalibration, ThoseOfAllCpusCount) {
  AroundCalibration around = of_ticks(AroundCalibration::kFewest - 5, 10, 30);
  around.add(of_ticks(5, 10, 30));
  EXPECT_EQ(around.at_most(), 240u);
}

TEST(TightenAround, WhatIsLongerThanAWayWasSomethingElse) {
  const std::vector<KernelEvent> events = {
      event(1000, EventKind::irq_entry, 24, "eth0"), event(1010, EventKind::irq_exit, 24),
      event(1210, EventKind::irq_entry, 25, "eth1"), event(1220, EventKind::irq_exit, 25),
      event(2000, EventKind::irq_entry, 26, "eth2"), event(2010, EventKind::irq_exit, 26),
  };
  Accounting accounting = account(events, interval(950, 2050, 300));
  EXPECT_THAT(told(accounting), ElementsAre("nothing seen: hardware or hypervisor: 780", "around: 290 in 3",
                                            "irq 24 eth0: 10", "irq 25 eth1: 10", "irq 26 eth2: 10"));
  tighten_around({.of_interrupt = 200}, accounting);
  EXPECT_THAT(told(accounting), testing::Contains("around: 290 in 3")) << "so long it may take";
  tighten_around({.of_interrupt = 49}, accounting);
  EXPECT_THAT(told(accounting), testing::Contains("around: 40")) << "the way out";
  EXPECT_THAT(told(accounting), testing::Contains("nothing seen: hardware or hypervisor: 1030 in 3"));
  std::vector<uint64_t> begins;
  for (const Stretch& stretch : accounting.nothing_seen) begins.push_back(stretch.from);
  EXPECT_THAT(begins, ElementsAre(950, 1010, 1220)) << "in their order, for who looks for SMIs";
  tighten_around({.of_interrupt = 0}, accounting);
  EXPECT_THAT(told(accounting), ElementsAre("nothing seen: hardware or hypervisor: 1070 in 4", "irq 24 eth0: 10",
                                            "irq 25 eth1: 10", "irq 26 eth2: 10"));
}

TEST(TightenAround, OfATaskSwitchAWayHasItsOwnLimit) {
  const std::vector<KernelEvent> events = {of_vector(1000, EventKind::vector_entry, VectorUse::reschedule),
                                           of_vector(1010, EventKind::vector_exit, VectorUse::reschedule),
                                           switch_to(1040, 5, "task"), back_to_meter(1100)};
  Accounting accounting = account(events, interval(990, 1140));
  tighten_around({.of_interrupt = 10, .of_switch = 40}, accounting);
  EXPECT_THAT(told(accounting), ElementsAre("around: 80 in 3", "task task (tid 5, nice 0): 60", "ipi reschedule: 10"));
  tighten_around({.of_interrupt = 9, .of_switch = 40}, accounting);
  EXPECT_THAT(told(accounting), testing::Contains("nothing seen: hardware or hypervisor: 10")) << "the way in";
  tighten_around({.of_interrupt = 9, .of_switch = 39}, accounting);
  EXPECT_THAT(told(accounting), testing::Contains("nothing seen: hardware or hypervisor: 50 in 2"));
  EXPECT_THAT(told(accounting), testing::Contains("around: 30"));
}

TEST(TightenAround, TheSumStaysTheInterval) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const RandomCpu cpu(seed);
    Accounting accounting = account(cpu.events(), interval(1000, cpu.end(), 80));
    const auto sum = [&] {
      uint64_t ticks = 0;
      for (const Part& part : accounting.parts) ticks += part.ticks;
      return ticks;
    };
    for (const uint64_t at_most : {60u, 30u, 10u, 0u}) {
      tighten_around({.of_interrupt = at_most, .of_switch = 2 * at_most}, accounting);
      ASSERT_EQ(sum(), cpu.end() - 1000) << seed;
      for (const Part& part : accounting.parts) ASSERT_GT(part.count, 0u) << seed;
    }
  }
}

// A thread's wake-up on an idle CPU: its own way is that from the switch to where it reads its clock.
Accounting wakeup(uint64_t out, uint64_t in = 0) {
  const std::vector<KernelEvent> events = {
      switch_to(10, in == 0 ? 0 : kPartner, "before"), of_vector(1000, EventKind::vector_entry, VectorUse::local_timer),
      event(1050, EventKind::waking, kMeter), of_vector(1100, EventKind::vector_exit, VectorUse::local_timer),
      back_to_meter(1100 + in)};
  Interval woken = interval(900, 1100 + in + out, 3000);
  woken.partner = kPartner;
  woken.switch_at_most = 20'000;
  woken.begins_asleep = woken.timer_is_due = true;
  return account(events, woken);
}

TEST(AroundOfATaskSwitch, IsTwiceTheNinthDecileOfTheLongerWay) {
  AroundCalibration around;
  for (uint64_t i = 0; i < 100; ++i) around.see(wakeup(i < 95 ? 3000 : 9000));
  EXPECT_EQ(around.switch_at_most(), 6000u) << "fewer than a tenth of them are longer";
  EXPECT_EQ(around.switch_ways(), 100u);
  for (uint64_t i = 0; i < 100; ++i) around.see(wakeup(3000, 3500));
  EXPECT_EQ(around.switch_at_most(), 7000u) << "a partner's way in is the longer one";
  EXPECT_EQ(around.at_most(), std::nullopt) << "no way beside a lone tick ends where the interval does";
}

TEST(AroundOfATaskSwitch, WhatTheHypervisorHadIsNotAmongThem) {
  AroundCalibration around;
  for (uint64_t i = 0; i < AroundCalibration::kFewest; ++i) around.see(wakeup(3000));
  for (uint64_t i = 0; i < 100; ++i) around.see(wakeup(20'001));
  EXPECT_EQ(around.switch_at_most(), 6000u);
}

// The limits that the run began with, at a tick a nanosecond: 3 us, and 20 us beside a task switch.
TEST(AroundLimit, NeverIsAWayLongerThanItWasTakenForNorShorterThanAnInterrupts) {
  const auto limit_of = [](uint64_t way, size_t count, double switch_at_most_ns = kSwitchAtMost_ns) {
    AroundCalibration around;
    for (size_t i = 0; i < count; ++i) around.see(wakeup(way));
    return around_limit(around, switch_at_most_ns, 1).of_switch;
  };
  const LimitOfWays limit = limit_of(3000, 100);
  EXPECT_TRUE(limit.is_calibrated);
  EXPECT_EQ(limit.at_most_ns, 6000);
  EXPECT_EQ(limit.ways, 100u);
  EXPECT_EQ(limit_of(15'000, 100).at_most_ns, kSwitchAtMost_ns);
  EXPECT_EQ(limit_of(500, 100).at_most_ns, kAroundAtMost_ns);
  const LimitOfWays too_few = limit_of(3000, AroundCalibration::kFewest - 1);
  EXPECT_FALSE(too_few.is_calibrated);
  EXPECT_EQ(too_few.at_most_ns, kSwitchAtMost_ns);
  EXPECT_EQ(too_few.ways, AroundCalibration::kFewest - 1);
  EXPECT_FALSE(limit_of(3000, 100, kAroundAtMost_ns).is_calibrated) << "a loop's, which nothing wakes";
}

// A defect: what a hypervisor had of a woken thread's way was `around`, up to 20 us.
TEST(AroundLimit, OfQuietWaysOfThreeMicrosecondsOneOfFifteenIsUnseen) {
  AroundCalibration around;
  for (size_t i = 0; i < 100; ++i) around.see(wakeup(3000));
  Accounting stopped = wakeup(15'000);
  EXPECT_THAT(told(stopped), testing::Contains("around: 15000"));
  tighten_around(longest_ways(around_limit(around, kSwitchAtMost_ns, 1), 1), stopped);
  EXPECT_THAT(told(stopped), testing::Contains("nothing seen: hardware or hypervisor: 15100 in 2"));
}

}  // namespace
}  // namespace maxlat::attribution
