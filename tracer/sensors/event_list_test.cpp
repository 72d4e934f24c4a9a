// SPDX-License-Identifier: MIT
// Lists of events from the program that posts to the monitor that reads: what an event is, its books, and where a post
// goes before its group is published and after a fork.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "sensors/test_events.hpp"
#include "sensors/test_group_copy.hpp"
#include "sensors/test_system_calls.hpp"
#include "shm/container_layout.h"

namespace listed {
enum class Phase : std::int8_t { rest = -1, move = 4 };
}
MAXLAT_TRACE_ENUM(listed::Phase, rest, move)
MAXLAT_TRACE_EVENT(listed, nothing)
MAXLAT_TRACE_EVENT_LEVEL(listed, everything, warning, (std::uint8_t, small),
                         (maxlat::trace::Hex<std::uint32_t>, address), (double, x), (float[2], pair),
                         (listed::Phase, phase), (maxlat::trace::Sequence<std::int16_t, 5>, some),
                         (maxlat::trace::String<11>, text), (std::uint16_t, last))

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using maxlat::trace::FieldKind;
using maxlat::trace::FieldValue;
using maxlat::trace::FieldValues;
using testing::ElementsAre;
using testing::Field;

struct Kinds {
  EventList<8, MAXLAT_LISTED_EVENT(listed, nothing), MAXLAT_LISTED_EVENT(listed, everything)> list{"list", "all kinds"};
  Counter after{"after"};
};

void post_everything(Kinds& kinds, std::string_view text) {
  const std::array<float, 2> pair{0.5f, -2};
  const std::int16_t some[] = {7, -8, 9};
  MAXLAT_POST(kinds.list, listed, everything, 200, 0xabcd, 1.25, pair, listed::Phase::rest, some, text, 4711);
}

TEST(EventList, AMonitorLearnsTheTypesFromTheListItself) {
  TestGroup<Kinds> group;
  const GroupView view = group.view();
  const SensorFacts& facts = facts_of(view, "list");
  EXPECT_EQ(facts.kind, SensorKind::events);
  EXPECT_EQ(facts.about, "all kinds");
  const EventReader reader = view.events(facts);
  ASSERT_EQ(reader.types().size(), 2u);
  EXPECT_EQ(reader.types()[0].name, "nothing");
  EXPECT_TRUE(reader.types()[0].fields.empty());
  const auto& everything = reader.types()[1];
  EXPECT_EQ(everything.provider, "listed");
  EXPECT_EQ(everything.level, maxlat::trace::Level::warning);
  // The same that a trace's metadata is written from.
  EXPECT_EQ(maxlat::trace::detail::fingerprint(everything),
            maxlat::trace::detail::fingerprint(MAXLAT_LISTED_EVENT(listed, everything)::Event::kDescription));
  ASSERT_EQ(everything.fields[4].labels.size(), 2u);
  EXPECT_EQ(everything.fields[4].labels[0].name, "rest");
  EXPECT_EQ(everything.fields[4].labels[0].value, ~0ull);
}

TEST(EventList, EveryKindOfFieldIsReadAsItWasPosted) {
  TestGroup<Kinds> group;
  const GroupView view = group.view();
  EventReader reader = view.events(facts_of(view, "list"));
  for (int lap = 0; lap < 3; ++lap) {  // shorter ones over longer ones, too
    for (const char* text : {"a text of 11", "", "short"}) {
      MAXLAT_POST(group->list, listed, nothing);
      post_everything(*group.operator->(), text);
      ListedEvent event;
      ASSERT_EQ(reader.next(event, 0), EventStep::event);
      EXPECT_EQ(event.type->name, "nothing");
      ASSERT_EQ(reader.next(event, 0), EventStep::event);
      FieldValues values(event.type->fields, event.payload);
      std::map<std::string_view, FieldValue> by_name;
      for (FieldValue value; values.next(value);) by_name[value.field->name] = value;
      ASSERT_FALSE(values.broken());
      ASSERT_EQ(by_name.size(), 8u);
      EXPECT_EQ(by_name["small"].unsigned_at(0), 200u);
      EXPECT_TRUE(by_name["address"].field->is_hex);
      EXPECT_EQ(by_name["address"].unsigned_at(0), 0xabcdu);
      EXPECT_EQ(by_name["x"].floating_at(0), 1.25);
      EXPECT_EQ(by_name["pair"].floating_at(1), -2);
      EXPECT_EQ(by_name["phase"].signed_at(0), -1);
      ASSERT_EQ(by_name["some"].count, 3u);
      EXPECT_EQ(by_name["some"].signed_at(1), -8);
      EXPECT_EQ(by_name["text"].text(), std::string_view(text).substr(0, 11));
      EXPECT_EQ(by_name["last"].unsigned_at(0), 4711u);
      EXPECT_NE(event.ticks, 0u);
      EXPECT_TRUE(event.cpu);
    }
  }
  EXPECT_EQ(value_of<EventsValue>(view, "list").posts, 18u);
  EXPECT_EQ(value_of<EventsValue>(view, "list").slots, 8u);
}

