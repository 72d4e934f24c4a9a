// SPDX-License-Identifier: MIT
// A trace on disk, read back without the trace reader, and the temporary folder it lies in.
#pragma once

#include <gtest/gtest.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

namespace maxlat::trace::test {

using maxlat::test::TemporaryFolder;

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct DiskTrace {
  std::vector<maxlat_ring_packet> packets;
  std::vector<std::uint64_t> values;  // the first field of each event
};

// All packets of one file; every promise of ctf_format.hpp about them is checked on the way. `overwritten`: some are
// missing.
inline DiskTrace read_stream(const std::string& path, bool overwritten = false) {
  DiskTrace trace;
  const std::string text = text_of(path);
  std::vector<std::uint64_t> words(text.size() / 8);
  EXPECT_EQ(text.size() % 8, 0u) << path;
  std::memcpy(words.data(), text.data(), words.size() * 8);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  std::uint64_t last_time = 0;
  for (std::size_t at = 0; at < words.size() * 8;) {
    maxlat_ring_packet head;
    std::memcpy(&head, bytes + at, sizeof head);
    const std::size_t size = head.content_bits / 8;
    if (size < sizeof head || head.packet_bits < head.content_bits || head.packet_bits / 8 > words.size() * 8 - at) {
      ADD_FAILURE() << path << ": no whole packet at " << at;
      break;
    }
    if (size == sizeof head) {  // the room of a file that is still written
      at += head.packet_bits / 8;
      continue;
    }
    EXPECT_LT(head.packet_bits / 8 - size, sizeof head);
    if (trace.packets.empty()) {
      EXPECT_EQ(head.sequence, 0u);
    } else {
      const maxlat_ring_packet& before = trace.packets.back();
      EXPECT_GT(head.sequence, before.sequence);
      EXPECT_TRUE(overwritten || head.sequence == before.sequence + 1) << head.sequence;
      EXPECT_GE(head.begin_time, before.end_time);
      EXPECT_GE(head.lost_total, before.lost_total);
    }
    EXPECT_EQ(head.lost_total, head.lost_full + head.lost_wrap + head.lost_big);
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, bytes + at, size);
    maxlat_ring_walked record;
    std::uint64_t records = 0;
    enum maxlat_ring_step step;
    for (; (step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT; ++records) {
      EXPECT_GE(record.time, head.begin_time);
      EXPECT_LE(record.time, head.end_time);
      EXPECT_GE(record.time, last_time);
      last_time = record.time;
      std::uint64_t value;
      std::memcpy(&value, record.payload, sizeof value);
      trace.values.push_back(value);
    }
    EXPECT_EQ(step, MAXLAT_RING_END);
    EXPECT_EQ(records, head.records);
    EXPECT_GT(records, 0u);
    trace.packets.push_back(head);
    at += head.packet_bits / 8;
  }
  return trace;
}

inline std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = from; i < to; ++i) all.push_back(i);
  return all;
}

}  // namespace maxlat::trace::test
