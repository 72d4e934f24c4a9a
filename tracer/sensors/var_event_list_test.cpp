// SPDX-License-Identifier: MIT
// Lists whose events vary in size, from the program that posts to the monitor that reads: against a model that keeps
// the last ones, what is refused, who comes late, and memory that lies.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string>

#include "sensors/test_events.hpp"
#include "sensors/test_group_copy.hpp"
#include "sensors/test_system_calls.hpp"

MAXLAT_TRACE_EVENT(varied, said, (std::uint64_t, n), (maxlat::trace::String<300>, text))
MAXLAT_TRACE_EVENT(varied, bytes, (maxlat::trace::Sequence<std::uint8_t, 500>, some))
MAXLAT_TRACE_EVENT(varied, nothing)

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using maxlat::trace::FieldValue;
using maxlat::trace::FieldValues;
using testing::ElementsAre;

template <std::size_t kSlots, std::size_t kBytes>
struct Said {
  VarEventList<kSlots, kBytes, MAXLAT_LISTED_EVENT(varied, said), MAXLAT_LISTED_EVENT(varied, bytes),
               MAXLAT_LISTED_EVENT(varied, nothing)>
      list{"list", "what was said"};
  Counter after{"after"};

  void say(std::uint64_t n, const std::string& text) { MAXLAT_POST(list, varied, said, n, text); }
};

class SaidReader {
 public:
  explicit SaidReader(const GroupView& view) : reader_(view.events(facts_of(view, "list"))) {}

  // The texts of `said`, "bytes" with their number, "nothing".
  std::vector<std::string> read() {
    std::vector<std::string> all;
    ListedEvent event;
    for (EventStep step = EventStep::again; step != EventStep::none;) {
      step = reader_.next(event, ++now_ns_);
      if (step != EventStep::event) continue;
      FieldValues values(event.type->fields, event.payload);
      std::string text(event.type->name == "said" ? "" : event.type->name);
      for (FieldValue value; values.next(value);) {
        if (value.field->name == "text") text = value.text();
        if (value.field->name == "some") text += std::to_string(value.count);
      }
      EXPECT_FALSE(values.broken());
      EXPECT_LT(values.left(), 8u) << "no more than fills up a word";
      all.push_back(text);
    }
    return all;
  }
  EventBooks books() const { return reader_.books(); }

 private:
  EventReader reader_;
  std::uint64_t now_ns_ = 0;
};

std::string text_of(std::mt19937_64& random, std::size_t most) {
  std::string text;
  for (std::size_t left = random() % (most + 1); left > 0; --left) text += static_cast<char>('a' + random() % 26);
  return text;
}

TEST(VarEventList, TheLastOnesThatHaveRoomAreThere) {
  constexpr std::size_t kSlots = 16, kBytes = 1024;
  TestGroup<Said<kSlots, kBytes>> group;
  const GroupView view = group.view();
  std::mt19937_64 random(1);
  std::deque<std::string> posted;  // all that could still be there
  for (std::uint64_t n = 1; n <= 3000; ++n) {
    posted.push_back(text_of(random, n % 3 == 0 ? 300 : 20));
    if (posted.size() > kSlots) posted.pop_front();
    group->say(n, posted.back());
    // The newest whose sizes, in multiples of 8, do not go beyond the ring.
    std::size_t bytes = 0, there = 0;
    for (auto text = posted.rbegin(); text != posted.rend(); ++text, ++there) {
      bytes += (8 + text->size() + 1 + 7) / 8 * 8;
      if (bytes > kBytes) break;
    }
    SaidReader late(view);
    const std::vector<std::string> seen = late.read();
    ASSERT_EQ(seen, std::vector<std::string>(posted.end() - static_cast<std::ptrdiff_t>(there), posted.end())) << n;
    ASSERT_EQ(late.books().posts, there) << n << ": what was gone before is not in its books";
    ASSERT_EQ(late.books().delivered, there) << n;
  }
}

TEST(VarEventList, AReaderThatKeepsUpSeesAllAndOneThatDoesNotCounts) {
  TestGroup<Said<64, 256>> group;
  const GroupView view = group.view();
  SaidReader quick(view), slow(view);
  std::mt19937_64 random(2);
  for (std::uint64_t n = 1; n <= 1000; ++n) {
    const std::string text = text_of(random, 100);
    group->say(n, text);
    ASSERT_THAT(quick.read(), ElementsAre(text));
  }
  const std::size_t seen = slow.read().size();
  EXPECT_EQ(slow.books().posts, 1000u);
  EXPECT_EQ(slow.books().delivered, seen);
  EXPECT_EQ(slow.books().overwritten, 1000 - seen);
  EXPECT_LT(seen, 30u);
  EXPECT_EQ(quick.books().overwritten, 0u);
  EXPECT_TRUE(quick.books().balance() && slow.books().balance());
}

// A defect: gcc 12 warned of each short one.
TEST(VarEventList, ALiteralIsATextAsAnyOther) {
  TestGroup<Said<16, 1024>> group;
  MAXLAT_POST(group->list, varied, said, 1u, "hi");
  MAXLAT_POST(group->list, varied, said, 2u, "hello");
  EXPECT_THAT(SaidReader(group.view()).read(), ElementsAre("hi", "hello"));
}