// What was on the stack, or in a register, is nobody's to see.
TEST(EventList, WhatIsBehindTheFieldsIsZero) {
  TestGroup<Kinds> group;
  const GroupView view = group.view();
  EventReader reader = view.events(facts_of(view, "list"));
  post_everything(*group.operator->(), "");
  ListedEvent event;
  ASSERT_EQ(reader.next(event, 0), EventStep::event);
  FieldValues values(event.type->fields, event.payload);
  for (FieldValue value; values.next(value);) {
  }
  for (const std::uint8_t byte : event.payload.last(values.left())) EXPECT_EQ(byte, 0);
}

std::vector<std::uint64_t> numbers_of(const std::vector<Number>& read) {
  std::vector<std::uint64_t> numbers;
  for (const Number& number : read) numbers.push_back(number.n);
  return numbers;
}

TEST(EventList, TheLastOnesAreThereForWhoComesLate) {
  TestGroup<Numbers<kThread, 4>> group;
  for (std::uint64_t n = 1; n <= 10; ++n) group->post(n);
  const GroupView view = group.view();
  NumberReader reader(view);
  EXPECT_EQ(reader.books().pending, 4u);
  EXPECT_THAT(numbers_of(reader.read()), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(reader.books().delivered, 4u);
  EXPECT_EQ(reader.books().posts, 4u);
  EXPECT_THAT(reader.read(), ElementsAre());
  for (std::uint64_t n = 11; n <= 13; ++n) group->post(n);
  EXPECT_THAT(numbers_of(reader.read()), ElementsAre(11, 12, 13));
}

TEST(EventList, WhatAReaderMissedIsInItsBooksAndInNoOthers) {
  TestGroup<Numbers<kThread, 4>> group;
  const GroupView view = group.view();
  NumberReader slow(view), quick(view);
  for (std::uint64_t n = 1; n <= 11; ++n) {
    group->post(n);
    EXPECT_THAT(numbers_of(quick.read()), ElementsAre(n));
  }
  EXPECT_THAT(numbers_of(slow.read()), ElementsAre(8, 9, 10, 11));
  EXPECT_EQ(slow.books().overwritten, 7u);
  EXPECT_EQ(slow.books().posts, 11u);
  EXPECT_EQ(quick.books().overwritten, 0u);
  EXPECT_TRUE(slow.books().balance() && quick.books().balance());
}

TEST(EventList, PostsBeforeTheGroupIsPublishedAreThere) {
  OwnedGroup<Numbers<kThread, 8>> group;
  group->post(1);
  group->post(2);
  ASSERT_TRUE(group.publish("listed_before"));
  group->post(3);
  auto groups = find_groups(getpid());
  ASSERT_TRUE(groups);
  const auto view =
      std::find_if(groups->begin(), groups->end(), [](const auto& g) { return g.group() == "listed_before"; });
  ASSERT_NE(view, groups->end());
  NumberReader reader(*view);
  EXPECT_THAT(numbers_of(reader.read()), ElementsAre(1, 2, 3));
  EXPECT_TRUE(withdraw_group(&group.pages()));
  group->post(4);
  groups->clear();  // a reader keeps what it reads
  EXPECT_THAT(numbers_of(reader.read()), ElementsAre());
  EXPECT_EQ(reader.books().posts, 3u);
}

TEST(EventList, AChildPostsToItsOwn) {
  TestGroup<Numbers<kThread, 8>> group;
  group->post(1);
  const pid_t child = fork();
  if (child == 0) {
    group->post(2);
    if (!group.again()) _exit(1);
    const GroupView mine = group.view();
    _exit(numbers_of(NumberReader(mine).read()) == std::vector<std::uint64_t>{1, 2} ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const GroupView view = group.view();
  EXPECT_THAT(numbers_of(NumberReader(view).read()), ElementsAre(1));
}

// Threads post as fast as they can, and one reader follows them: each post is in its books, and each event it was
// handed is one of them, once, and in its thread's order.
TEST(SharedEventList, TheBooksOfManyThreadsBalance) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint64_t kPosts = 20000;
  TestGroup<Numbers<kShared, 256>> group;
  const GroupView view = group.view();
  NumberReader reader(view);
  std::atomic<std::uint32_t> ended{0};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t n = 1; n <= kPosts; ++n) group->post(n, thread);
      ++ended;
    });
  }
  std::uint64_t last[kThreads]{}, seen = 0;
  for (bool all = false; !all;) {
    all = ended == kThreads;
    for (const Number& number : reader.read()) {
      ++seen;
      ASSERT_LT(number.thread, kThreads);
      if (number.late) continue;
      ASSERT_GT(number.n, last[number.thread]);
      last[number.thread] = number.n;
    }
  }
  for (std::thread& thread : threads) thread.join();
  const EventBooks books = reader.books();
  EXPECT_TRUE(books.balance());
  EXPECT_EQ(books.posts, kThreads * kPosts);
  EXPECT_EQ(books.delivered + books.late, seen);
  EXPECT_EQ(books.pending, 0u);
  EXPECT_EQ(books.open, 0u);
  EXPECT_EQ(value_of<EventsValue>(view, "list").posts, kThreads * kPosts);
}

