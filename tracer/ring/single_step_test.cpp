// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A handler that also traces, at every single instruction of reserve, write, commit, flush, opening ahead, get and put:
// at every kind of place in a sub-buffer, in both modes, with handlers that write one event or go once round the whole
// ring.
#include <gtest/gtest.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>

#include <string>
#include <tuple>
#include <vector>

#include "test_event_probe.h"
#include "test_memory.hpp"
#include "test_single_step.hpp"

namespace {

using namespace maxlat::ring_test;

constexpr uint32_t kSubBufferBits = 9, kRingBits = 1;  // 12 events of 32 bytes to a sub-buffer, and 16 bytes of padding
constexpr uint64_t kEventsToSubBuffer = 12;

// One ring and what was tried on it. Nothing here allocates once it is made: it is used inside the handler.
struct Trial {
  explicit Trial(uint32_t features) : memory(options_of(features, kSubBufferBits, kRingBits)), recorded(256, false) {}

  void event() {
    const uint64_t number = __atomic_fetch_add(&tried, 1, __ATOMIC_RELAXED);  // the handler comes here too
    recorded[number] = maxlat_ring_event(MAXLAT_RING_THREAD, &memory.ring, 7, number, ~number, number * 3);
  }

  // Takes one packet and checks every record in it. RETURNS: false when there was none.
  bool read() {
    maxlat_ring_view view;
    if (maxlat_ring_get(&memory.reader, &view) != MAXLAT_RING_GOT) return false;
    check(view);
    maxlat_ring_put(&memory.reader, &view);
    return true;
  }

  // The same, interrupted after instruction `at` of get, or of put. RETURNS: false when both together were shorter.
  bool interrupted_read(uint64_t at, SingleStep::Action action) {
    maxlat_ring_view view;
    maxlat_ring_got got = MAXLAT_RING_NOT_NOW;
    if (SingleStep::interrupt(at, action, [&] { got = maxlat_ring_get(&memory.reader, &view); })) at = UINT64_MAX;
    if (got != MAXLAT_RING_GOT) return at == UINT64_MAX;
    check(view);
    if (at == UINT64_MAX) {
      maxlat_ring_put(&memory.reader, &view);
      return true;
    }
    return SingleStep::interrupt(at - SingleStep::steps(), action, [&] { maxlat_ring_put(&memory.reader, &view); });
  }

  void check(const maxlat_ring_view& view) {
    const auto* packet = reinterpret_cast<const maxlat_ring_packet*>(view.bytes);
    good = good && packet->begin_time >= last_time && packet->end_time >= packet->begin_time;
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    walk.stamp = maxlat_ring_stamp_of(view.sequence);
    maxlat_ring_walked record;
    maxlat_ring_step step;
    uint64_t time = packet->begin_time, records = 0;
    while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
      const auto* field = reinterpret_cast<const uint64_t*>(record.payload);
      const uint64_t number = field[0];
      good = good && record.id == 7 && record.payload_size == 24 && number < tried && field[1] == ~number &&
             field[2] == number * 3 && record.time >= time && record.time <= packet->end_time;
      if (number < tried) seen.push_back(number);
      time = record.time;
      ++records;
    }
    good = good && step == MAXLAT_RING_END && packet->records == records;
    last_time = packet->end_time;
  }

  // The books, after everything was read. Returns what is wrong.
  const char* settle() {
    maxlat_ring_finalise(MAXLAT_RING_THREAD, &memory.ring);
    while (read()) {
    }
    if (!good) return "a packet is not what was written";
    uint64_t written = 0;
    for (uint64_t number = 0; number < tried; ++number) written += recorded[number] ? 1 : 0;
    std::vector<bool> once(tried, false);
    for (const uint64_t number : seen) {
      if (!recorded[number]) return "a dropped event was read";
      if (once[number]) return "an event was read twice";
      once[number] = true;
    }
    const maxlat_ring_header& books = *memory.ring.header;
    if (tried != written + books.lost_full + books.lost_wrap) return "tried is not recorded + lost";
    if (books.records_delivered != written) return "not every record was delivered";
    if (!maxlat_ring_overwrites(&memory.ring) && seen.size() != written) return "not every record was read";
    return nullptr;
  }

  RingMemory memory;
  std::vector<char> recorded;
  std::vector<uint64_t> seen;
  uint64_t tried = 0;
  uint64_t last_time = 0;
  bool good = true;
};

Trial* trial;
uint64_t nested_events;

void nest() {
  for (uint64_t i = 0; i < nested_events; ++i) trial->event();
}

enum class Victim { event, flush, open, read };

class SingleStepTest : public testing::TestWithParam<std::tuple<uint32_t, Victim>> {};

TEST_P(SingleStepTest, AHandlerThatTracesAtEveryInstruction) {
  const uint32_t features = std::get<0>(GetParam());
  const Victim victim = std::get<1>(GetParam());
  const SingleStep stepper;
  uint64_t interrupted = 0;
  // At the start of a sub-buffer, its last record but one and last, and where a discarding ring is full.
  for (const uint64_t filled : {0u, 11u, 12u, 24u}) {
    for (const uint64_t nested : {uint64_t{1}, 3 * kEventsToSubBuffer}) {
      bool inside = true;
      for (uint64_t at = 1; inside; at += kApart) {
        Trial now(features);
        trial = &now;
        nested_events = nested;
        for (uint64_t i = 0; i < filled; ++i) now.event();
        if (victim == Victim::open) maxlat_ring_flush(MAXLAT_RING_THREAD, &now.memory.ring);  // to between two packets
        inside = victim == Victim::read ? now.interrupted_read(at, nest) : SingleStep::interrupt(at, nest, [&] {
          if (victim == Victim::event) now.event();
          if (victim == Victim::flush) maxlat_ring_flush(MAXLAT_RING_THREAD, &now.memory.ring);
          if (victim == Victim::open) maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &now.memory.ring);
        });
        interrupted += inside;
        const char* wrong = now.settle();
        ASSERT_EQ(wrong, nullptr) << wrong << ": " << filled << " events before, " << nested
                                  << " in the handler, after " << at << " instructions";
      }
    }
  }
  std::printf("%lu interruptions\n", static_cast<unsigned long>(interrupted));
  EXPECT_GT(interrupted * kApart, 200u);
}

std::string name_of(const testing::TestParamInfo<std::tuple<uint32_t, Victim>>& setting) {
  const auto [features, victim] = setting.param;
  const std::string mode = features == 0 ? "discard_" : "overwrite_";
  constexpr const char* kNames[] = {"event", "flush", "open", "read"};
  return mode + kNames[static_cast<int>(victim)];
}

INSTANTIATE_TEST_SUITE_P(Rings, SingleStepTest,
                         testing::Combine(testing::Values(0u, MAXLAT_RING_OVERWRITE),
                                          testing::Values(Victim::event, Victim::flush, Victim::open, Victim::read)),
                         name_of);

}  // namespace
