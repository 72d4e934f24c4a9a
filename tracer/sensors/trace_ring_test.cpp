// SPDX-License-Identifier: MIT
// A trace in a group, from the program that posts to a monitor that cannot write to it: what it reads, and what it
// knows of what it missed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/ring/commit.h>
#include <maxlat/ring/record_write.h>

#include <atomic>
#include <cstring>
#include <map>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/trace_ring.hpp>
#include <memory>
#include <string>
#include <thread>

#include "sensors/test_events.hpp"
#include "sensors/test_group_copy.hpp"
#include "sensors/test_trace_ring.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using maxlat::trace::FieldValue;
using maxlat::trace::FieldValues;

TEST(TraceRing, IsARingAsTheTracerMakesIt) {
  using Words = detail::RingWords<8, 1024>;
  const auto words = std::make_unique<Words>();
  const maxlat_ring_options options{MAXLAT_RING_OVERWRITE, Words::kSubBufferBits, Words::kRingBits, 0, {}, 0};
  ASSERT_EQ(maxlat_ring_size(&options), sizeof(Words));
  const auto made = std::make_unique<std::uint64_t[]>(sizeof(Words) / sizeof(std::uint64_t));
  maxlat_ring ring;
  ASSERT_TRUE(maxlat_ring_create(&ring, made.get(), sizeof(Words), &options));
  EXPECT_EQ(std::memcmp(made.get(), words.get(), Words::kMemory), 0);
  maxlat_ring attached;
  EXPECT_TRUE(maxlat_ring_attach(&attached, words.get(), sizeof(Words)));
}

TEST(TraceRing, AMonitorReadsItAsAListOfEvents) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  const SensorFacts& facts = facts_of(view, "list");
  EXPECT_EQ(facts.kind, SensorKind::events);
  EXPECT_STREQ(word_of(facts.kind), "events");
  EXPECT_EQ(facts.about, "what it did");
  EventReader reader = view.events(facts);
  ASSERT_EQ(reader.types().size(), 2u);
  ListedEvent event;
  EXPECT_EQ(reader.next(event, 0), EventStep::none);
  for (const char* text : {"one", "", "a text that is as long as it may be, so..."}) {
    MAXLAT_POST(group->list, traced, said, text, 200);
    group->post(5);
    ASSERT_EQ(reader.next(event, 0), EventStep::event);
    ASSERT_EQ(event.type, &reader.types()[0]);
    FieldValues values(event.type->fields, event.payload);
    FieldValue value;
    ASSERT_TRUE(values.next(value));
    EXPECT_EQ(value.text(), std::string_view(text).substr(0, 40));
    ASSERT_TRUE(values.next(value));
    EXPECT_EQ(value.unsigned_at(0), 200u);
    EXPECT_NE(event.ticks, 0u);
    EXPECT_TRUE(event.cpu);
    for (const std::uint8_t byte : event.payload.last(values.left())) EXPECT_EQ(byte, 0);
    ASSERT_EQ(reader.next(event, 0), EventStep::event);
    EXPECT_EQ(event.type, &reader.types()[1]);
    EXPECT_EQ(reader.next(event, 0), EventStep::none);
  }
  const auto value = value_of<EventsValue>(view, "list");
  EXPECT_EQ(value.posts, 6u);
  EXPECT_EQ(value.bytes, 4u * (256 - 112));
  EXPECT_EQ(value_of<CounterValue>(view, "after").value, 0u);
}

// RETURNS: the numbers, of which each is one more than the one before.
std::pair<std::uint64_t, std::uint64_t> first_and_last(const std::vector<Number>& read) {
  for (std::size_t i = 1; i < read.size(); ++i) EXPECT_EQ(read[i].n, read[i - 1].n + 1);
  return read.empty() ? std::pair(std::uint64_t{0}, std::uint64_t{0}) : std::pair(read.front().n, read.back().n);
}

// Numbers as large words, whole, in order; the payload of a trace is that of a list.
TEST(TraceRing, WhatIsStillThereIsThereForWhoComesLate) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  for (std::uint64_t posts = 1; posts <= 40; ++posts) {
    group->post(posts);
    NumberReader late(view);
    const auto read = late.read();
    ASSERT_EQ(first_and_last(read).second, posts);
    // A packet that was opened has taken the oldest one's place.
    const std::uint64_t packets = (posts + kOfSmall - 1) / kOfSmall;
    ASSERT_EQ(read.front().n, packets <= 4 ? 1 : (packets - 4) * kOfSmall + 1);
    const EventBooks books = late.books();
    ASSERT_TRUE(books.balance());
    ASSERT_EQ(books.delivered, read.size());
    ASSERT_EQ(books.lost() + books.pending + books.open, 0u) << posts;
  }
}

