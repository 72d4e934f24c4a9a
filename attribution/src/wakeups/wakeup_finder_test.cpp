// SPDX-License-Identifier: MIT
//
// Wake-ups by hand: a tick is a nanosecond of CLOCK_MONOTONIC here.
#include "wakeup_finder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "test_events.hpp"
#include "wakeups/late_wakeups.hpp"

namespace maxlat::attribution {
namespace {

using core::TimeClass;
using test::event, test::of_vector;

constexpr uint64_t kWakesThread = 0xa0, kTick = 0xb0;
constexpr int32_t kPriority = 4;  // real-time 95, as the kernel counts

KernelEvent to_meter(uint64_t tick, int32_t thread = test::kMeter) {
  return test::switch_to(tick, thread, "cyclictest", kPriority);
}
KernelEvent waking(uint64_t tick, int32_t thread = test::kMeter) {
  return {.tick = tick,
          .number = thread,
          .priority = kPriority,
          .kind = EventKind::waking,
          .name = ShortName("cyclictest")};
}
KernelEvent timer_set(uint64_t tick, uint64_t expires, int32_t running = test::kMeter) {
  return {.tick = tick, .value = expires, .running = running, .kind = EventKind::timer_set};
}
// The thread has read its clock, and sleeps again; by our module, which tells so.
KernelEvent sleeps(uint64_t tick) {
  KernelEvent leaves = test::switch_to(tick, 0, "swapper/1");
  leaves.running = test::kMeter;
  leaves.value = 1;
  return leaves;
}
KernelEvent expiry(uint64_t tick, int32_t lateness_ns = KernelEvent::kNoLateness) {
  return {.tick = tick, .value = kWakesThread, .lateness_ns = lateness_ns, .kind = EventKind::hrtimer_entry};
}
KernelEvent timer_entry(uint64_t tick) {
  return of_vector(tick, EventKind::vector_entry, VectorUse::local_timer);
}
KernelEvent timer_exit(uint64_t tick) {
  return of_vector(tick, EventKind::vector_exit, VectorUse::local_timer);
}

class Wakeups : public testing::Test {
 protected:
  std::vector<Wakeup> find(const std::vector<KernelEvent>& events) {
    std::vector<Wakeup> found;
    for (const KernelEvent& one : events) {
      history_.events().push_back(one);
      const auto wakeup = finder_.see(one, monotonic_);
      if (!wakeup) continue;
      found.push_back(*wakeup);
      latest_.offer(*wakeup, finder_.thread(), history_);
    }
    return found;
  }
  core::LateWakeup latest() const {
    const auto all = latest_.told(0, {{kWakesThread, "hrtimer_wakeup"}, {kTick, "tick"}});
    EXPECT_FALSE(all.empty());
    return all.empty() ? core::LateWakeup{} : all.front();
  }

