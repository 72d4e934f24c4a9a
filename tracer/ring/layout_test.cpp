// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A ring's memory as a stranger sees it: what is refused, what a damaged header can do, and who gets the packet of a
// dead reader.
#include <gtest/gtest.h>
#include <maxlat/ring/record.h>
#include <maxlat/ring/reference.h>
#include <maxlat/ring/switch.h>

#include <random>

#include "test_event_probe.h"
#include "test_memory.hpp"

namespace {

using namespace maxlat::ring_test;

TEST(Layout, SizesOutOfRangeAreRefused) {
  for (const auto& [sub_buffer_bits, ring_bits] :
       {std::pair{7u, 2u}, {27u, 2u}, {12u, 0u}, {12u, 8u}, {0u, 0u}, {64u, 1u}}) {
    const maxlat_ring_options options = options_of(0, sub_buffer_bits, ring_bits);
    EXPECT_EQ(maxlat_ring_size(&options), 0u) << sub_buffer_bits << ' ' << ring_bits;
  }
  const maxlat_ring_options unknown = options_of(8, 12, 2);
  EXPECT_EQ(maxlat_ring_size(&unknown), 0u);
}

TEST(Layout, AttachTakesWhatCreateMade) {
  RingMemory made(options_of(MAXLAT_RING_OVERWRITE, 12, 3));
  maxlat_ring found;
  ASSERT_TRUE(maxlat_ring_attach(&found, made.where(), made.size()));
  EXPECT_EQ(found.memory, made.ring.memory);
  EXPECT_EQ(found.write_count, made.ring.write_count);
  EXPECT_EQ(found.shape.buffer_mask, (1ull << 15) - 1);
  EXPECT_FALSE(maxlat_ring_attach(&found, made.where(), made.size() - MAXLAT_RING_PAGE));
  EXPECT_FALSE(maxlat_ring_attach(&found, made.where(), 10));
}

TEST(Layout, AllZeroAndAllOnesAreNoRing) {
  alignas(MAXLAT_RING_PAGE) static uint8_t bytes[4 * MAXLAT_RING_PAGE];
  maxlat_ring found;
  for (const int fill : {0x00, 0xff}) {
    std::memset(bytes, fill, sizeof bytes);
    EXPECT_FALSE(maxlat_ring_attach(&found, bytes, sizeof bytes));
  }
}

TEST(Layout, AnyChangeOfTheConstantHeaderIsRefusedOrHarmless) {
  RingMemory made(options_of(0, 8, 1));
  auto* bytes = static_cast<uint8_t*>(made.where());
  for (size_t at = 0; at < 64; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<uint8_t>(bytes[at] ^ 1 << bit);
      maxlat_ring found;
      if (maxlat_ring_attach(&found, made.where(), made.size())) {
        EXPECT_LE(found.memory + (2ull << found.shape.sub_buffer_bits), bytes + made.size()) << at << '.' << bit;
      }
      bytes[at] = static_cast<uint8_t>(bytes[at] ^ 1 << bit);
    }
  }
}

TEST(Layout, AReaderOfRandomCountersStaysInsideTheMemory) {
  // Run under AddressSanitizer this proves it; everywhere it must end.
  std::mt19937_64 random(5);
  for (const uint32_t features : {0u, MAXLAT_RING_OVERWRITE}) {
    for (int round = 0; round < 3000; ++round) {
      RingMemory made(options_of(features, 8, 2));
      auto* words = static_cast<uint64_t*>(made.where());
      const size_t until = static_cast<size_t>(made.ring.memory - static_cast<uint8_t*>(made.where())) / 8;
      for (int change = 0; change < 6; ++change) {
        const uint64_t value = random() % 3 == 0 ? random() : random() % 5000;
        words[8 + random() % (until - 8)] = value;
      }
      maxlat_ring_reader reader;
      if (!maxlat_ring_reader_start(&reader, &made.ring)) continue;
      for (int i = 0; i < 8; ++i) {
        maxlat_ring_view view;
        maxlat_ring_poll(&reader);
        if (maxlat_ring_get(&reader, &view) != MAXLAT_RING_GOT) continue;
        ASSERT_LE(view.content_size, view.size);
        ASSERT_GE(view.bytes, made.ring.memory);
        ASSERT_LE(view.bytes + view.size, static_cast<uint8_t*>(made.where()) + made.size());
        maxlat_ring_put(&reader, &view);
      }
    }
  }
}