TEST(TraceRing, AReaderKnowsToTheRecordWhatItMissed) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  for (std::uint64_t before = 0; before <= 14; ++before) {
    for (std::uint64_t between = 0; between <= 30; between += 1 + between / 8) {
      NumberReader reader(view);
      std::uint64_t delivered = reader.read().size();
      std::uint64_t n = 0, last = 0;
      const auto post = [&](std::uint64_t times) {
        for (; times > 0; --times) group->post(++n);
      };
      const auto read = [&] {
        for (const Number& number : reader.read()) {
          ASSERT_GT(number.n, last);
          last = number.n;
          ++delivered;
        }
      };
      const std::uint64_t found = reader.books().posts;
      post(before);
      read();
      post(between);
      EXPECT_EQ(reader.books().posts, found + n);
      read();
      post(2);
      read();
      ASSERT_EQ(last, n);
      const EventBooks books = reader.books();
      ASSERT_EQ(books.posts, found + n) << before << " " << between;
      ASSERT_EQ(books.delivered, delivered);
      ASSERT_EQ(books.overwritten, found + n - delivered) << before << " " << between;
      ASSERT_EQ(books.pending + books.open + books.dropped + books.unfinished, 0u);
    }
  }
}

// A post that a reader meets in the middle: begun, and ended by the test.
TEST(TraceRing, APostUnderWayHoldsUpWhatIsBehindIt) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  NumberReader reader(view);
  const maxlat_ring ring = group->ring();
  group->post(1);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
  group->post(3);
  EXPECT_TRUE(reader.read().empty());
  EXPECT_EQ(reader.books().pending, 2u);
  const std::uint64_t fields[] = {0, 2, ~2ull, 0};
  std::memcpy(record.payload, fields, sizeof fields);
  maxlat_ring_record_end(MAXLAT_RING_THREAD, &ring, &record);
  EXPECT_EQ(first_and_last(reader.read()), std::pair(std::uint64_t{1}, std::uint64_t{3}));
  EXPECT_EQ(reader.books().pending, 0u);
}

TEST(TraceRing, OfAProgramThatDiedInAPostAllBeforeItIsRead) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  EventReader reader = view.events(facts_of(view, "list"));
  const maxlat_ring ring = group->ring();
  for (std::uint64_t n = 1; n <= 4; ++n) group->post(n);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
  group->post(6);
  std::vector<std::uint64_t> read;
  const auto take = [&](const ListedEvent& event) {
    std::uint64_t n;
    std::memcpy(&n, event.payload.data(), sizeof n);
    read.push_back(n);
  };
  reader.read_all(0, false, take);
  EXPECT_THAT(read, testing::ElementsAre(1, 2, 3));
  reader.read_all(0, true, take);
  EXPECT_THAT(read, testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(reader.books().unfinished, 1u);  // behind it
  EXPECT_EQ(reader.books().pending, 0u);
  EXPECT_TRUE(reader.books().balance());
}

// The record was finished and is read; its program was killed before it counted that. No book goes below zero.
TEST(TraceRing, OfAProgramThatDiedBeforeItCountedItsPostTheBooksBalance) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  EventReader reader = view.events(facts_of(view, "list"));
  const maxlat_ring ring = group->ring();
  for (std::uint64_t n = 1; n <= 4; ++n) group->post(n);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
  const std::uint64_t packet = maxlat_ring_packet_number(&ring.shape, record.slot.position);
  maxlat_ring_record_finish(record.slot.bytes, maxlat_ring_record_word(record.kind, packet, record.slot.time));
  std::uint64_t read = 0;
  for (int looks = 0; looks < 2; ++looks) reader.read_all(0, true, [&](const ListedEvent&) { ++read; });
  EXPECT_EQ(read, 5u);
  const EventBooks books = reader.books();
  EXPECT_EQ(books.delivered, 5u);
  EXPECT_EQ(books.unfinished, 0u);
  EXPECT_EQ(books.posts, 5u);
  EXPECT_EQ(books.pending, 0u);
}

// A defect: a packet was counted twice, or not at all, while it was being delivered.
TEST(TraceRing, ItsPostsDoNotHangOnHowFarADeliveryIs) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  for (std::uint64_t n = 1; n <= 50; ++n) group->post(n);
  const maxlat_ring ring = group->ring();
  ASSERT_EQ(value_of<EventsValue>(view, "list").posts, 50u);
  ring.header->records_delivered -= kOfSmall;  // published, and not counted yet
  EXPECT_EQ(value_of<EventsValue>(view, "list").posts, 50u);
}

