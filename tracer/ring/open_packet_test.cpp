// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What a reader has of packets that nobody delivered: the prefix of a live ring, and what dead writers left.
#include <gtest/gtest.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "test_event_probe.h"
#include "test_memory.hpp"

namespace {

using namespace maxlat::ring_test;

class OpenPacket : public testing::TestWithParam<uint32_t> {
 protected:
  explicit OpenPacket(uint32_t sub_buffer_bits = 10)
      : made_(options_of(GetParam(), sub_buffer_bits, 1)), to_((1u << sub_buffer_bits) / 8) {}

  uint8_t* to() { return reinterpret_cast<uint8_t*>(to_.data()); }
  void event(uint64_t number) {
    ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made_.ring, 7, number, ~number, 0));
  }

  // The numbers of the events in a packet; a packet that says other things of itself than it holds fails the test.
  std::vector<uint64_t> numbers(const maxlat_ring_view& view) {
    std::vector<uint64_t> found;
    const auto& packet = *reinterpret_cast<const maxlat_ring_packet*>(view.bytes);
    maxlat_ring_walk walk;
    maxlat_ring_walked record;
    maxlat_ring_step step;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    uint64_t time = packet.begin_time;
    while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
      const auto* field = reinterpret_cast<const uint64_t*>(record.payload);
      EXPECT_EQ(field[1], ~field[0]);
      EXPECT_GE(record.time, time);
      time = record.time;
      found.push_back(field[0]);
      times_.push_back(record.time);
    }
    EXPECT_EQ(step, MAXLAT_RING_END);
    EXPECT_EQ(packet.records, found.size());
    if (view.bytes == to()) {
      EXPECT_EQ(packet.content_bits, 8 * view.content_size);
    } else {
      EXPECT_EQ(packet.content_end, view.position + view.content_size);
    }
    EXPECT_GE(packet.end_time, time);
    EXPECT_EQ(packet.sequence, view.sequence);
    return found;
  }

  std::vector<uint64_t> recovered(uint64_t* unfinished) {
    std::vector<uint64_t> all;
    maxlat_ring_view view;
    maxlat_ring_got got;
    while ((got = maxlat_ring_recover(&made_.reader, to(), &view, unfinished)) == MAXLAT_RING_GOT) {
      for (const uint64_t number : numbers(view)) all.push_back(number);
      if (view.bytes != to()) maxlat_ring_put(&made_.reader, &view);
    }
    EXPECT_EQ(got, MAXLAT_RING_NOT_NOW);
    EXPECT_EQ(maxlat_ring_recover(&made_.reader, to(), &view, unfinished), MAXLAT_RING_NOT_NOW);
    return all;
  }

  RingMemory made_;
  std::vector<uint64_t> to_;
  std::vector<uint64_t> times_;  // of what numbers() found
};

TEST_P(OpenPacket, ItsPrefixIsHadWithoutTheWriter) {
  maxlat_ring_view view;
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_NOT_NOW);
  event(0);
  made_.ring.header->lost_wrap = 3;
  ASSERT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), std::vector<uint64_t>{0});
  EXPECT_EQ(reinterpret_cast<const maxlat_ring_packet*>(view.bytes)->lost_wrap, 3u);
  const uint64_t came_to = view.content_size;
  event(1);
  event(2);
  ASSERT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(view.content_size, came_to + 2 * MAXLAT_RING_EVENT_BYTES);
  // The ring knows nothing of it: all of the packet comes again when it is delivered.
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_NOT_NOW);
  ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), (std::vector<uint64_t>{0, 1, 2}));
}

TEST_P(OpenPacket, NotWhileAWriterIsInsideNorBeforeWhatIsDelivered) {
  event(0);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, 7, 16, &record));
  maxlat_ring_view view;
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_NOT_NOW);
  const uint64_t fields[2] = {1, ~1ull};
  std::memcpy(record.payload, fields, sizeof fields);
  maxlat_ring_record_end(MAXLAT_RING_THREAD, &made_.ring, &record);
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_GOT);
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  event(2);
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_NOT_NOW);
}