TEST(SharedEventList, NoPostIsASystemCall) {
  TestGroup<Numbers<kShared, 16>> group;
  TestGroup<Kinds> kinds("kinds");
  const int status = status_without_system_calls([&] {
    for (std::uint64_t n = 1; n <= 100; ++n) {
      group->post(n);
      post_everything(*kinds.operator->(), "in a sealed room");
    }
  });
  if (status == kNoSeccomp) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0) << "a system call";
}

class LyingList : public testing::Test {
 protected:
  LyingList() : copy_(made()) {
    const auto found = std::search(copy_.good().begin(), copy_.good().end(), std::begin("listed"), std::end("listed"));
    types_ = reinterpret_cast<maxlat_event_type*>(copy_.bytes() + (found - copy_.good().begin()));
    list_ = reinterpret_cast<maxlat_event_list*>(types_) - 1;
    fields_ = reinterpret_cast<maxlat_event_field*>(types_ + 2);
  }
  static GroupCopy made() {
    TestGroup<Kinds> group("lying");
    post_everything(*group.operator->(), "");
    return GroupCopy("lying");
  }
  std::string refusal() const {
    const auto view = GroupView::attach(copy_.descriptor());
    return view ? "" : view.error().text;
  }

  // What an attached view sees of one change, which is undone.
  template <class Word>
  std::string refusal_of(Word& word, Word lie) {
    const Word before = std::exchange(word, lie);
    std::string text = refusal();
    word = before;
    return text;
  }

  GroupCopy copy_;
  maxlat_event_list* list_ = nullptr;
  maxlat_event_type* types_ = nullptr;
  maxlat_event_field* fields_ = nullptr;
};

TEST_F(LyingList, TypesThatDoNotFitAreRefused) {
  const std::string kTypes = "the shared memory is not valid: sensor list: its types of events";
  ASSERT_EQ(refusal(), "");
  EXPECT_EQ(refusal_of(types_[1].name[0], '-'), kTypes);
  EXPECT_EQ(refusal_of(types_[1].name[0], '\0'), kTypes);
  EXPECT_EQ(refusal_of(types_[1].fields, 9u), kTypes);
  EXPECT_EQ(refusal_of(types_[1].level, 8u), kTypes);
  EXPECT_EQ(refusal_of(fields_[0].kind, std::uint8_t{6}), kTypes);
  EXPECT_EQ(refusal_of(fields_[0].bytes, std::uint8_t{3}), kTypes);
  EXPECT_EQ(refusal_of(fields_[0].bytes, std::uint8_t{0}), kTypes);
  EXPECT_EQ(refusal_of(fields_[0].bytes, std::uint8_t{16}), kTypes);
  EXPECT_EQ(refusal_of(fields_[2].bytes, std::uint8_t{1}), kTypes) << "a float of one byte";
  EXPECT_EQ(refusal_of(fields_[3].count, std::uint16_t{60000}), kTypes) << "an array larger than the slot";
  EXPECT_EQ(refusal_of(fields_[4].labels, std::uint16_t{3}), kTypes);
  EXPECT_EQ(refusal_of(fields_[0].labels, std::uint16_t{1}), kTypes) << "labels of an integer";
}