TEST(TraceRing, APostThatComesRoundToTheOneItInterruptedIsDropped) {
  TestGroup<Small> group;
  const GroupView view = group.view();
  NumberReader reader(view);
  const maxlat_ring ring = group->ring();
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
  for (std::uint64_t n = 2; n <= 4 * kOfSmall + 5; ++n) group->post(n);
  EXPECT_EQ(reader.books().dropped, 5u);
  const std::uint64_t fields[] = {0, 1, ~1ull, 0};
  std::memcpy(record.payload, fields, sizeof fields);
  maxlat_ring_record_end(MAXLAT_RING_THREAD, &ring, &record);
  EXPECT_EQ(first_and_last(reader.read()), std::pair(std::uint64_t{1}, 4 * kOfSmall));
  const EventBooks books = reader.books();
  EXPECT_EQ(books.posts, 4 * kOfSmall + 5);
  EXPECT_EQ(books.posts, value_of<EventsValue>(view, "list").posts);
  EXPECT_TRUE(books.balance());
}

// A place counts 24 bits of records; what goes round in them is known from the count of all.
TEST(TraceRing, MoreThanAPlaceCountsIsNotLostFromTheBooks) {
  TestGroup<Small> group;
  for (std::uint64_t n = 1; n <= 20; ++n) group->post(n);
  GroupCopy copy("test");
  const auto view = GroupView::attach(copy.descriptor());
  ASSERT_TRUE(view) << view.error().text;
  NumberReader reader(*view);
  const std::size_t read = reader.read().size();
  // The group begins behind the container's head, and is as it is here.
  const auto* const words = reinterpret_cast<const std::uint8_t*>(group.operator->());
  const maxlat_ring ring = group->ring();
  const auto at = reinterpret_cast<const std::uint8_t*>(ring.header) - words;
  for (std::uint8_t* where = copy.bytes(); where < copy.bytes() + copy.good().size(); where += 64) {
    auto* const header = reinterpret_cast<maxlat_ring_header*>(where);
    if (header->magic != MAXLAT_RING_MAGIC) continue;
    EXPECT_GT(where - copy.bytes(), at);
    header->records_delivered += 3ull << 24;
  }
  EXPECT_TRUE(reader.read().empty());
  EXPECT_EQ(reader.books().overwritten, 3ull << 24);
  EXPECT_EQ(reader.books().delivered, read);
  EXPECT_TRUE(reader.books().balance());
}

TEST(TraceRing, AnotherRingThanTheHeadSaysIsRefused) {
  TestGroup<Small> group;
  GroupCopy copy("test");
  for (std::uint8_t* where = copy.bytes(); where < copy.bytes() + copy.good().size(); where += 64) {
    auto* const header = reinterpret_cast<maxlat_ring_header*>(where);
    if (header->magic == MAXLAT_RING_MAGIC) header->features = 0;
  }
  const auto view = GroupView::attach(copy.descriptor());
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().text, testing::HasSubstr("sensor list: its ring"));
}

// What a reader gives is whole and in order while the program goes round and round below it; and in the end nothing is
// missing from its books.
TEST(TraceRing, AReaderFollowsAProgramThatGoesOn) {
  constexpr std::uint64_t kPosts = 300'000;
  TestGroup<Traced<4, 4096>> group;
  const GroupView view = group.view();
  NumberReader reader(view);
  std::atomic<bool> ended = false;
  std::thread program([&] {
    for (std::uint64_t n = 1; n <= kPosts; ++n) group->post(n);
    ended = true;
  });
  std::uint64_t last = 0, delivered = 0;
  for (bool once_more = true; once_more;) {
    once_more = !ended;
    for (const Number& number : reader.read()) {
      ASSERT_GT(number.n, last);
      last = number.n;
      ++delivered;
    }
    ASSERT_TRUE(reader.books().balance());
  }
  program.join();
  for (const Number& number : reader.read()) {
    last = number.n;
    ++delivered;
  }
  EXPECT_EQ(last, kPosts);
  const EventBooks books = reader.books();
  EXPECT_EQ(books.posts, kPosts);
  EXPECT_EQ(books.delivered, delivered);
  EXPECT_EQ(books.overwritten, kPosts - delivered);
  EXPECT_EQ(books.pending, 0u);
}

}  // namespace