TEST_P(OpenPacket, OneThatWasOpenedAheadIsNothingToItsReader) {
  ASSERT_TRUE(maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &made_.ring));
  EXPECT_FALSE(maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &made_.ring));
  maxlat_ring_view view;
  EXPECT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_NOT_NOW);
  EXPECT_FALSE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  event(0);
  ASSERT_EQ(maxlat_ring_copy_open(&made_.reader, to(), &view), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), std::vector<uint64_t>{0});
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  ASSERT_TRUE(maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &made_.ring));
  maxlat_ring_finalise(MAXLAT_RING_THREAD, &made_.ring);
  ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), std::vector<uint64_t>{0});
  maxlat_ring_put(&made_.reader, &view);
  EXPECT_EQ(maxlat_ring_poll(&made_.reader), MAXLAT_RING_HANGUP);
  uint64_t unfinished = 0;
  EXPECT_EQ(recovered(&unfinished), std::vector<uint64_t>{});
  EXPECT_EQ(unfinished, 0u);
}

// As small as a record that opens a packet can be, too large behind a silence: the one packet without a record.
TEST_P(OpenPacket, OpenedAheadAndTooSmallForALongRecordIsDeliveredEmpty) {
  ASSERT_TRUE(maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &made_.ring));
  *maxlat_ring_time_base(&made_.ring) -= 1ull << MAXLAT_RING_TIME_BITS;  // as after a silence
  const uint64_t most = made_.ring.shape.sub_buffer_size - MAXLAT_RING_PACKET_HEADER - 8;
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, 7, most, &record));
  std::memset(record.payload, 0, most);
  maxlat_ring_record_end(MAXLAT_RING_THREAD, &made_.ring, &record);
  maxlat_ring_view view;
  ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
  EXPECT_EQ(view.content_size, MAXLAT_RING_PACKET_HEADER);
  EXPECT_EQ(reinterpret_cast<const maxlat_ring_packet*>(view.bytes)->records, 0u);
  maxlat_ring_put(&made_.reader, &view);
  ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
  EXPECT_EQ(reinterpret_cast<const maxlat_ring_packet*>(view.bytes)->records, 1u);
  EXPECT_EQ(made_.ring.header->records_delivered, 1u);
}

TEST_P(OpenPacket, RecoveryOfARingWhoseWritersEndedInOrder) {
  for (uint64_t i = 0; i < 40; ++i) event(i);  // 28 to a packet: one is delivered
  uint64_t unfinished = 0;
  const std::vector<uint64_t> all = recovered(&unfinished);
  ASSERT_EQ(all.size(), 40u);
  for (uint64_t i = 0; i < 40; ++i) EXPECT_EQ(all[i], i);
  EXPECT_EQ(unfinished, 0u);
}

TEST_P(OpenPacket, ALongRecordThatWasBegunKeepsTheTimeOfThoseBehindIt) {
  event(0);
  *maxlat_ring_time_base(&made_.ring) -= 1ull << MAXLAT_RING_TIME_BITS;  // as after a silence
  maxlat_ring_record dead;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made_.ring, 7, 16, &dead));
  ASSERT_EQ(dead.slot.size, 24u + MAXLAT_RING_LONG_EXTRA);
  event(1);
  // Had the packet begun long ago, the record behind would be dated from there but for the one that died.
  auto* packet = reinterpret_cast<maxlat_ring_packet*>(made_.ring.memory);
  packet->begin_time -= 5ull << 32;
  uint64_t unfinished = 0;
  maxlat_ring_view view;
  ASSERT_EQ(maxlat_ring_recover(&made_.reader, to(), &view, &unfinished), MAXLAT_RING_GOT);
  EXPECT_EQ(numbers(view), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(unfinished, 1u);
  EXPECT_GE(reinterpret_cast<const maxlat_ring_packet*>(view.bytes)->end_time, dead.slot.time);
}