  std::vector<int32_t> asked_;
  const MonotonicTicks monotonic_{{.ticks = 0, .ns = 0}, 1};
  WakeupFinder finder_{{"cyclictest", 95}, [this](int32_t thread) {
                         asked_.push_back(thread);
                         return thread == test::kMeter;
                       }};
  CpuHistory history_{10, 1000};
  LateWakeups latest_{2, 1};
};

// The timer was set by the thread itself, before it slept: the first wake-up is whole, too.
TEST_F(Wakeups, TheTimeThatTheTimerWasSetToIsWhenItWasDue) {
  const auto found =
      find({timer_set(10, 1000), test::switch_to(20, 0, "swapper/1"), timer_entry(1500), expiry(1520), waking(1540),
            event(1550, EventKind::hrtimer_exit), timer_exit(1560), to_meter(1700), timer_set(1703, 2000)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_due_known);
  EXPECT_EQ(found[0].due, 1000u);
  EXPECT_EQ(found[0].interrupt, 1500u);
  EXPECT_EQ(found[0].woken, 1540u);
  EXPECT_EQ(found[0].ran, 1700u);
  EXPECT_EQ(found[0].back, 1703u);
  EXPECT_EQ(latest().late_interrupt_ns, 500);
  EXPECT_EQ(latest().handler_ns, 40);
  EXPECT_EQ(latest().waking_ns, 163) << "the rest of the interrupt, the way out of the idle task and into the program";
  EXPECT_EQ(latest().others_ns, 0);
  EXPECT_EQ(latest().latency_ns, 703);
  EXPECT_EQ(latest().accounting[0].kind, TimeClass::nothing_seen) << "the interrupt was late, and nothing tells why";
  EXPECT_EQ(latest().accounting[0].ns, 500);
  EXPECT_EQ(latest().accounting[1].name, "idle") << "its way out";
}

TEST_F(Wakeups, WhoRanBetweenWakingAndRunningIsAnother) {
  find({test::switch_to(5, 9, "hog"), timer_set(10, 1000), timer_entry(1000), expiry(1010), waking(1020),
        event(1030, EventKind::hrtimer_exit), test::of_function(1040, EventKind::hrtimer_entry, kTick),
        test::of_function(1140, EventKind::hrtimer_exit, kTick), timer_exit(1200), to_meter(3200), sleeps(3200)});
  EXPECT_EQ(latest().late_interrupt_ns, 0);
  EXPECT_EQ(latest().handler_ns, 20);
  EXPECT_EQ(latest().others_ns, 2100) << "the function of another timer, and the hog that would not give way";
  EXPECT_EQ(latest().waking_ns, 80);
  ASSERT_NE(culprit_of(latest()), nullptr);
  EXPECT_EQ(culprit_of(latest())->name, "hog (tid 9, nice 0)");
}

// Our module tells how late a timer expires, and not what it is set to.
TEST_F(Wakeups, TheLatenessOfTheExpiryTellsIt) {
  const auto found =
      find({timer_entry(1500), expiry(1520, 400), waking(1540), timer_exit(1560), to_meter(1700), sleeps(1702)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].due, 1120u);
  EXPECT_EQ(found[0].interrupt, 1500u);
}

// It became due while another timer's function was still on.
TEST_F(Wakeups, ATimerThatIsDueWithinTheInterruptIsNotLate) {
  const auto found =
      find({timer_set(10, 1700), timer_entry(1500), expiry(1720), waking(1740), to_meter(1900), sleeps(1902)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].due, 1700u);
  EXPECT_EQ(found[0].interrupt, 1700u);
}

TEST_F(Wakeups, WhereItIsNotKnownWhenItWasDueItBeginsWithTheInterrupt) {
  constexpr uint64_t kSince1970_ns = 1'800'000'000'000'000'000;  // CLOCK_REALTIME: cyclictest --clock=1
  for (const auto& set : {timer_set(10, kSince1970_ns), event(10, EventKind::hole)}) {
    const auto found =
        find({set, timer_entry(1500), expiry(1520), waking(1540), timer_exit(1560), to_meter(1700), sleeps(1700)});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(found[0].is_due_known);
    EXPECT_EQ(found[0].due, 1500u);
  }
  EXPECT_EQ(latest().late_interrupt_ns, std::nullopt);
  EXPECT_EQ(latest().latency_ns, 200);
}

TEST_F(Wakeups, AnInterruptSetsItsOwnTimersAndNotTheThreads) {
  const auto found = find({timer_set(10, 1000), timer_entry(50), timer_set(60, 40), timer_exit(70), timer_entry(1500),
                           expiry(1520), waking(1540), to_meter(1700), sleeps(1702)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].due, 1000u);
}

// Somebody else's cyclictest, of the same priority; it is asked about once.
TEST_F(Wakeups, OnlyTheMetersOwnThreadCounts) {
  const auto others =
      find({timer_entry(1500), expiry(1520), waking(1540, 5), timer_exit(1560), to_meter(1700, 5), timer_entry(2500),
            expiry(2520), waking(2540, 5), timer_exit(2560), to_meter(2700, 5), sleeps(2710)});
  EXPECT_TRUE(others.empty());
  EXPECT_THAT(asked_, testing::ElementsAre(5));
  EXPECT_EQ(finder_.thread(), 0);
  EXPECT_EQ(find({timer_entry(3500), expiry(3520), waking(3540), to_meter(3700), sleeps(3702)}).size(), 1u);
  EXPECT_EQ(finder_.thread(), test::kMeter);
}

// By a signal, or by another thread: no timer of its was due.
TEST_F(Wakeups, WhatNoTimerWokeIsNoSample) {
  EXPECT_TRUE(find({waking(1540), to_meter(1700), sleeps(1702)}).empty());
  EXPECT_TRUE(find({timer_entry(1800), expiry(1810), event(1820, EventKind::hrtimer_exit), waking(1830),
                    timer_exit(1840), to_meter(1900), sleeps(1902)})
                  .empty());
}

// Its timer expired while it was still on its way to sleep. The preemption that follows is no late wake-up.
TEST_F(Wakeups, WhoDidNotSleepWasNotWoken) {
  KernelEvent leaves = test::switch_to(2000, 9, "higher", 0);
  leaves.running = test::kMeter;
  EXPECT_TRUE(find({to_meter(5), timer_set(10, 1000), timer_entry(1000), expiry(1010), waking(1020), timer_exit(1040),
                    leaves, to_meter(5000), sleeps(5005)})
                  .empty());
  EXPECT_EQ(find({timer_set(5010, 6000), leaves, timer_entry(6000), expiry(6010), waking(6020), timer_exit(6040),
                  to_meter(7000), sleeps(7002)})
                .size(),
            1u);
}

TEST_F(Wakeups, BehindAHoleNothingGoesOn) {
  EXPECT_TRUE(
      find({timer_entry(1500), expiry(1520), waking(1540), event(1600, EventKind::hole), to_meter(1700), sleeps(1702)})
          .empty());
  EXPECT_TRUE(
      find({timer_entry(2500), expiry(2520), waking(2540), to_meter(2700), event(2701, EventKind::hole), sleeps(2702)})
          .empty());
}

// The program reads its clock behind an interrupt that comes before it is back, and a task that takes its CPU.
TEST_F(Wakeups, WhatDelaysItBehindTheSwitchIsInIt) {
  KernelEvent preempted = test::switch_to(1900, 9, "higher", 0);
  preempted.running = test::kMeter;
  const auto found = find({timer_entry(1500), expiry(1520), waking(1540), event(1550, EventKind::hrtimer_exit),
                           timer_exit(1560), to_meter(1600), timer_entry(1700), timer_set(1720, 9000), timer_exit(1800),
                           preempted, to_meter(2400), sleeps(2410)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].ran, 1600u);
  EXPECT_EQ(found[0].back, 2410u);
  EXPECT_EQ(latest().latency_ns, 910);
  EXPECT_EQ(latest().others_ns, 500) << "the task; the local timer is nobody else's";
  double sum = 0;
  for (const core::AccountedTime& part : latest().accounting) {
    sum += part.ns;
    EXPECT_NE(part.kind, TimeClass::nothing_seen);
  }
  EXPECT_EQ(sum, 910);
}

// The way back takes some time, and no more than that: what is longer was below the kernel.
TEST_F(Wakeups, TheWayBackIsNobodysAndTooLongAOneIsUnseen) {
  find({timer_entry(1500), expiry(1520), waking(1540), timer_exit(1560), to_meter(1600), sleeps(16'600),
        timer_entry(101'500), expiry(101'520), waking(101'540), timer_exit(101'560), to_meter(101'600),
        sleeps(131'600)});
  const auto all = latest_.told(0, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].accounting[0].kind, TimeClass::nothing_seen);
  EXPECT_EQ(all[0].accounting[0].ns, 30'000);
  EXPECT_EQ(all[1].accounting[0].kind, TimeClass::around);
  EXPECT_EQ(all[1].accounting[0].ns, 15'000);
}

// Of all that were kept once. What the processor was away for on such a way is then unseen, and formerly was not.
TEST_F(Wakeups, TheWaysBackOfThisRunTellHowLongOneIs) {
  const auto wake_up = [&](uint64_t at, uint64_t way) {
    find({timer_entry(at), expiry(at + 20), waking(at + 40), timer_exit(at + 60), to_meter(at + 100),
          sleeps(at + 100 + way)});
  };
  for (uint64_t i = 1; i <= 20; ++i) wake_up(i * 1'000'000, 2980 + i);
  wake_up(30'000'000, 15'000);
  EXPECT_EQ(latest_.around().switch_ways(), 21u);
  EXPECT_EQ(latest_.around().switch_at_most(), 2 * 2999u);
  EXPECT_EQ(latest().accounting[0].kind, TimeClass::around);
  latest_.tighten_around_of_all({.of_switch = *latest_.around().switch_at_most()});
  EXPECT_EQ(latest().accounting[0].kind, TimeClass::nothing_seen);
  EXPECT_EQ(latest().accounting[0].ns, 15'000);
  EXPECT_EQ(latest_.told(0, {})[1].accounting[0].kind, TimeClass::around) << "no longer than one takes";
}

// It was due while the thread was still on its way to sleep, and the processor was away from there on.
TEST_F(Wakeups, WhereNothingIsSeenItMayHaveBeenAnSmi) {
  find({to_meter(5), timer_set(10, 1000), test::switch_to(9000, 0, "swapper/1"), timer_entry(9010), expiry(9020),
        waking(9030), timer_exit(9040), to_meter(9100), sleeps(9100)});
  EXPECT_EQ(latest().accounting[0].kind, TimeClass::nothing_seen);
  latest_.name_smis_of(std::vector<SmiWindow>{{.from = 900, .to = 9500, .count = 1}});
  EXPECT_EQ(latest().accounting[0].kind, TimeClass::smi);
  EXPECT_EQ(latest().accounting[0].ns, 8000);
}

TEST_F(Wakeups, TheLatestAreKeptLatestFirst) {
  for (const uint64_t length : {300u, 500u, 400u, 200u}) {
    const uint64_t at = 10'000 * length;
    find({timer_entry(at), expiry(at + 10), waking(at + 20), timer_exit(at + 30), to_meter(at + length),
          sleeps(at + length)});
  }
  std::vector<double> lengths;
  for (const core::LateWakeup& one : latest_.told(0, {})) lengths.push_back(one.latency_ns);
  EXPECT_THAT(lengths, testing::ElementsAre(500, 400));
}

}  // namespace
}  // namespace maxlat::attribution
