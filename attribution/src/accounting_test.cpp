// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <maxlat/attribution/accounting.hpp>

#include "test_accounting.hpp"
#include "test_events.hpp"
#include "test_random_cpu.hpp"

namespace maxlat::attribution {
namespace {

using namespace test;
using core::Certainty;
using core::TimeClass;
using testing::ElementsAre;

TEST(Accounting, TheInnermostContextOwnsTheTime) {
  const std::vector<KernelEvent> events = {
      event(110, EventKind::irq_entry, 24, "eth0"),
      event(170, EventKind::irq_exit, 24),
      event(175, EventKind::softirq_entry, 3),
      of_vector(180, EventKind::vector_entry, VectorUse::local_timer),
      of_function(182, EventKind::hrtimer_entry, 0xabc),
      of_function(189, EventKind::hrtimer_exit, 0),
      of_vector(190, EventKind::vector_exit, VectorUse::local_timer),
      event(200, EventKind::softirq_exit, 3),
  };
  const Accounting accounting = account(events, interval(100, 207));
  EXPECT_THAT(told(accounting), ElementsAre("irq 24 eth0: 60", "around: 22 in 3", "softirq NET_RX: 15",
                                            "hrtimer abc: 7", "local timer: 3"));
  EXPECT_EQ(accounting.parts[0].certainty, Certainty::seen);
  EXPECT_EQ(accounting.parts[1].certainty, Certainty::next_to);
}

TEST(Accounting, ATaskHasItsPriorityAndWhoWokeIt) {
  const std::vector<KernelEvent> events = {
      of_vector(110, EventKind::vector_entry, VectorUse::local_timer),
      event(115, EventKind::waking, 5),
      of_vector(120, EventKind::vector_exit, VectorUse::local_timer),
      switch_to(130, 5, "intruder", 0),
      switch_to(330, 6, "kworker/1:1"),
      of_function(340, EventKind::work_start, 0xdef),
      of_function(350, EventKind::work_end, 0xdef),
      back_to_meter(360),
  };
  EXPECT_THAT(told(account(events, interval(100, 370))),
              ElementsAre("task intruder (tid 5, real-time 99), woken by local timer: 200", "around: 30 in 3",
                          "task kworker/1:1 (tid 6, nice 0): 20", "local timer: 10", "work def: 10"));
}

// The defect that this is for: what a shell starts was the shell until its next switch.
TEST(Accounting, AThreadThatBecomesAnotherProgramIsNamedSoFromThereOn) {
  const std::vector<KernelEvent> events = {
      of_vector(110, EventKind::vector_entry, VectorUse::reschedule),
      event(112, EventKind::waking, 5, "sh"),
      of_vector(115, EventKind::vector_exit, VectorUse::reschedule),
      switch_to(120, 5, "sh"),
      event(130, EventKind::irq_entry, 24, "eth0"),
      rename(140, 5, "gcc"),  // in an interrupt no thread renames itself: what a damaged record may say
      event(150, EventKind::irq_exit, 24),
      rename(170, 9, "elsewhere"),
      rename(180, 5, "cc1plus"),
      back_to_meter(200),
  };
  EXPECT_THAT(told(account(events, interval(100, 210))),
              ElementsAre("task gcc (tid 5, nice 0), woken by ipi reschedule: 30", "around: 25 in 3", "irq 24 eth0: 20",
                          "task cc1plus (tid 5, nice 0), woken by ipi reschedule: 20",
                          "task sh (tid 5, nice 0), woken by ipi reschedule: 10", "ipi reschedule: 5"));
}

// A timer's thread that is late: somebody had the CPU when it was due, then its interrupt came, then another one ran.
TEST(Accounting, OfASleeperEverythingSinceItsTimeIsAccountedFor) {
  const std::vector<KernelEvent> events = {
      switch_to(10, 0, "swapper/1"),
      event(20, EventKind::softirq_entry, 1),
      event(25, EventKind::softirq_exit, 1),
      switch_to(50, 8, "spinner", 130),
      event(60, EventKind::irq_entry, 24, "eth0"),
      event(130, EventKind::irq_exit, 24),
      of_vector(140, EventKind::vector_entry, VectorUse::local_timer),
      event(145, EventKind::waking, kMeter),
      of_vector(150, EventKind::vector_exit, VectorUse::local_timer),
      switch_to(160, 9, "higher", 0),
      back_to_meter(300),
  };
  Interval late = interval(100, 310);
  late.begins_asleep = true;
  EXPECT_THAT(told(account(events, late)),
              ElementsAre("task higher (tid 9, real-time 99): 140", "irq 24 eth0: 30",
                          "task spinner (tid 8, nice 10): 20", "local timer: 10", "around: 10"));
  late.from = 5;
  late.to = 20;
  EXPECT_THAT(told(account(events, late)), ElementsAre("task idle: 10", "before the history: 5"));
}

// A defect: a hypervisor, a firmware or a deep sleep that kept the timer's interrupt away was told as the idle task.
TEST(Accounting, ALateInterruptOfAnIdleCpuIsNotTheIdleTasks) {
  const std::vector<KernelEvent> events = {
      switch_to(10, kMeter, "cyclictest", 0),
      switch_to(50, 0, "swapper/1"),
      event(300, EventKind::irq_entry, 24, "eth0"),
      event(310, EventKind::irq_exit, 24),
      of_vector(400, EventKind::vector_entry, VectorUse::local_timer),
      event(405, EventKind::waking, kMeter),
      of_vector(410, EventKind::vector_exit, VectorUse::local_timer),
      back_to_meter(440),
  };
  Interval late = interval(100, 445);
  late.begins_asleep = late.timer_is_due = true;
  EXPECT_THAT(told(account(events, late)),
              ElementsAre("nothing seen: hardware or hypervisor: 290 in 2", "task idle: 30", "irq 24 eth0: 10",
                          "local timer: 10", "around: 5"))
      << "behind its waking the idle task is on its way out";
  late.from = 405;
  EXPECT_THAT(told(account(events, late)), ElementsAre("task idle: 30", "local timer: 5", "around: 5"));
  late.from = 100;
  late.timer_is_due = false;
  EXPECT_THAT(told(account(events, late)),
              ElementsAre("task idle: 320", "irq 24 eth0: 10", "local timer: 10", "around: 5"))
      << "of any other interval it has what it had";
}

// Two threads of the meter, of which one has the CPU until the timer of the other comes: neither is a culprit.
TEST(Accounting, OfAPreemptionNeitherThreadHadTheTime) {
  constexpr int32_t kPartner = 76;
  const auto to_partner = [](uint64_t tick) { return switch_to(tick, kPartner, "maxlat", 5); };
  const std::vector<KernelEvent> events = {
      switch_to(10, 0, "swapper/1"),
      to_partner(50),
      event(160, EventKind::irq_entry, 24, "eth0"),
      event(200, EventKind::irq_exit, 24),
      of_vector(210, EventKind::vector_entry, VectorUse::local_timer),
      event(215, EventKind::waking, kMeter),
      of_vector(220, EventKind::vector_exit, VectorUse::local_timer),
      switch_to(230, 9, "higher", 0),
      to_partner(300),
      back_to_meter(320),
  };
  Interval preemption = interval(100, 325);
  preemption.begins_asleep = preemption.timer_is_due = true;
  preemption.partner = kPartner;
  EXPECT_THAT(told(account(events, preemption)),
              ElementsAre("task higher (tid 9, real-time 99): 70", "nothing seen: hardware or hypervisor: 60",
                          "around: 45 in 4", "irq 24 eth0: 40", "local timer: 10"));
  preemption.partner = 0;
  EXPECT_THAT(told(account(events, preemption)),
              testing::Contains("task maxlat (tid 76, real-time 94): 100 in 2")) << "else it is as any other";
}

// A defect: the way through the scheduler, and from there into the program, was said to be the hypervisor's.
TEST(Accounting, AWakenedThreadsOwnWayIsLongerThanThatOfAnInterrupt) {
  const std::vector<KernelEvent> events = {
      switch_to(10, 76, "maxlat", 5),
      of_vector(160, EventKind::vector_entry, VectorUse::local_timer),
      event(165, EventKind::waking, kMeter),
      of_vector(170, EventKind::vector_exit, VectorUse::local_timer),
      back_to_meter(250),
  };
  Interval preemption = interval(100, 350);
  preemption.partner = 76;
  preemption.begins_asleep = true;
  EXPECT_THAT(told(account(events, preemption)),
              ElementsAre("nothing seen: hardware or hypervisor: 240 in 3", "local timer: 10"));
  preemption.switch_at_most = 100;
  EXPECT_THAT(told(account(events, preemption)),
              ElementsAre("around: 180 in 2", "nothing seen: hardware or hypervisor: 60", "local timer: 10"))
      << "how late the interrupt came is no way of the thread";
  preemption.switch_at_most = 99;
  EXPECT_THAT(told(account(events, preemption)),
              ElementsAre("nothing seen: hardware or hypervisor: 160 in 2", "around: 80", "local timer: 10"));
}

// Nobody had it that the kernel knows: what stopped the processor is below it.
TEST(Accounting, WhatNothingTellsOfIsNobodys) {
  EXPECT_THAT(told(account({}, interval(100, 120))), ElementsAre("nothing seen: hardware or hypervisor: 20"));
  const std::vector<KernelEvent> events = {of_vector(500, EventKind::vector_entry, VectorUse::reschedule),
                                           of_vector(510, EventKind::vector_exit, VectorUse::reschedule)};
  EXPECT_THAT(told(account(events, interval(100, 530))),
              ElementsAre("nothing seen: hardware or hypervisor: 400", "around: 20", "ipi reschedule: 10"))
      << "that an interrupt came at its end does not explain it";
}

TEST(Accounting, AnNmiIsTakenFromWhatItInterrupted) {
  const std::vector<KernelEvent> events = {
      event(110, EventKind::irq_entry, 9, "acpi"),
      {.tick = 150, .value = 10, .kind = EventKind::nmi},  // 10 ns are 20 ticks
      event(160, EventKind::irq_exit, 9),
  };
  EXPECT_THAT(told(account(events, interval(100, 160))), ElementsAre("irq 9 acpi: 30", "nmi: 20", "around: 10"));
  const std::vector<KernelEvent> longer_than_all = {{.tick = 150, .value = 1000, .kind = EventKind::nmi}};
  EXPECT_THAT(told(account(longer_than_all, interval(100, 160))), ElementsAre("nmi: 50", "around: 10"));
}

TEST(Accounting, APageFaultLastsToTheNextEvent) {
  std::vector<KernelEvent> events = {event(110, EventKind::page_fault)};
  EXPECT_THAT(told(account(events, interval(100, 400))), ElementsAre("page fault: 290", "around: 10"));
  events.push_back(event(200, EventKind::irq_entry, 24, "eth0"));
  events.push_back(event(220, EventKind::irq_exit, 24));
  EXPECT_THAT(
      told(account(events, interval(100, 900))),
      ElementsAre("nothing seen: hardware or hypervisor: 680", "page fault: 90", "irq 24 eth0: 20", "around: 10"));
  // Two hundred microseconds, at two ticks a nanosecond: what stops the processor for longer is no fault.
  EXPECT_THAT(told(account(std::span(events).first(1), interval(100, 60'000'110))),
              ElementsAre("nothing seen: hardware or hypervisor: 59600000", "page fault: 400000", "around: 10"));
}

// A defect: whoever woke a task before some history was lost, or an earlier time, was said to have woken it.
TEST(Accounting, AWakerCountsForOneWakingThatWasSeen) {
  const std::vector<KernelEvent> lost = {event(110, EventKind::softirq_entry, 3), event(115, EventKind::waking, 7),
                                         event(200, EventKind::hole), switch_to(210, 7, "task"), back_to_meter(300)};
  EXPECT_EQ(account(lost, interval(100, 310)).parts[0].woken_by, "");
  const std::vector<KernelEvent> twice = {event(110, EventKind::softirq_entry, 3),
                                          event(115, EventKind::waking, 7),
                                          event(120, EventKind::softirq_exit, 3),
                                          switch_to(130, 7, "task"),
                                          back_to_meter(150),
                                          switch_to(160, 8, "other"),
                                          switch_to(170, 7, "task"),
                                          back_to_meter(300)};
  const Accounting accounting = account(twice, interval(100, 310));
  EXPECT_EQ(accounting.parts[0].name, "task (tid 7, nice 0)");
  EXPECT_EQ(accounting.parts[0].woken_by, "softirq NET_RX") << "the first time it was";
}

// What another CPU did has no time here, and is no reason to call the time beside it the way into the kernel.
TEST(Accounting, WhatOthersDidNamesThemAndTakesNoTime) {
  const auto told_of = [](uint64_t tick, EventKind kind, uint64_t value, int32_t number, int32_t by) {
    return KernelEvent{
        .tick = tick, .value = value, .number = number, .running = by, .kind = kind, .name = ShortName("sh")};
  };
  const auto call_of = [&](uint64_t tick, EventKind kind, uint64_t value, int32_t number, int32_t by) {
    KernelEvent call = told_of(tick, kind, value, number, by);
    call.priority = 1;
    return call;
  };
  const std::vector<KernelEvent> events = {
      told_of(105, EventKind::ipi_sent, 0xabc, 3, 12),
      call_of(106, EventKind::ipi_sent, 0xdef, 2, 0),
      of_vector(110, EventKind::vector_entry, VectorUse::irq_work),
      of_vector(120, EventKind::vector_exit, VectorUse::irq_work),
      told_of(121, EventKind::woken_elsewhere, 3, 5, 12),
      of_vector(130, EventKind::vector_entry, VectorUse::reschedule),
      of_vector(160, EventKind::vector_exit, VectorUse::reschedule),
      switch_to(165, 5, "task"),
      back_to_meter(240),
      of_vector(250, EventKind::vector_entry, VectorUse::reschedule),
      of_vector(260, EventKind::vector_exit, VectorUse::reschedule),
      told_of(270, EventKind::woken_elsewhere, 3, 6, 0),
      event(280, EventKind::waking, 6),
      switch_to(290, 6, "woken here"),
      back_to_meter(300),
  };
  const Accounting accounting = account(events, interval(100, 310));
  EXPECT_THAT(told(accounting),
              ElementsAre("around: 75 in 7", "task task (tid 5, nice 0), woken by CPU 3, task sh (tid 12): 75",
                          "ipi reschedule: 30", "ipi irq work: 10", "ipi reschedule: 10",
                          "task woken here (tid 6, nice 0): 10"));
  EXPECT_EQ(accounting.parts[2].sent_by, "CPU 3, task sh (tid 12)");
  EXPECT_EQ(accounting.parts[2].sender, 0xabcu);
  EXPECT_EQ(accounting.parts[4].sent_by, "") << "what is told is a call of a function, which has not come";
  const std::vector<KernelEvent> alone = {told_of(110, EventKind::ipi_sent, 0, 3, 12)};
  EXPECT_THAT(told(account(alone, interval(100, 120))), ElementsAre("nothing seen: hardware or hypervisor: 20"));
}

// A loop's thread has the CPU until the interrupt comes. That was sent before, and the thread was woken that it brings.
TEST(Accounting, WhatOthersDidJustBeforeNamesThem) {
  const auto by_sh = [](uint64_t tick, EventKind kind, int32_t number, int32_t priority = 0) {
    return KernelEvent{
        .tick = tick, .number = number, .priority = priority, .running = 12, .kind = kind, .name = ShortName("sh")};
  };
  const auto parts_behind = [](std::vector<KernelEvent> before) {
    for (const KernelEvent& event :
         {of_vector(110, EventKind::vector_entry, VectorUse::reschedule),
          of_vector(140, EventKind::vector_exit, VectorUse::reschedule), switch_to(140, 5, "task"), back_to_meter(240)})
      before.push_back(event);
    return account(before, interval(100, 240)).parts;
  };
  const KernelEvent woken = by_sh(90, EventKind::woken_elsewhere, 5), sent = by_sh(92, EventKind::ipi_sent, 0);
  const auto parts = parts_behind({woken, sent, by_sh(93, EventKind::ipi_sent, 0, 1)});
  EXPECT_EQ(parts.at(0).woken_by, "CPU 0, task sh (tid 12)");
  EXPECT_EQ(parts.at(1).sent_by, "CPU 0, task sh (tid 12)");
  const std::pair<const char*, KernelEvent> no_waker[] = {{"it ran since", switch_to(95, 5, "task")},
                                                          {"it was woken here since", event(95, EventKind::waking, 5)},
                                                          {"it was moved", by_sh(95, EventKind::moved_elsewhere, 5)},
                                                          {"lost here", event(95, EventKind::hole)},
                                                          {"lost there", event(95, EventKind::lost_elsewhere)}};
  for (const auto& [why, since] : no_waker) EXPECT_EQ(parts_behind({woken, sent, since}).at(0).woken_by, "") << why;
  const KernelEvent came = of_vector(95, EventKind::vector_entry, VectorUse::reschedule);
  EXPECT_EQ(parts_behind({woken, sent, came}).at(1).sent_by, "") << "it came before";
}

TEST(Accounting, LostHistoryIsSaidToBeLost) {
  const std::vector<KernelEvent> in_the_middle = {
      event(110, EventKind::irq_entry, 24, "eth0"), event(150, EventKind::hole),
      event(150, EventKind::irq_entry, 25, "eth1"), event(160, EventKind::irq_exit, 25),
      event(170, EventKind::irq_exit, 24),
  };
  EXPECT_THAT(told(account(in_the_middle, interval(100, 180))),
              ElementsAre("before the history: 60 in 3", "around: 10", "irq 25 eth1: 10"));
  const std::vector<KernelEvent> behind = {event(900, EventKind::hole), event(900, EventKind::irq_entry, 1, "x")};
  EXPECT_THAT(told(account(behind, interval(100, 180))), ElementsAre("before the history: 80"));
  for (const uint64_t lost : {200u, 180u}) {  // also one that is put at the end, when no more of this CPU comes
    const std::vector<KernelEvent> behind_another_cpus = {
        event(110, EventKind::irq_entry, 24, "eth0"), event(185, EventKind::woken_elsewhere, 5),
        event(190, EventKind::ipi_sent, 3), event(lost, EventKind::hole)};
    EXPECT_THAT(told(account(behind_another_cpus, interval(100, 180))),
                ElementsAre("before the history: 70", "around: 10"))
        << lost;
  }
  const std::vector<KernelEvent> known_again = {event(150, EventKind::hole), back_to_meter(160)};
  EXPECT_THAT(told(account(known_again, interval(100, 180))), ElementsAre("before the history: 60 in 2", "around: 20"));
}

TEST(Accounting, WhatIsBesideTheIntervalDoesNotCount) {
  const std::vector<KernelEvent> events = {event(50, EventKind::hole), event(60, EventKind::irq_entry, 1, "before"),
                                           event(300, EventKind::irq_entry, 2, "behind")};
  EXPECT_THAT(told(account(events, interval(100, 120))), ElementsAre("nothing seen: hardware or hypervisor: 20"));
}

uint64_t sum_of(const Accounting& accounting) {
  uint64_t sum = 0;
  for (const Part& part : accounting.parts) sum += part.ticks;
  return sum;
}

bool is_named(const Part& part) {
  return part.kind != TimeClass::around && part.kind != TimeClass::before_history &&
         part.kind != TimeClass::nothing_seen;
}

TEST(Accounting, TheSumIsAlwaysTheInterval) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const RandomCpu cpu(seed);
    const Accounting accounting = account(cpu.events(), interval(1000, cpu.end()));
    ASSERT_EQ(sum_of(accounting), cpu.end() - 1000) << seed;
    uint64_t named = 0;
    for (const Part& part : accounting.parts) {
      if (!is_named(part)) continue;
      const auto truth = cpu.truth().find(core::name_of({.kind = part.kind, .name = part.name}));
      ASSERT_NE(truth, cpu.truth().end()) << seed << " " << part.name;
      ASSERT_EQ(part.ticks, truth->second) << seed << " " << part.name;
      named += part.ticks;
    }
    ASSERT_EQ(named + cpu.truth().at(RandomCpu::kMeterItself), sum_of(accounting)) << seed;
  }
}

TEST(Accounting, LostHistoryNamesNobodyWrongly) {
  size_t lost = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomCpu cpu(seed);
    cpu.lose();
    cpu.lose();
    const Accounting accounting = account(cpu.events(), interval(1000, cpu.end()));
    ASSERT_EQ(sum_of(accounting), cpu.end() - 1000) << seed;
    uint64_t meters_own = 0;
    for (const Part& part : accounting.parts) {
      if (part.kind == TimeClass::before_history) ++lost;
      if (part.kind == TimeClass::around || part.kind == TimeClass::nothing_seen) meters_own += part.ticks;
      if (!is_named(part)) continue;
      const auto truth = cpu.truth().find(core::name_of({.kind = part.kind, .name = part.name}));
      ASSERT_NE(truth, cpu.truth().end()) << seed << " " << part.name;
      ASSERT_LE(part.ticks, truth->second) << seed << " " << part.name;
    }
    ASSERT_LE(meters_own, cpu.truth().at(RandomCpu::kMeterItself)) << seed;
  }
  EXPECT_GT(lost, 2000u) << "else this test loses nothing";
}

}  // namespace
}  // namespace maxlat::attribution