// Writers that die behind the CAS that reserves, before any other store: all that they leave is write_count.
class DeadBehindTheCas : public OpenPacket {
 protected:
  void SetUp() override {  // every sub-buffer has the header of an earlier pass
    maxlat_ring_view view;
    for (uint64_t i = 0; i < 6; ++i) {
      event(1000 + i);
      ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
      ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
      maxlat_ring_put(&made_.reader, &view);
    }
    since_ = maxlat_counter_plain();
  }
  void reserved(uint64_t bytes) { *made_.ring.write_count += bytes; }
  uint64_t left() const { return -*made_.ring.write_count & made_.ring.shape.sub_buffer_mask; }
  void long_event(uint64_t number) {
    ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made_.ring, 9000, number, ~number, 0));
  }
  void forget_ends() {
    for (uint64_t i = 0; i < 2; ++i)
      reinterpret_cast<maxlat_ring_packet*>(made_.ring.memory + (i << 10))->content_end = 0;
  }
  void expect_recovered(const std::vector<uint64_t>& wanted, uint64_t dead) {
    uint64_t unfinished = 0;
    EXPECT_EQ(recovered(&unfinished), wanted);
    EXPECT_EQ(unfinished, dead);
    for (const uint64_t time : times_) {
      EXPECT_GE(time, since_);
      EXPECT_LE(time, maxlat_counter_plain());
    }
  }
  static constexpr uint64_t kOpening = MAXLAT_RING_PACKET_HEADER + MAXLAT_RING_EVENT_BYTES;
  uint64_t since_ = 0;
};

TEST_P(DeadBehindTheCas, OneThatOpensAPacket) {
  reserved(kOpening);
  expect_recovered({}, 1);
}
TEST_P(DeadBehindTheCas, OneThatOpensAPacketThatAHandlerFlushes) {
  reserved(kOpening);
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  expect_recovered({}, 1);
}
TEST_P(DeadBehindTheCas, OneThatOpensAPacketThatAHandlerLeavesForTheNext) {
  reserved(kOpening);
  for (uint64_t i = 0; i < 30; ++i) event(i);  // 27 in this packet
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 30; ++i) all.push_back(i);
  expect_recovered(all, 1);
}
TEST_P(DeadBehindTheCas, OneThatLeavesAPacketForTheNext) {
  event(0);
  reserved(left() + kOpening);
  expect_recovered({0}, 1);
}
TEST_P(DeadBehindTheCas, OneThatLeavesAPacketForTheNextWhichAHandlerEnds) {
  event(0);
  reserved(left() + kOpening);
  event(1);
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  expect_recovered({0, 1}, 1);
}
TEST_P(DeadBehindTheCas, OneWhoseRecordEndsThePacket) {
  while (left() == 0 || left() > MAXLAT_RING_EVENT_BYTES) event(left());
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 37; ++i) all.push_back(i == 0 ? 0 : 1024 - kOpening - (i - 1) * MAXLAT_RING_EVENT_BYTES);
  all.resize(1 + (1024 - kOpening - left()) / MAXLAT_RING_EVENT_BYTES);
  reserved(left());
  expect_recovered(all, 1);
}
// Nothing tells its padding from the slot of a record that ends the packet: one too many rather than one too few.
TEST_P(DeadBehindTheCas, OneThatFlushesIsCountedThoughItHasNoRecord) {
  event(0);
  reserved(left());
  expect_recovered({0}, 1);
}
TEST_P(DeadBehindTheCas, TimesInAPacketWithoutBeginTime) {
  reserved(kOpening);
  event(0);
  event(1);
  *maxlat_ring_time_base(&made_.ring) -= 1ull << MAXLAT_RING_TIME_BITS;  // as after a silence
  event(2);
  long_event(3);
  event(4);
  expect_recovered({0, 1, 2, 3, 4}, 1);
}
// The pass before left long records where the dead writer's slot is, and the packet before is not closed.
TEST_P(DeadBehindTheCas, TimesInAPacketWithoutBeginTimeAreNotOfAnotherPassesLongRecord) {
  maxlat_ring_view view;
  for (uint64_t i = 0; i < 4; ++i) {
    long_event(i);
    ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
    ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
    maxlat_ring_put(&made_.reader, &view);
  }
  event(0);
  reserved(left() + kOpening);
  event(1);
  event(2);
  expect_recovered({0, 1, 2}, 1);
}
TEST_P(DeadBehindTheCas, TimesInAPacketWithoutBeginTimeNorOneBefore) {
  reserved(kOpening);
  event(0);
  long_event(1);
  event(2);
  forget_ends();
  expect_recovered({0, 1, 2}, 1);
}
TEST_P(DeadBehindTheCas, TimesInAClosedPacketWithoutBeginTimeNorOneBefore) {
  reserved(kOpening);
  event(0);
  forget_ends();
  ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made_.ring));
  expect_recovered({0}, 1);
}
TEST_P(DeadBehindTheCas, TimesNextToTheBaseWhereNothingElseIsLeft) {
  reserved(kOpening);
  event(0);
  event(1);
  forget_ends();
  expect_recovered({0, 1}, 1);
}