TEST_F(LyingList, ShapesOfAnotherSizeAreRefused) {
  const std::string kSize = "the shared memory is not valid: sensor list: its size";
  for (const std::uint64_t slots : {0ull, 7ull, 16ull, 1ull << 40})
    EXPECT_EQ(refusal_of(list_->sensor.shape[0], slots), kSize);
  const std::uint64_t word = list_->sensor.shape[1];
  const std::uint64_t kOne = 1;
  for (const std::uint64_t off : {0 - word, kOne << 3, kOne << 5, 0 - (kOne << 5), kOne << 16, kOne << 32, kOne << 49})
    EXPECT_EQ(refusal_of(list_->sensor.shape[1], word + off), kSize) << off;
}

// Each entry of a table would cost a reader what its list's types take.
TEST_F(LyingList, EntriesOfOnePlaceAreRefused) {
  auto& header = *reinterpret_cast<maxlat_shm_header*>(copy_.bytes());
  auto* const entries = reinterpret_cast<maxlat_shm_entry*>(copy_.bytes() + header.table_offset);
  ASSERT_EQ(refusal(), "");
  const std::uint64_t most = header.head_size / entries[0].size;  // of this size can lie side by side
  header.table_capacity = static_cast<std::uint32_t>(most + 1);
  ASSERT_LE(header.table_offset + header.table_capacity * sizeof *entries, MAXLAT_SHM_PAGE);
  for (std::uint32_t i = 1; i <= most; ++i) {
    entries[i] = entries[0];
    entries[i].name[0] = static_cast<char>('a' + i);
  }
  EXPECT_EQ(refusal(), "the shared memory is not valid: its objects overlap");
}

TEST_F(LyingList, PositionsFromNowhereKeepNoReader) {
  const auto view = GroupView::attach(copy_.descriptor());
  ASSERT_TRUE(view);
  for (const std::uint64_t lie : {0ull, 1ull << 40, 1ull << 63, ~0ull, 0ull}) {
    EventReader reader = view->events(facts_of(*view, "list"));
    list_->next = lie;
    ListedEvent event;
    int calls = 0;
    while (calls < 100 && reader.next(event, 0) != EventStep::none) ++calls;
    EXPECT_LT(calls, 100) << lie;
  }
  list_->next = 1;
  EventReader reader = view->events(facts_of(*view, "list"));
  auto& slot = *reinterpret_cast<maxlat_event_slot*>(
      reinterpret_cast<std::uint8_t*>(list_) +
      maxlat_event_slots_offset(maxlat_event_shape_of(8, list_->sensor.shape[1])));
  slot.type = 2;
  ListedEvent event;
  ASSERT_EQ(reader.next(event, 0), EventStep::event);
  EXPECT_EQ(event.type, nullptr);
}

// A writer that never came back, in the slot of the first event of each lap.
TEST_F(LyingList, AnEventThatIsNotDoneIsWaitedForAndThenLate) {
  const auto view = GroupView::attach(copy_.descriptor());
  ASSERT_TRUE(view);
  auto& slot = *reinterpret_cast<maxlat_event_slot*>(
      reinterpret_cast<std::uint8_t*>(list_) +
      maxlat_event_slots_offset(maxlat_event_shape_of(8, list_->sensor.shape[1])));
  slot.stamp = maxlat_event_written(0);
  EventReader reader = view->events(facts_of(*view, "list"), 100);
  ListedEvent event;
  EXPECT_EQ(reader.next(event, 1000), EventStep::none);
  EXPECT_EQ(reader.books().pending, 1u);
  EXPECT_EQ(reader.next(event, 1099), EventStep::none);
  EXPECT_EQ(reader.books().open, 0u);
  EXPECT_EQ(reader.next(event, 1100), EventStep::none);
  EXPECT_EQ(reader.books().open, 1u);
  slot.stamp = maxlat_event_whole(0);
  ASSERT_EQ(reader.next(event, 1101), EventStep::event);
  EXPECT_TRUE(event.late);
  EXPECT_EQ(reader.books().late, 1u);
  EXPECT_TRUE(reader.books().balance());
}

}  // namespace
