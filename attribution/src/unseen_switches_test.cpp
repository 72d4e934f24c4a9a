// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <maxlat/attribution/unseen_switches.hpp>

#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using test::event;
using test::switch_to;

class Unseen : public testing::Test {
 protected:
  void add(KernelEvent one, int32_t running) {
    one.running = running;
    switches_.add(one, events_);
  }
  UnseenSwitches switches_{[this](int32_t number) {
    asked_.push_back(number);
    return UnseenSwitches::Thread{ShortName("of-proc"), 99};
  }};
  std::vector<KernelEvent> events_;
  std::vector<int32_t> asked_;
};

TEST_F(Unseen, NothingIsPutBetweenSwitchesThatAreAllThere) {
  add(switch_to(10, 5, "five"), 0);
  add(event(20, EventKind::irq_entry, 1), 5);
  add(event(21, EventKind::irq_exit, 1), 5);
  add(switch_to(30, 0, "swapper/1"), 5);
  add(switch_to(40, 6, "six"), 0);
  add(switch_to(50, 0, "swapper/1"), 6);
  EXPECT_EQ(events_.size(), 6u);
}

// The defect that this is for: from idle to a thread whose waking was seen, and back, without the first switch.
TEST_F(Unseen, AThreadThatRunsWithoutASwitchHasOneBehindTheInterruptThatWokeIt) {
  add(switch_to(10, 0, "swapper/1"), 5);
  add(event(100, EventKind::irq_entry, 1), 0);
  KernelEvent waking = event(101, EventKind::waking, 9, "woken");
  waking.priority = 9;
  add(waking, 0);
  add(event(102, EventKind::irq_exit, 1), 0);
  add(event(300, EventKind::irq_entry, 1), 9);
  ASSERT_EQ(events_.size(), 6u);
  const KernelEvent& put = events_[4];
  EXPECT_EQ(put.kind, EventKind::task_switch);
  EXPECT_EQ(put.tick, 102u);
  EXPECT_EQ(put.number, 9);
  EXPECT_EQ(put.priority, 9);
  EXPECT_EQ(put.name.text(), "woken");
  EXPECT_TRUE(asked_.empty());
  add(event(301, EventKind::irq_exit, 1), 9);
  add(switch_to(400, 0, "swapper/1"), 9);
  EXPECT_EQ(events_.size(), 8u) << "once";
}

TEST_F(Unseen, OneThatWasWokenElsewhereIsLookedUp) {
  add(switch_to(10, 0, "swapper/1"), 5);
  add(switch_to(50, 0, "swapper/1"), 8);
  ASSERT_EQ(events_.size(), 3u);
  EXPECT_EQ(events_[1].number, 8);
  EXPECT_EQ(events_[1].tick, 50u) << "when it came, nothing tells: all of the idle time is not its own";
  EXPECT_EQ(events_[1].name.text(), "of-proc");
  EXPECT_EQ(asked_, std::vector<int32_t>{8});
}

TEST_F(Unseen, ARenameHasItsThreadsPriorityAndItsNameIsLearnt) {
  add(switch_to(10, 5, "sh", 49), 0);
  add(event(20, EventKind::rename, 5, "cc1plus"), 5);
  EXPECT_EQ(events_.back().priority, 49);
  add(switch_to(30, 0, "swapper/1"), 5);
  add(event(40, EventKind::irq_entry, 1), 5);
  ASSERT_EQ(events_.size(), 5u);
  EXPECT_EQ(events_[3].name.text(), "cc1plus");
  EXPECT_EQ(events_[3].priority, 49);
}

// A real-time loop may never be switched out: what the first event tells of it is all there is.
TEST_F(Unseen, InTheBeginningAndBehindAHoleTheFirstEventTellsWhoRuns) {
  add(event(5, EventKind::irq_entry, 1), 3);
  ASSERT_EQ(events_.size(), 2u);
  EXPECT_EQ(events_[0].kind, EventKind::task_switch);
  EXPECT_EQ(events_[0].number, 3);
  EXPECT_EQ(events_[0].tick, 5u);
  add(switch_to(10, 5, "five"), 3);
  switches_.add({.tick = 20, .kind = EventKind::hole}, events_);
  ASSERT_EQ(events_.size(), 4u);
  add(event(30, EventKind::irq_entry, 1), 7);
  ASSERT_EQ(events_.size(), 6u);
  EXPECT_EQ(events_[4].number, 7);
  EXPECT_EQ(events_[4].tick, 30u);
  add(event(40, EventKind::irq_exit, 1), 6);
  EXPECT_EQ(events_.size(), 8u);
}

// A switch tells who comes; and some events do not tell.
TEST_F(Unseen, WhatTellsNothingPutsNothing) {
  add(switch_to(10, 5, "five"), 3);
  EXPECT_EQ(events_.size(), 1u);
  switches_.add({.tick = 20, .kind = EventKind::hole}, events_);
  add(event(30, EventKind::irq_entry, 1), -1);
  EXPECT_EQ(events_.size(), 3u);
  add(event(40, EventKind::irq_exit, 1), 6);
  ASSERT_EQ(events_.size(), 5u);
  EXPECT_EQ(events_[3].tick, 40u) << "and not when nobody told";
}

TEST(ThreadOfProc, HasANameAlsoWhereItHasEnded) {
  EXPECT_EQ(thread_of_proc(::getpid()).name.text(), "attribution_uni");
  EXPECT_EQ(thread_of_proc(0).name.text(), "(unknown)");
}

}  // namespace
}  // namespace maxlat::attribution