// Contexts nested in each other, each dying somewhere between begin and end, in every packet of the ring.
TEST_P(OpenPacket, EveryFinishedRecordIsRecoveredAroundTheDead) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    std::mt19937_64 random(seed);
    RingMemory memory(options_of(GetParam(), 10, 2));
    made_.ring = memory.ring;
    made_.reader = memory.reader;
    std::vector<uint64_t> finished;
    uint64_t dead = 0;
    const uint64_t to_die = 1 + random() % 3;
    for (uint64_t number = 0; number < 20 + random() % 80; ++number) {
      const uint64_t words = 2 + random() % 6;
      const uint32_t id = random() % 20 == 0 ? 9000 : 7;
      maxlat_ring_record record;
      if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, &memory.ring, id, 8 * words, &record)) continue;
      std::vector<uint64_t> fields(words);
      for (uint64_t i = 0; i < words; ++i) fields[i] = i == 0 ? number : i == 1 ? ~number : random();
      const bool dies = dead < to_die && random() % 12 == 0;
      std::memcpy(record.payload, fields.data(), 8 * (dies ? random() % words : words));
      if (dies) {
        ++dead;
        continue;
      }
      maxlat_ring_record_end(MAXLAT_RING_THREAD, &memory.ring, &record);
      finished.push_back(number);
    }
    uint64_t unfinished = 0;
    std::vector<uint64_t> all = recovered(&unfinished);
    if ((GetParam() & MAXLAT_RING_OVERWRITE) != 0) {  // the oldest packets are gone
      ASSERT_GE(finished.size(), all.size());
      finished.erase(finished.begin(), finished.end() - static_cast<long>(all.size()));
    }
    ASSERT_EQ(all, finished) << "seed " << seed;
    EXPECT_LE(unfinished, dead);
    if (GetParam() == 0) {
      EXPECT_EQ(unfinished == 0, dead == 0) << "seed " << seed;
    }
  }
}

std::string name_of(const testing::TestParamInfo<uint32_t>& mode) {
  return mode.param == 0 ? "discard" : "overwrite";
}
INSTANTIATE_TEST_SUITE_P(Rings, OpenPacket, testing::Values(0u, MAXLAT_RING_OVERWRITE), name_of);
INSTANTIATE_TEST_SUITE_P(Rings, DeadBehindTheCas, testing::Values(0u, MAXLAT_RING_OVERWRITE), name_of);

}  // namespace
