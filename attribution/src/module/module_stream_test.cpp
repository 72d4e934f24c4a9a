// SPDX-License-Identifier: MIT
//
// Records as the module writes them, by hand; nobody else's name may have a loss.
#include "module_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

namespace maxlat::attribution {
namespace {

using testing::ElementsAre;

std::vector<EventKind> kinds_of(const std::vector<KernelEvent>& events) {
  std::vector<EventKind> kinds;
  for (const KernelEvent& event : events) kinds.push_back(event.kind);
  return kinds;
}

class ModuleStreamTest : public testing::Test {
 protected:
  template <class Fields>
  void take(uint64_t tick, uint32_t id, const Fields& fields, uint64_t lost_before = 0) {
    std::vector<uint8_t>& bytes = payloads_.emplace_back(sizeof fields);
    std::memcpy(bytes.data(), &fields, sizeof fields);
    trace::KernelRecord record{
        .tick = tick, .cpu = 3, .type = &trace::kernel_event_types()[id - 1], .payload = bytes.data()};
    record.lost_before = lost_before;
    stream_.take(record, decoder_, events_);
  }
  void take_switch(uint64_t tick, int32_t from, int32_t to, uint64_t lost_before = 0) {
    take(tick, MAXLAT_KERNEL_sched_switch, maxlat_kernel_sched_switch{"from", from, 120, 0, "to", to, 120},
         lost_before);
  }
  void take_interrupt(uint64_t tick, uint64_t lost_before = 0) {
    take(tick, MAXLAT_KERNEL_irq_work_entry, maxlat_kernel_irq_vector{0xf6}, lost_before);
  }
  // In which thread the last event was recorded, as far as it is known.
  int32_t running() const { return events_.back().running; }

  const ModuleEvents decoder_;
  std::deque<std::vector<uint8_t>> payloads_;
  std::vector<KernelEvent> events_;
  ModuleStream stream_{[](int32_t) { return UnseenSwitches::Thread{.name = ShortName("looked up")}; }};
};

TEST_F(ModuleStreamTest, WhoRunsIsKnownFromTheFirstSwitchOn) {
  take_interrupt(100);
  EXPECT_EQ(running(), -1);
  take_switch(200, 5, 77);
  take_interrupt(300);
  EXPECT_EQ(running(), 77);
  EXPECT_THAT(kinds_of(events_), testing::Not(testing::Contains(EventKind::hole)));
}

TEST_F(ModuleStreamTest, WhatARecordTellsAsLostIsAHoleBeforeIt) {
  take_switch(200, 5, 77);
  events_.clear();
  take_interrupt(300, 4);
  EXPECT_THAT(kinds_of(events_), ElementsAre(EventKind::hole, EventKind::vector_entry));
  EXPECT_EQ(events_[0].tick, 300u);
  EXPECT_EQ(running(), -1) << "a switch may be among what is lost";
  take_switch(400, 8, 9);
  take_interrupt(500);
  EXPECT_EQ(running(), 9);
}

// A defect: holes and switches that no record tells of were counted as events that were read.
TEST_F(ModuleStreamTest, OnlyWhatWasRecordedIsCounted) {
  take_switch(200, 5, 77);
  take_interrupt(300, 4);
  take_switch(350, 77, 78);
  take_switch(400, 8, 9);  // from another than the last one left to: that one was not recorded
  stream_.end_of_read(450, 2, events_);
  EXPECT_EQ(stream_.taken(), 4u);
  EXPECT_EQ(events_.size(), 4u + 2 + 1) << "two holes and a switch";
}

// A switch behind a loss tells who leaves: nothing is made up for what was before.
TEST_F(ModuleStreamTest, ASwitchBehindALossBeginsAnew) {
  take_switch(200, 5, 77);
  events_.clear();
  take_switch(300, 8, 9, 1);
  EXPECT_THAT(kinds_of(events_), ElementsAre(EventKind::hole, EventKind::task_switch));
  EXPECT_EQ(events_[1].number, 9);
}

TEST_F(ModuleStreamTest, ARecordOfNoEventOfOursIsAHole) {
  take_switch(200, 5, 77);
  events_.clear();
  take(300, MAXLAT_KERNEL_tick_stop, maxlat_kernel_tick_stop{1, 0});
  EXPECT_THAT(kinds_of(events_), ElementsAre(EventKind::hole));
  take_interrupt(400);
  EXPECT_EQ(running(), -1);
}

// The ring was full when it was read: the loss is told by the next record only, and that may come behind a gap's end.
TEST_F(ModuleStreamTest, WhatIsLostAheadIsAHoleAtTheEndOfTheRead) {
  take_switch(200, 5, 77);
  events_.clear();
  stream_.end_of_read(250, 0, events_);
  EXPECT_TRUE(events_.empty()) << "nothing is lost";
  stream_.end_of_read(250, 3, events_);
  ASSERT_THAT(kinds_of(events_), ElementsAre(EventKind::hole));
  EXPECT_EQ(events_[0].tick, 250u);
  take_interrupt(300);
  EXPECT_EQ(running(), -1);
}

// What was read is from before the loss: a hole never goes back behind it.
TEST_F(ModuleStreamTest, AHoleIsNotBeforeWhatWasRead) {
  take_switch(500, 5, 77);
  stream_.end_of_read(450, 1, events_);
  EXPECT_EQ(events_.back().kind, EventKind::hole);
  EXPECT_EQ(events_.back().tick, 500u);
}

}  // namespace
}  // namespace maxlat::attribution
