// SPDX-License-Identifier: MIT
#include "interference_ledger.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_events.hpp"
#include "test_random_cpu.hpp"

namespace maxlat::attribution {
namespace {

using namespace test;
using core::TimeClass;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kTicksPerNs = 2;

core::CpuInterference sums_of(const std::vector<KernelEvent>& events, uint64_t from, uint64_t to,
                              size_t most_names = 100) {
  InterferenceLedger ledger(kTicksPerNs, most_names);
  ledger.begin(from, kMeter);
  ledger.end(to);
  ledger.see(events);
  ledger.close();
  return ledger.told(3, {{0xabc, "tick_nohz_handler"}});
}

// "irq 24 eth0: 2 times, 61 ticks, at most 40"
std::vector<std::string> lines_of(const core::CpuInterference& told) {
  std::vector<std::string> lines;
  for (const core::InterferenceRow& row : told.rows)
    lines.push_back(fmt::format("{}: {} times, {} ticks, at most {}",
                                core::name_of({.kind = row.kind, .name = row.name}), row.count, row.ns * kTicksPerNs,
                                row.largest_ns * kTicksPerNs));
  return lines;
}

double sum_of(const core::CpuInterference& told) {
  double ns = told.undisturbed_ns;
  for (const core::InterferenceRow& row : told.rows) ns += row.ns;
  return ns;
}

TEST(InterferenceLedger, EachOccurrenceHasItsOwnTimeAndNotThatOfWhatInterruptedIt) {
  const std::vector<KernelEvent> events = {
      back_to_meter(50),
      event(110, EventKind::irq_entry, 24, "eth0"),
      of_vector(120, EventKind::vector_entry, VectorUse::local_timer),
      of_function(122, EventKind::hrtimer_entry, 0xabc),
      of_function(129, EventKind::hrtimer_exit, 0),
      of_vector(130, EventKind::vector_exit, VectorUse::local_timer),
      event(170, EventKind::irq_exit, 24),
      event(180, EventKind::irq_entry, 24, "eth0"),
      event(185, EventKind::irq_exit, 24),
      {.tick = 200, .value = 5, .kind = EventKind::nmi},
  };
  const core::CpuInterference told = sums_of(events, 100, 300);
  EXPECT_THAT(lines_of(told),
              ElementsAre("irq 24 eth0: 2 times, 55 ticks, at most 50", "nmi: 1 times, 10 ticks, at most 10",
                          "hrtimer tick_nohz_handler: 1 times, 7 ticks, at most 7",
                          "local timer: 1 times, 3 ticks, at most 3"));
  EXPECT_EQ(told.cpu, 3u);
  EXPECT_EQ(told.watched_ns, 100);
  EXPECT_EQ(told.undisturbed_ns, (200 - 55 - 10 - 7 - 3) / kTicksPerNs);
}

TEST(InterferenceLedger, NeitherTheMetersOwnThreadNorNobodyInterruptsIt) {
  const std::vector<KernelEvent> events = {
      back_to_meter(50),       switch_to(110, 0, "swapper/3"),    switch_to(150, 7, "kworker/3:1"),
      switch_to(160, 8, "sh"), switch_to(180, 0, "swapper/3"),    switch_to(200, 9, "sh", 20),
      back_to_meter(270),      event(280, EventKind::page_fault),
  };
  const core::CpuInterference told = sums_of(events, 100, 300);
  EXPECT_THAT(lines_of(told),
              ElementsAre("task sh: 2 times, 90 ticks, at most 70", "task kworker/3:1: 1 times, 10 ticks, at most 10",
                          "page fault: 1 times, 0 ticks, at most 0"));
  EXPECT_EQ(told.undisturbed_ns, 100 / kTicksPerNs);
}

TEST(InterferenceLedger, WhatBecomesAnotherProgramIsAnotherRow) {
  const std::vector<KernelEvent> events = {
      switch_to(90, 5, "sh"), rename(120, 9, "elsewhere"), rename(150, 5, "cc1plus"),
      back_to_meter(220),     rename(230, kMeter, "loop"),
  };
  const core::CpuInterference told = sums_of(events, 100, 300);
  EXPECT_THAT(lines_of(told),
              ElementsAre("task cc1plus: 1 times, 70 ticks, at most 70", "task sh: 1 times, 50 ticks, at most 50"));
  EXPECT_EQ(told.undisturbed_ns, 80 / kTicksPerNs);
}

TEST(InterferenceLedger, APageFaultOfAnotherIsNot) {
  EXPECT_THAT(sums_of({switch_to(50, 0, "swapper/3"), event(110, EventKind::page_fault)}, 100, 300).rows, IsEmpty());
}

TEST(InterferenceLedger, OnlyTheTimeFromTheStartToTheEndIsSummedUp) {
  const std::vector<KernelEvent> events = {
      back_to_meter(10),
      event(20, EventKind::irq_entry, 1, "before"),
      event(30, EventKind::irq_exit, 1),
      event(90, EventKind::irq_entry, 2, "at the start"),
      event(120, EventKind::irq_exit, 2),
      event(280, EventKind::irq_entry, 3, "at the end"),
      event(320, EventKind::irq_exit, 3),
      event(330, EventKind::irq_entry, 4, "behind"),
      event(340, EventKind::irq_exit, 4),
  };
  EXPECT_THAT(lines_of(sums_of(events, 100, 300)), ElementsAre("irq 2 at the start: 1 times, 20 ticks, at most 20",
                                                               "irq 3 at the end: 1 times, 20 ticks, at most 20"));
}

// Events come in as they are read, the start and the end when the meter has said them.
TEST(InterferenceLedger, TheStartMayBecomeKnownBehindIt) {
  InterferenceLedger ledger(kTicksPerNs);
  ledger.see(std::vector{back_to_meter(10), event(110, EventKind::irq_entry, 1, "a")});
  EXPECT_FALSE(ledger.has_begun());
  ledger.begin(100, kMeter);
  ledger.see(std::vector{event(120, EventKind::irq_exit, 1), event(150, EventKind::irq_entry, 1, "a"),
                         event(155, EventKind::irq_exit, 1)});
  ledger.close();
  const core::CpuInterference told = ledger.told(3, {});
  EXPECT_THAT(lines_of(told), ElementsAre("irq 1 a: 2 times, 15 ticks, at most 10"));
  EXPECT_EQ(told.watched_ns, 45 / kTicksPerNs) << "from 110, what was seen then, to the last that was read";
  EXPECT_EQ(sum_of(told), told.watched_ns);
}

TEST(InterferenceLedger, WhatIsLostIsNobodys) {
  const std::vector<KernelEvent> events = {
      back_to_meter(50),
      event(110, EventKind::irq_entry, 1, "a"),
      of_function(120, EventKind::hrtimer_entry, 0xdef),
      event(160, EventKind::hole),
      event(160, EventKind::softirq_entry, 3),
      event(170, EventKind::softirq_exit, 3),
      event(175, EventKind::irq_exit, 1),
      back_to_meter(190),
      event(400, EventKind::hole),
  };
  const core::CpuInterference told = sums_of(events, 100, 300);
  EXPECT_THAT(lines_of(told),
              ElementsAre("before the history: 2 times, 170 ticks, at most 110",
                          "irq 1 a: 1 times, 10 ticks, at most 10", "softirq NET_RX: 1 times, 10 ticks, at most 10",
                          "hrtimer of unknown function: 1 times, 0 ticks, at most 0"));
  EXPECT_EQ(sum_of(told), told.watched_ns);
}

// Two vectors that have one name are one row.
// Whose exit was not recorded, and no loss is told: the next of its kind shows it, and not only the next switch.
TEST(InterferenceLedger, AnInterruptWithoutAnEndHasTheTimeUpToTheNextOfItsKindAtMost) {
  const std::vector<KernelEvent> events = {
      back_to_meter(50),
      of_vector(110, EventKind::vector_entry, VectorUse::local_timer),
      of_vector(150, EventKind::vector_entry, VectorUse::local_timer),
      of_vector(155, EventKind::vector_exit, VectorUse::local_timer),
  };
  const core::CpuInterference told = sums_of(events, 100, 300);
  EXPECT_THAT(lines_of(told), ElementsAre("local timer: 2 times, 45 ticks, at most 40"));
  EXPECT_EQ(told.undisturbed_ns, (200 - 45) / kTicksPerNs);
}

TEST(InterferenceLedger, ANameIsThereOnce) {
  const std::vector<KernelEvent> events = {
      back_to_meter(50),
      of_vector(110, EventKind::vector_entry, VectorUse::call_function),
      of_vector(112, EventKind::vector_exit, VectorUse::call_function),
      of_vector(120, EventKind::vector_entry, VectorUse::call_function_single),
      of_vector(126, EventKind::vector_exit, VectorUse::call_function_single),
  };
  EXPECT_THAT(lines_of(sums_of(events, 100, 300)), ElementsAre("ipi call function: 2 times, 8 ticks, at most 6"));
}

TEST(InterferenceLedger, WhatHasNoRoomIsSummedUpWithoutItsName) {
  std::vector<KernelEvent> events = {back_to_meter(50)};
  for (int i = 0; i < 1000; ++i) {
    const uint64_t at = 1000 + 100 * static_cast<uint64_t>(i);
    events.push_back(switch_to(at, 500 + i, fmt::format("task-{}", i)));
    events.push_back(event(at + 5, EventKind::irq_entry, i, "dev"));
    events.push_back(event(at + 8, EventKind::irq_exit, i));
    events.push_back(back_to_meter(at + 10));
  }
  const core::CpuInterference told = sums_of(events, 100, 200'000, 6);
  EXPECT_THAT(
      lines_of(told),
      ElementsAre("task (others): 997 times, 6979 ticks, at most 7", "irq (others): 997 times, 2991 ticks, at most 3",
                  "task task-0: 1 times, 7 ticks, at most 7", "task task-1: 1 times, 7 ticks, at most 7",
                  "task task-2: 1 times, 7 ticks, at most 7", "irq 0 dev: 1 times, 3 ticks, at most 3",
                  "irq 1 dev: 1 times, 3 ticks, at most 3", "irq 2 dev: 1 times, 3 ticks, at most 3"));
  EXPECT_EQ(sum_of(told), told.watched_ns);
}

TEST(InterferenceLedger, EveryTickHasOneOwner) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomCpu cpu(seed);
    const bool loses = seed % 2 == 1;
    if (loses) cpu.lose();
    std::vector<KernelEvent> events = {back_to_meter(1)};
    events.insert(events.end(), cpu.events().begin(), cpu.events().end());
    const core::CpuInterference told = sums_of(events, 1000, cpu.end());
    ASSERT_EQ(told.watched_ns, static_cast<double>(cpu.end() - 1000) / kTicksPerNs) << seed;
    ASSERT_EQ(sum_of(told), told.watched_ns) << seed;
    double tasks = 0, true_tasks = 0;
    for (const auto& [name, ticks] : cpu.truth())
      if (name.starts_with("task ")) true_tasks += static_cast<double>(ticks) / kTicksPerNs;
    for (const core::InterferenceRow& row : told.rows) {
      if (row.kind == TimeClass::task) tasks += row.ns;
      if (row.kind == TimeClass::task || row.kind == TimeClass::before_history) continue;
      const auto truth = cpu.truth().find(core::name_of({.kind = row.kind, .name = row.name}));
      ASSERT_NE(truth, cpu.truth().end()) << seed << " " << row.name;
      const double true_ns = static_cast<double>(truth->second) / kTicksPerNs;
      if (loses)
        ASSERT_LE(row.ns, true_ns) << seed << " " << row.name;
      else
        ASSERT_EQ(row.ns, true_ns) << seed << " " << row.name;
    }
    const double meters_own = static_cast<double>(cpu.truth().at(RandomCpu::kMeterItself)) / kTicksPerNs;
    if (loses) {
      ASSERT_LE(tasks, true_tasks) << seed;
      ASSERT_LE(told.undisturbed_ns, meters_own) << seed;
    } else {
      ASSERT_EQ(tasks, true_tasks) << seed;
      ASSERT_EQ(told.undisturbed_ns, meters_own) << seed;
    }
  }
}

}  // namespace
}  // namespace maxlat::attribution
