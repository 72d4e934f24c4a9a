// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Every word of header, counters, cells, packet headers and records through values that a hostile or broken producer
// might put there, one at a time and in pairs of counters. What must not happen (a byte outside of the memory, no end)
// is seen by AddressSanitizer and by the test's time limit.
#include <gtest/gtest.h>

#include <random>

#include "test_hostile.hpp"

namespace {

using namespace maxlat::ring_test;

class Hostile : public testing::TestWithParam<uint32_t> {
 protected:
  const std::vector<uint8_t> honest_ = honest_ring(GetParam());

  static std::vector<uint64_t> values(uint64_t now) {
    return {0,
            1,
            7,
            8,
            111,
            112,
            120,
            511,
            512,
            513,
            1024,
            4096,
            1ull << 32,
            1ull << 40,
            1ull << 63,
            ~0ull,
            ~7ull,
            now + 1,
            now - 1,
            now + 8,
            now - 8,
            now + 512,
            now - 512,
            now + 1024,
            now ^ 1ull << 16,
            now ^ 1ull << 17,
            now ^ 1ull << 18,
            now ^ 1ull << 45,
            now ^ 1ull << 55,
            now << 1};
  }
  uint64_t at(size_t offset) const {
    uint64_t value;
    std::memcpy(&value, honest_.data() + offset, 8);
    return value;
  }
};

TEST_P(Hostile, AnyWordMaySayAnything) {
  ASSERT_TRUE(read_hostile(honest_));
  std::vector<size_t> offsets;
  for (size_t offset = 0; offset < 320; offset += 8) offsets.push_back(offset);
  for (size_t offset = MAXLAT_RING_PAGE; offset + 8 <= honest_.size(); offset += 8) {
    if (at(offset) != 0) offsets.push_back(offset);
  }
  uint64_t taken = 0;
  for (const size_t offset : offsets) {
    for (const uint64_t value : values(at(offset))) {
      std::vector<uint8_t> bytes = honest_;
      std::memcpy(bytes.data() + offset, &value, 8);
      taken += read_hostile(bytes);
    }
  }
  EXPECT_GT(taken, offsets.size() * 10);  // the rest did not attach
}

TEST_P(Hostile, AnyTwoCountersMayContradictEachOther) {
  const size_t from = offsetof(maxlat_ring_header, write_count);
  std::vector<size_t> offsets{offsetof(maxlat_ring_header, read_count)};
  for (size_t offset = from; offset < 320; offset += 8) offsets.push_back(offset);
  for (const size_t first : offsets) {
    for (const size_t second : offsets) {
      for (const uint64_t one : values(at(first))) {
        std::vector<uint8_t> bytes = honest_;
        const uint64_t other = one + at(second);
        std::memcpy(bytes.data() + first, &one, 8);
        std::memcpy(bytes.data() + second, &other, 8);
        read_hostile(bytes);
      }
    }
  }
}

TEST_P(Hostile, MemoryOfAnyLengthAndContent) {
  std::mt19937_64 random(3);
  for (size_t length = 0; length <= honest_.size(); length += 8) {
    EXPECT_EQ(read_hostile({honest_.begin(), honest_.begin() + static_cast<long>(length)}),
              (length + MAXLAT_RING_PAGE - 1) / MAXLAT_RING_PAGE * MAXLAT_RING_PAGE >= honest_.size());
  }
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> bytes = honest_;
    for (int change = 0; change < 8; ++change)
      bytes[64 + random() % (bytes.size() - 64)] = static_cast<uint8_t>(random());
    read_hostile(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, Hostile, testing::Values(0u, MAXLAT_RING_OVERWRITE),
                         [](const auto& mode) { return mode.param == 0 ? "discard" : "overwrite"; });

}  // namespace
