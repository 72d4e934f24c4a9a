// SPDX-License-Identifier: MIT
//
// The events of a CPU by hand, in the interval from tick 100 to 300.
#include "interval_events.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::trace_tools {
namespace {

using attribution::EventKind;
using attribution::KernelEvent;
using testing::ElementsAre;

constexpr std::int32_t kSh = 7;

class IntervalEventsTest : public testing::Test {
 protected:
  void add(std::uint64_t tick, EventKind kind, std::int32_t number, std::string_view name = {}) {
    events_.add({.tick = tick,
                 .number = number,
                 .priority = 120,
                 .running = -1,
                 .kind = kind,
                 .name = attribution::ShortName(name)});
  }
  void switch_to(std::uint64_t tick, std::int32_t thread, std::string_view name) {
    add(tick, EventKind::task_switch, thread, name);
  }
  // By the CPU 0.
  void woken(std::uint64_t tick, std::int32_t thread, std::int32_t by = kSh) {
    events_.add_told({.tick = tick,
                      .number = thread,
                      .running = by,
                      .kind = EventKind::woken_elsewhere,
                      .name = attribution::ShortName("sh")});
  }
  void reschedule_sent(std::uint64_t tick) {
    events_.add_told({.tick = tick, .running = KernelEvent::kInSoftirq, .kind = EventKind::ipi_sent});
  }
  void reschedule(std::uint64_t tick) {
    add(tick, EventKind::vector_entry, static_cast<std::int32_t>(attribution::VectorUse::reschedule));
    add(tick + 1, EventKind::vector_exit, static_cast<std::int32_t>(attribution::VectorUse::reschedule));
  }
  // "task a (tid 5, nice 0): 120"
  std::vector<std::string> parts() const {
    std::vector<std::string> lines;
    for (const ExplainedInterval::Part& part : events_.explained(-1, 1).parts)
      lines.push_back(fmt::format("{}: {}", core::name_of(part.time), part.ticks));
    return lines;
  }

  const TraceNames names_{};
  IntervalEvents events_{100, 300, names_};
};

// Another CPU's event, behind the end, is there before it is known that no more comes of this one.
TEST_F(IntervalEventsTest, ATraceThatEndsEarlyIsNotWhole) {
  switch_to(50, 5, "a");
  switch_to(160, 6, "b");
  switch_to(210, 0, "idle");
  woken(310, 9);
  events_.end_early();
  EXPECT_THAT(parts(),
              ElementsAre("before the history: 90", "task a (tid 5, nice 0): 60", "task b (tid 6, nice 0): 50"));
  EXPECT_FALSE(events_.explained(-1, 1).is_whole());
}

TEST_F(IntervalEventsTest, WhatWasDoneElsewhereNamesWhoDidIt) {
  switch_to(50, 0, "idle");
  woken(110, 5, KernelEvent::kInInterrupt);
  woken(112, 6);
  reschedule_sent(115);
  reschedule(120);
  switch_to(121, 5, "a");
  switch_to(241, 6, "b");
  add(301, EventKind::page_fault, 0);
  EXPECT_THAT(parts(), ElementsAre("task a (tid 5, nice 0), woken by CPU 0, in an interrupt: 120",
                                   "task b (tid 6, nice 0), woken by CPU 0, task sh (tid 7): 59", "task idle: 20",
                                   "ipi reschedule, sent by CPU 0, in a softirq: 1"));
}

// Whom another CPU woke or sent for meanwhile, nobody knows: who did it before, or did it beside, is not who did it.
TEST_F(IntervalEventsTest, ALossElsewhereLeavesNobodyBehind) {
  switch_to(50, 0, "idle");
  woken(101, 4);
  woken(102, 5);
  reschedule_sent(103);
  switch_to(104, 4, "before");
  woken(120, 6);
  switch_to(121, 5, "a");
  reschedule(140);
  switch_to(160, 6, "b");
  events_.lose_elsewhere(110);
  woken(171, 7);
  switch_to(172, 7, "behind");
  add(301, EventKind::page_fault, 0);
  EXPECT_THAT(parts(), ElementsAre("task behind (tid 7, nice 0), woken by CPU 0, task sh (tid 7): 128",
                                   "task a (tid 5, nice 0): 38",
                                   "task before (tid 4, nice 0), woken by CPU 0, task sh (tid 7): 17",
                                   "task b (tid 6, nice 0): 12", "task idle: 4", "ipi reschedule: 1"));
}

// A loop that is never switched out, while the rest of the machine wakes its threads all the time. A defect: who had
// woken a thread before the last switch was forgotten, or all of it was kept.
TEST_F(IntervalEventsTest, WhatCameLongBeforeIsForgottenButWhoWokeWhom) {
  woken(40, 5);
  woken(41, 6);
  woken(42, 8, 9);
  switch_to(50, 5, "loop");
  for (std::int32_t i = 0; i < 1'000'000; ++i) woken(60, 1000 + i % 100);
  EXPECT_LT(events_.held(), 200'000u);
  woken(70, 8, KernelEvent::kInInterrupt);
  switch_to(160, 6, "b");
  switch_to(260, 8, "c");
  add(301, EventKind::page_fault, 0);
  EXPECT_THAT(parts(), ElementsAre("task b (tid 6, nice 0), woken by CPU 0, task sh (tid 7): 100",
                                   "task loop (tid 5, nice 0), woken by CPU 0, task sh (tid 7): 60",
                                   "task c (tid 8, nice 0), woken by CPU 0, in an interrupt: 40"));
}

}  // namespace
}  // namespace maxlat::trace_tools
