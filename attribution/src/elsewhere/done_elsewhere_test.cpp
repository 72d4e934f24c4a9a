// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/attribution/done_elsewhere.hpp>

#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using test::event;
using testing::ElementsAre;

KernelEvent woken(uint64_t tick) {
  return event(tick, EventKind::woken_elsewhere, 5);
}

std::vector<uint64_t> ticks_of(const std::vector<KernelEvent>& events) {
  std::vector<uint64_t> ticks;
  for (const KernelEvent& one : events) ticks.push_back(one.tick);
  return ticks;
}

class Turns : public testing::Test {
 protected:
  void turn(uint64_t began, bool whole, const std::vector<KernelEvent>& done, uint64_t until = 1000) {
    turns_.add({began, whole, until}, done, events_);
  }

  ElsewhereTurns turns_;
  std::vector<KernelEvent> events_{event(100, EventKind::page_fault), event(200, EventKind::page_fault),
                                   event(300, EventKind::page_fault)};
};

TEST_F(Turns, WhatWasDoneStandsWhereItBelongs) {
  turn(250, true, {woken(50), woken(150), woken(200), woken(350)});
  EXPECT_THAT(ticks_of(events_), ElementsAre(50, 100, 150, 200, 200, 300, 350));
  EXPECT_EQ(events_[4].kind, EventKind::woken_elsewhere) << "behind what has the same time";
  turn(400, true, {woken(240)});  // it was on its way when the turn before was read
  EXPECT_THAT(ticks_of(events_), ElementsAre(50, 100, 150, 200, 200, 240, 300, 350));
  turn(500, true, {});
  EXPECT_EQ(events_.size(), 8u);
}

// The defect that this is for: the CPU's own next events stood behind later ones.
TEST_F(Turns, WhatIsLaterThanTheCpusOwnEventsWaitsForThem) {
  turn(350, true, {woken(310), woken(330)}, 320);
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 200, 300, 310));
  events_.push_back(event(325, EventKind::page_fault));
  turn(450, true, {woken(327)}, 340);
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 200, 300, 310, 325, 327, 330));
}

TEST_F(Turns, WhereSomeIsLostNothingOfTheTurnCounts) {
  turn(150, true, {woken(110), woken(160)});
  turn(250, false, {woken(210)});
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 110, 150, 200, 300));
  EXPECT_EQ(events_[2].kind, EventKind::lost_elsewhere);
  turn(350, true, {woken(240), woken(250), woken(260)});
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 110, 150, 200, 260, 300)) << "until 250 others are missing";
}

TEST_F(Turns, WhatIsLostLaterThanTheCpusOwnEventsWaitsForThem) {
  turn(350, true, {woken(345), woken(360)}, 320);
  turn(450, false, {}, 320);
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 200, 300));
  events_.push_back(event(355, EventKind::page_fault));
  turn(550, true, {}, 400);
  EXPECT_THAT(ticks_of(events_), ElementsAre(100, 200, 300, 345, 350, 355));
  EXPECT_EQ(events_[4].kind, EventKind::lost_elsewhere);
}

TEST_F(Turns, LostBeforeAnythingWasRead) {
  turn(150, false, {woken(110)});
  EXPECT_THAT(ticks_of(events_), ElementsAre(0, 100, 200, 300));
  EXPECT_EQ(events_[0].kind, EventKind::lost_elsewhere);
}

}  // namespace
}  // namespace maxlat::attribution
