// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A reader that dies between get and put, and the one that comes after it, with a writer that goes on meanwhile.
#include <gtest/gtest.h>
#include <maxlat/ring/read.h>

#include "test_event_probe.h"
#include "test_memory.hpp"

namespace {

using namespace maxlat::ring_test;

class Successor : public testing::Test {
 protected:
  // As many as a packet of 1024 bytes has room for, 28; the last packet is open until the next event.
  void write_packets(uint64_t count) {
    for (uint64_t i = 0; i < count * 28; ++i)
      ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &made_.ring, 7, next_++, 0, 0));
  }
  // The first reader's last act.
  void die_with_a_packet_in_hand() {
    maxlat_ring_view view;
    write_packets(2);
    ASSERT_EQ(maxlat_ring_get(&made_.reader, &view), MAXLAT_RING_GOT);
    ASSERT_EQ(view.sequence, 0u);
  }
  // Takes one packet. RETURNS: the number of its first event.
  static uint64_t take(maxlat_ring_reader& reader) {
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_get(&reader, &view);
    EXPECT_EQ(got, MAXLAT_RING_GOT);
    if (got != MAXLAT_RING_GOT) return ~0ull;
    const auto* words = reinterpret_cast<const uint64_t*>(view.bytes + MAXLAT_RING_PACKET_HEADER);
    EXPECT_EQ(words[1], view.sequence * 28);
    maxlat_ring_put(&reader, &view);
    return words[1];
  }

  RingMemory made_{options_of(MAXLAT_RING_OVERWRITE, 10, 2)};
  uint64_t next_ = 0;
};

TEST_F(Successor, GetsThePacketAgainAlthoughWritersLapIt) {
  for (uint64_t lapped_by = 1; lapped_by < 12; ++lapped_by) {
    made_ = RingMemory(options_of(MAXLAT_RING_OVERWRITE, 10, 2));
    next_ = 0;
    die_with_a_packet_in_hand();
    maxlat_ring_reader successor;
    ASSERT_TRUE(maxlat_ring_reader_start(&successor, &made_.ring));
    write_packets(lapped_by);
    EXPECT_EQ(maxlat_ring_poll(&successor), lapped_by < 2 ? MAXLAT_RING_READY : MAXLAT_RING_URGENT);
    EXPECT_EQ(take(successor), 0u) << lapped_by;
    // Then the oldest that are left, to the last that was delivered.
    uint64_t expected = take(successor);
    EXPECT_GE(expected + 4 * 28, next_) << lapped_by;
    while (maxlat_ring_poll(&successor) != MAXLAT_RING_NOTHING) {
      expected += 28;
      EXPECT_EQ(take(successor), expected) << lapped_by;
    }
    EXPECT_GE(expected + 2 * 28, next_) << lapped_by;
  }
}

TEST_F(Successor, ThatComesAfterTheLapGoesOnWithTheOldest) {
  die_with_a_packet_in_hand();
  write_packets(9);
  maxlat_ring_reader successor;
  ASSERT_TRUE(maxlat_ring_reader_start(&successor, &made_.ring));
  for (uint64_t first = take(successor); maxlat_ring_poll(&successor) != MAXLAT_RING_NOTHING; first += 28)
    EXPECT_EQ(take(successor), first + 28);
}

}  // namespace