TEST(VarEventList, TypesOfAnySizeAreInOneList) {
  TestGroup<Said<8, 1024>> group;
  const GroupView view = group.view();
  SaidReader reader(view);
  const std::array<std::uint8_t, 500> bytes{};
  MAXLAT_POST(group->list, varied, nothing);
  MAXLAT_POST(group->list, varied, bytes, std::span(bytes).first(3));
  MAXLAT_POST(group->list, varied, bytes, bytes);
  group->say(1, "a text");
  MAXLAT_POST(group->list, varied, nothing);
  EXPECT_THAT(reader.read(), ElementsAre("nothing", "bytes3", "bytes500", "a text", "nothing"));
  EXPECT_EQ(facts_of(view, "list").kind, SensorKind::events);
  EXPECT_FALSE(facts_of(view, "list").shared);
  EXPECT_EQ(value_of<EventsValue>(view, "list").bytes, 1024u);
  EXPECT_EQ(value_of<EventsValue>(view, "list").slots, 8u);
}

TEST(VarEventList, WhatIsLargerThanTheListIsRefusedAndCounted) {
  TestGroup<Said<8, 128>> group;
  const GroupView view = group.view();
  SaidReader reader(view);
  const std::string just_right(128 - 8 - 1, 'x');
  group->say(1, just_right);
  group->say(2, just_right + "x");
  group->say(3, "after");
  EXPECT_THAT(reader.read(), ElementsAre("after"));
  EXPECT_EQ(reader.books().posts, 3u);
  EXPECT_EQ(reader.books().dropped, 1u);
  EXPECT_EQ(reader.books().overwritten, 1u);
  EXPECT_EQ(value_of<EventsValue>(view, "list").refused, 1u);
  EXPECT_EQ(value_of<EventsValue>(view, "list").posts, 3u);
  group->say(4, just_right);
  EXPECT_THAT(reader.read(), ElementsAre(just_right));
}

// Handlers that never came back: so many, and no more, are looked at by each post.
TEST(VarEventList, MorePostsThatWereLeftThanAreAskedCostAllThatCome) {
  TestGroup<Said<64, 8192>> group;
  const GroupView view = group.view();
  SaidReader reader(view);
  auto& list = reinterpret_cast<maxlat_event_list&>(group->list);
  const auto shape = maxlat_event_shape_of(list.sensor.shape[0], list.sensor.shape[1]);
  auto* const slots = reinterpret_cast<std::uint8_t*>(&list) + maxlat_event_slots_offset(shape);
  maxlat_var_event_place left;
  const auto leave_one = [&] {
    return maxlat_var_event_claim(&list, {slots, shape.slots, shape.slot_size},
                                  {slots + shape.slots * shape.slot_size, shape.ring}, 8, &left);
  };
  for (unsigned i = 0; i < MAXLAT_EVENT_NESTED; ++i) ASSERT_TRUE(leave_one()) << i;
  group->say(1, "still");
  EXPECT_TRUE(leave_one());
  group->say(2, "not any more");
  EXPECT_THAT(reader.read(), ElementsAre("still"));
  EXPECT_EQ(reader.books().dropped, 1u);
}

TEST(VarEventList, NoPostIsASystemCall) {
  TestGroup<Said<8, 512>> group;
  const int status = status_without_system_calls([&] {
    for (std::uint64_t n = 1; n <= 100; ++n) group->say(n, "in a sealed room");
  });
  if (status == kNoSeccomp) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0) << "a system call";
}

class LyingVarList : public testing::Test {
 protected:
  LyingVarList() : copy_(made()) {
    const auto found = std::search(copy_.good().begin(), copy_.good().end(), std::begin("varied"), std::end("varied"));
    list_ = reinterpret_cast<maxlat_event_list*>(copy_.bytes() + (found - copy_.good().begin())) - 1;
    const auto shape = maxlat_event_shape_of(list_->sensor.shape[0], list_->sensor.shape[1]);
    slot_ = reinterpret_cast<maxlat_var_event_slot*>(reinterpret_cast<std::uint8_t*>(list_) +
                                                     maxlat_event_slots_offset(shape));
  }
  static GroupCopy made() {
    TestGroup<Said<8, 128>> group("lying");
    group->say(1, "the truth");
    return GroupCopy("lying");
  }

  GroupCopy copy_;
  maxlat_event_list* list_ = nullptr;
  maxlat_var_event_slot* slot_ = nullptr;
};

TEST_F(LyingVarList, ShapesOfNoRingAreRefused) {
  const std::uint64_t sizes = list_->sensor.shape[0];
  for (const std::uint64_t ring : {0ull, 32ull, 96ull, 256ull, 1ull << 31}) {
    list_->sensor.shape[0] = (sizes & 0xffffffff) | ring << 32;
    const auto view = GroupView::attach(copy_.descriptor());
    ASSERT_FALSE(view) << ring;
    EXPECT_EQ(view.error().text, "the shared memory is not valid: sensor list: its size");
  }
}

TEST_F(LyingVarList, SizesAndPlacesFromNowhereAreNoEvents) {
  const auto view = GroupView::attach(copy_.descriptor());
  ASSERT_TRUE(view);
  ASSERT_THAT(SaidReader(*view).read(), ElementsAre("the truth"));
  const std::uint64_t size = slot_->size, begin = slot_->begin;
  for (const std::uint64_t lie : {size + 1, std::uint64_t{136}, std::uint64_t{1} << 40, MAXLAT_VAR_EVENT_DROPPED - 7}) {
    slot_->size = lie;
    SaidReader reader(*view);
    EXPECT_THAT(reader.read(), ElementsAre()) << lie;
    EXPECT_TRUE(reader.books().balance());
    EXPECT_EQ(reader.books().overwritten, 1u) << lie;
  }
  slot_->size = MAXLAT_VAR_EVENT_DROPPED;
  SaidReader dropped(*view);
  EXPECT_THAT(dropped.read(), ElementsAre());
  EXPECT_EQ(dropped.books().dropped, 1u);
  slot_->size = size;
  slot_->begin = begin + 128;
  EXPECT_THAT(SaidReader(*view).read(), ElementsAre()) << "what has not been claimed yet";
}

}  // namespace
