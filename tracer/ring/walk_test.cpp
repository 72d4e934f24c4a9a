// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What a walk finds in packets that were written by hand, and where it stops.
#include <gtest/gtest.h>
#include <maxlat/ring/walk.h>

#include <cstring>
#include <vector>

namespace {

constexpr uint64_t kPacket = 0x1234567;

// A packet whose bytes end where its content ends, so that AddressSanitizer sees a step too far.
class Packet {
 public:
  explicit Packet(uint64_t begin_time) : words_(MAXLAT_RING_PACKET_HEADER / 8, 0) {
    words_[offsetof(maxlat_ring_packet, begin_time) / 8] = begin_time;
  }
  Packet& record(uint32_t id, uint64_t time, uint64_t payload_words, uint64_t packet = kPacket) {
    words_.push_back(maxlat_ring_record_word(maxlat_ring_record_kind(id, 8 + 8 * payload_words), packet, time));
    words_.insert(words_.end(), payload_words, 0xabab);
    return *this;
  }
  Packet& long_record(uint32_t id, uint64_t time, uint64_t payload_words, uint64_t kind = MAXLAT_RING_LONG_KIND) {
    words_.push_back(maxlat_ring_record_word(kind, kPacket, time));
    words_.push_back((3 + payload_words) | static_cast<uint64_t>(id) << 32);
    words_.push_back(time);
    words_.insert(words_.end(), payload_words, 0xabab);
    return *this;
  }
  Packet& word(uint64_t word) {
    words_.push_back(word);
    return *this;
  }
  maxlat_ring_walk walk() {
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, reinterpret_cast<const uint8_t*>(words_.data()), 8 * words_.size());
    return walk;
  }

 private:
  std::vector<uint64_t> words_;
};

TEST(Walk, FindsIdTimeAndPayloadOfShortAndLongRecords) {
  constexpr uint64_t kBegin = (7ull << 32) + 0xffffff00;
  Packet packet(kBegin);
  packet.record(1, kBegin, 0).record(8190, kBegin + 0x200, 3);  // the low bits have gone round
  packet.long_record(5, kBegin + (3ull << 32), 1).record(2, kBegin + (3ull << 32) + 9, 1);  // a silence, a new base
  packet.long_record(100'000, kBegin + (4ull << 32), 2000);  // an id and a length that do not fit
  maxlat_ring_walk walk = packet.walk();
  struct Expected {
    uint32_t id;
    uint64_t time, payload;
  };
  for (const Expected& expected : {Expected{1, kBegin, 0},
                                   {8190, kBegin + 0x200, 24},
                                   {5, kBegin + (3ull << 32), 8},
                                   {2, kBegin + (3ull << 32) + 9, 8},
                                   {100'000, kBegin + (4ull << 32), 16'000}}) {
    maxlat_ring_walked record;
    ASSERT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_EVENT);
    EXPECT_EQ(record.id, expected.id);
    EXPECT_EQ(record.time, expected.time);
    ASSERT_EQ(record.payload_size, expected.payload);
    for (uint64_t i = 0; i < expected.payload; i += 8) {
      uint64_t word;
      std::memcpy(&word, record.payload + i, 8);
      EXPECT_EQ(word, 0xababu);
    }
  }
  maxlat_ring_walked record;
  EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_END);
  EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_END);
}

TEST(Walk, AnEmptyPacketEndsAtOnce) {
  Packet packet(0);
  maxlat_ring_walk walk = packet.walk();
  maxlat_ring_walked record;
  EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_END);
}

// Each of these has one good record first, which stands, and then something that is none.
TEST(Walk, StopsAtWhatIsNoRecord) {
  const uint64_t good = maxlat_ring_record_word(maxlat_ring_record_kind(9, 8), kPacket, 5);
  const auto after_a_record = [] {
    Packet packet(5);
    packet.record(9, 5, 1);
    return packet;
  };
  const std::vector<std::pair<const char*, Packet>> broken{
      {"zero", after_a_record().word(0)},
      {"ones", after_a_record().word(~0ull)},
      {"another packet's stamp", after_a_record().record(9, 5, 1, kPacket + 1)},
      {"no id", after_a_record().record(0, 5, 1)},
      {"no length", after_a_record().word(good - (1ull << MAXLAT_RING_LENGTH_SHIFT))},
      {"longer than the packet", after_a_record().word(good + (1ull << MAXLAT_RING_LENGTH_SHIFT))},
      {"begun, not finished", after_a_record().long_record(9, 5, 1, MAXLAT_RING_BEGUN_KIND)},
      {"half a long record", after_a_record().word(maxlat_ring_record_word(MAXLAT_RING_LONG_KIND, kPacket, 5)).word(3)},
      {"a long record without id", after_a_record().long_record(0, 5, 1)},
      {"a long record longer than the packet",
       after_a_record().word(maxlat_ring_record_word(MAXLAT_RING_LONG_KIND, kPacket, 5)).word(4 | 9ull << 32).word(5)},
      {"a long record shorter than its head",
       after_a_record().word(maxlat_ring_record_word(MAXLAT_RING_LONG_KIND, kPacket, 5)).word(2 | 9ull << 32).word(5)},
  };
  for (auto [what, packet] : broken) {
    maxlat_ring_walk walk = packet.walk();
    maxlat_ring_walked record;
    EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_EVENT) << what;
    EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_BROKEN) << what;
    EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_BROKEN) << what;
  }
}

TEST(Walk, WhoKnowsThePacketRefusesAnEarlierPass) {
  Packet packet(5);
  packet.record(9, 5, 1);
  maxlat_ring_walk walk = packet.walk();
  walk.stamp = maxlat_ring_stamp_of(kPacket + (1 << MAXLAT_RING_MAX_RING_BITS));
  maxlat_ring_walked record;
  EXPECT_EQ(maxlat_ring_walk_next(&walk, &record), MAXLAT_RING_BROKEN);
}

}  // namespace
