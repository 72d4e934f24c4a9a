// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A follower (follow.h) beside a writer that overwrites, under the scheduler of schedule_test.cpp: interrupted before
// every access to a shared word, in interleavings drawn from a seed. What it gives is followed to the byte, and at the
// end its books say of every record what became of it.
#include <gtest/gtest.h>
#include <maxlat/ring/follow/follow.h>
#include <maxlat/ring/switch.h>

#include <vector>

#include "test_fibers.hpp"
#include "test_memory.hpp"
#include "test_oracle.hpp"

#ifndef MAXLAT_SCHEDULES
#define MAXLAT_SCHEDULES 1500u
#endif

namespace {

using namespace maxlat::ring_test;

class Play {
 public:
  Play(uint32_t ring_bits, uint64_t seed)
      : fibers_(seed),
        memory_(options_of(MAXLAT_RING_OVERWRITE, 8, ring_bits, seed % 2 == 0 ? 0 : -(2ull << (8 + ring_bits)))),
        places_(1ull << ring_bits),
        pace_(2 + fibers_.random()() % 12),
        late_(fibers_.random()() % 3 == 0) {
    current_ = this;
    if (!late_) begin();
  }
  ~Play() { current_ = nullptr; }

  std::string result() {
    if (!memory_.valid()) return "the ring could not be made";
    fibers_.add([this] { write(); });
    fibers_.add([this] { read(); });
    fibers_.run();
    while (error_.empty() && follow() != MAXLAT_RING_FOLLOW_NONE) {
    }
    if (error_.empty()) settle();
    return error_;
  }

  uint64_t overwritten() const { return follower_.books.overwritten; }
  uint64_t given() const { return follower_.books.given; }

  static void step() {
    if (current_ != nullptr && current_->fibers_.inside()) current_->interrupt();
  }
  static uint64_t clock() { return current_ != nullptr ? ++current_->time_ : 0; }

 private:
  void begin() {
    maxlat_ring_follow_begin(&follower_, &memory_.ring, copy_, places_.data());
    begun_ = true;
  }

  void write() {
    depth_ = 0;
    reading_ = false;
    for (int i = 0; i < 40 && error_.empty(); ++i) one_event();
    writing_ = false;
  }

  void one_event() {
    const uint64_t dice = fibers_.random()() % 100;
    if (dice < 4) {
      if (dice != 3) maxlat_ring_flush(MAXLAT_RING_THREAD, &memory_.ring);
      if (dice > 1) maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &memory_.ring);
      return;
    }
    const uint64_t payload = dice < 6 ? 144 : dice < 12 ? 136 : 8 + 8 * (fibers_.random()() % 9);
    const uint32_t id = dice > 95 ? MAXLAT_RING_LONG_ID + static_cast<uint32_t>(dice) : 1 + static_cast<uint32_t>(dice);
    write_event(oracle_, MAXLAT_RING_THREAD, memory_.ring, maxlat_ring_unknown_cpu(), id, payload, [] { step(); });
  }

  // A handler that also writes runs to its end before what it interrupted; the reader runs beside both.
  void interrupt() {
    if (!reading_ && depth_ < 3 && handlers_ < 60 && fibers_.chance(24)) {
      ++depth_;
      ++handlers_;
      const int writer = depth_;
      one_event();
      depth_ = writer - 1;
    }
    if (!fibers_.chance(static_cast<uint32_t>(pace_))) return;
    const int depth = depth_;
    const bool reading = reading_;
    fibers_.pass();
    depth_ = depth;
    reading_ = reading;
  }

  void read() {
    reading_ = true;
    if (late_ && fibers_.chance(2)) fibers_.pass();
    if (!begun_) begin();
    while (writing_ && error_.empty())
      if (follow() != MAXLAT_RING_FOLLOW_RECORD) fibers_.pass();
    reading_ = false;
  }

  maxlat_ring_follow follow() {
    maxlat_ring_walked record;
    const maxlat_ring_follow step = maxlat_ring_follow_next(&follower_, &record);
    if (step != MAXLAT_RING_FOLLOW_RECORD) return step;
    uint64_t number = 0;
    std::memcpy(&number, record.payload, sizeof number);
    if (number >= oracle_.count_reserved()) {
      error_ = "a record of no event";
      return step;
    }
    const Event& event = oracle_.events()[number];
    if (!event.written) error_ = "a record that is not committed";
    if (record.id != event.id || record.payload_size != event.payload) error_ = "another event's id or size";
    if (record.time != event.time) error_ = "another time than was written";
    for (uint64_t i = 1; i < record.payload_size / 8; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, record.payload + 8 * i, sizeof word);
      if (word != content_of(number, i)) error_ = "a wrong byte in a record";
    }
    // The order of reservation is that of positions.
    if (given_any_ && maxlat_ring_wrap(event.position - last_) > MAXLAT_RING_COUNT_MASK / 2) error_ = "out of order";
    if (given_any_ && event.position == last_) error_ = "a record for the second time";
    given_any_ = true;
    last_ = event.position;
    return step;
  }

  void settle() {
    const maxlat_ring_follower_books& books = follower_.books;
    if (maxlat_ring_follow_pending(&follower_) != 0) error_ = "something is pending when all was given";
    if (books.unfinished != 0) error_ = "a record that is unfinished";
    const uint64_t all = books.given + books.overwritten;
    if (!late_ && all != oracle_.count_reserved()) error_ = "the books do not have every record";
    if (all > oracle_.count_reserved()) error_ = "the books have records that nobody wrote";
    // Behind the last one is padding at most, and a packet that was opened ahead.
    const uint64_t behind = maxlat_ring_wrap(*memory_.ring.write_count - last_);
    if (!given_any_ || behind > 2 * memory_.ring.shape.sub_buffer_size) error_ = "the last record was not given";
  }

  static Play* current_;
  Fibers fibers_;
  RingMemory memory_;
  std::vector<maxlat_ring_followed> places_;
  alignas(8) uint8_t copy_[256]{};
  maxlat_ring_follower follower_{};
  Oracle oracle_;
  uint64_t pace_, time_ = 1, last_ = 0;
  bool late_, begun_ = false, writing_ = true, reading_ = false, given_any_ = false;
  int depth_ = 0, handlers_ = 0;
  std::string error_;
};

Play* Play::current_ = nullptr;

class Follow : public testing::TestWithParam<uint32_t> {};

TEST_P(Follow, EveryRecordIsGivenOrKnownToBeOverwritten) {
  uint64_t overwritten = 0, given = 0;
  for (uint64_t seed = 1; seed <= MAXLAT_SCHEDULES; ++seed) {
    Play play(GetParam(), seed);
    ASSERT_EQ(play.result(), "") << "seed " << seed;
    overwritten += play.overwritten();
    given += play.given();
  }
  EXPECT_GT(overwritten, MAXLAT_SCHEDULES / 8);
  EXPECT_GT(given, MAXLAT_SCHEDULES * 8);
}
INSTANTIATE_TEST_SUITE_P(Rings, Follow, testing::Values(1u, 2u, 3u));

}  // namespace

extern "C" void maxlat_ring_test_step(void) {
  Play::step();
}
extern "C" uint64_t maxlat_ring_test_clock(bool) {
  return Play::clock();
}