TEST(Layout, ANewReaderGetsThePacketThatADeadOneHeld) {
  for (const uint32_t features : {0u, MAXLAT_RING_OVERWRITE}) {
    RingMemory made(options_of(features, 9, 1));
    for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 7, i, i, i));
    ASSERT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made.ring));
    maxlat_ring_view held, again;
    ASSERT_EQ(maxlat_ring_get(&made.reader, &held), MAXLAT_RING_GOT);  // and dies before put

    maxlat_ring_reader next;
    ASSERT_TRUE(maxlat_ring_reader_start(&next, &made.ring));
    EXPECT_EQ(maxlat_ring_poll(&next), MAXLAT_RING_READY);
    ASSERT_EQ(maxlat_ring_get(&next, &again), MAXLAT_RING_GOT);
    EXPECT_EQ(again.bytes, held.bytes);
    EXPECT_EQ(again.sequence, held.sequence);
    maxlat_ring_put(&next, &again);
    EXPECT_EQ(maxlat_ring_poll(&next), MAXLAT_RING_NOTHING);
  }
}

TEST(Ring, AnEventLargerThanASubBufferIsRefusedAndCounted) {
  RingMemory made(options_of(0, 8, 1));
  maxlat_ring_record record;
  EXPECT_FALSE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 256 - 112, &record));
  EXPECT_FALSE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 100 * 1024, &record));
  EXPECT_FALSE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, MAXLAT_RING_LONG_ID, 256 - 112 - 16, &record));
  EXPECT_EQ(made.ring.header->lost_big, 3u);
  EXPECT_EQ(made.ring.header->write_count, 0u);
  EXPECT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 256 - 112 - 8, &record));
}

TEST(Ring, FlushOfAnEmptyRingDoesNothingAndPollSaysWhatTheReaderMayDo) {
  RingMemory made(options_of(0, 9, 1));
  EXPECT_FALSE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made.ring));
  EXPECT_EQ(maxlat_ring_poll(&made.reader), MAXLAT_RING_NOTHING);
  ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 7, 1, 2, 3));
  EXPECT_EQ(maxlat_ring_poll(&made.reader), MAXLAT_RING_NOTHING);
  EXPECT_TRUE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made.ring));
  EXPECT_FALSE(maxlat_ring_flush(MAXLAT_RING_THREAD, &made.ring));
  EXPECT_EQ(maxlat_ring_poll(&made.reader), MAXLAT_RING_READY);
  ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 7, 1, 2, 3));
  EXPECT_EQ(maxlat_ring_poll(&made.reader), MAXLAT_RING_URGENT);
  maxlat_ring_finalise(MAXLAT_RING_THREAD, &made.ring);
  for (uint64_t packet = 0; packet < 2; ++packet) {
    maxlat_ring_view view;
    ASSERT_EQ(maxlat_ring_get(&made.reader, &view), MAXLAT_RING_GOT);
    EXPECT_EQ(view.sequence, packet);
    EXPECT_EQ(view.content_size, MAXLAT_RING_PACKET_HEADER + MAXLAT_RING_EVENT_BYTES);
    maxlat_ring_put(&made.reader, &view);
  }
  EXPECT_EQ(maxlat_ring_poll(&made.reader), MAXLAT_RING_HANGUP);
}

TEST(Ring, ASlotOfADeadWriterStopsNobodyAndIsCounted) {
  RingMemory made(options_of(MAXLAT_RING_OVERWRITE, 9, 1));
  maxlat_ring_record dead;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 24, &dead));
  uint64_t recorded = 0;
  for (int i = 0; i < 100; ++i) recorded += maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 7, 1, 2, 3);
  EXPECT_EQ(recorded, 11u + 12u);  // the rest of its packet and one more; then the ring comes round to it
  EXPECT_EQ(made.ring.header->lost_wrap, 100 - recorded);
}

TEST(Ring, NoStaleWordPassesForARecordOfThisPacket) {
  const auto stamp = [](uint64_t packet) {
    return maxlat_ring_record_word(maxlat_ring_record_kind(7, 32), packet, 1000) >> MAXLAT_RING_STAMP_SHIFT;
  };
  for (uint64_t later = 1; later < 2u << MAXLAT_RING_MAX_RING_BITS; ++later) EXPECT_NE(stamp(later + 5), stamp(5));
}

}  // namespace
