// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The whole ring under a scheduler that may interrupt it before every access to a shared word: writers, writers nested
// in writers, a flusher and a reader, in interleavings drawn from a seed. Every event is followed to the byte
// (test_oracle.hpp), and at the end the books must balance. Built at several counter widths (tests.cmake), so that
// counters wrap in every run. Writers of a ring per CPU are moved between two CPUs, and the counter is read early where
// a processor may do that (test_processors.hpp): what reserve.h says of TIME ORDER.
#include <gtest/gtest.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/switch.h>

#include "test_fibers.hpp"
#include "test_freezer.hpp"
#include "test_memory.hpp"
#include "test_oracle.hpp"
#include "test_processors.hpp"

#ifndef MAXLAT_SCHEDULES
#define MAXLAT_SCHEDULES 1500u
#endif

namespace {

using namespace maxlat::ring_test;

struct Setting {
  const char* name;
  maxlat_ring_ownership ownership;
  uint32_t features;
  uint32_t ring_bits;
  int writers;
  bool freezes = false;  // snapshots are asked for, and taken
};

class Play {
 public:
  Play(const Setting& setting, uint64_t seed)
      : setting_(setting),
        fibers_(seed),
        processors_(fibers_, setting.writers),
        memory_(options_of(setting.features, 8, setting.ring_bits, start(seed))),
        freezer_(memory_.ring),
        pace_(2 + fibers_.random()() % 12),
        reader_pace_(1 + fibers_.random()() % 3) {
    current_ = this;
    if (setting_.freezes) memory_.ring.freeze = freezer_.words();
  }
  ~Play() { current_ = nullptr; }

  std::string result() {
    if (!memory_.valid()) return "the ring could not be made";
    for (int i = 0; i < setting_.writers; ++i) fibers_.add([this] { write(); });
    fibers_.add([this] { read(); });
    fibers_.run();
    maxlat_ring_finalise(setting_.ownership, &memory_.ring);
    while (error_.empty() && read_packet()) {
    }
    if (error_.empty()) settle();
    return error_;
  }

  uint64_t copies() const { return copies_; }

  static void step() {
    if (current_ != nullptr && current_->fibers_.inside()) current_->interrupt();
  }
  static uint64_t clock(bool ordered) { return current_ != nullptr ? current_->processors_.clock(ordered) : 0; }

 private:
  // Half of the runs begin two passes before the counters wrap, whatever their width.
  uint64_t start(uint64_t seed) const { return seed % 2 == 0 ? 0 : -(2ull << (8 + setting_.ring_bits)); }

  void write() {
    depth_ = 0;
    reading_ = false;
    if (fibers_.chance(2)) open_ahead();
    for (int i = 0; i < 30 && error_.empty(); ++i) one_event();
    --writing_;
  }

  void one_event() {
    if (setting_.freezes && fibers_.chance(8)) freezer_.request();
    const uint64_t dice = fibers_.random()() % 100;
    if (dice < 4) {
      if (dice != 3) maxlat_ring_flush(setting_.ownership, &memory_.ring);
      if (dice > 1) open_ahead();
      return;
    }
    // Sizes that fill a sub-buffer of 256 - 112 bytes exactly, almost, and not at all; one in 50 is too large for any.
    const uint64_t payload = dice < 6 ? 144 : dice < 12 ? 136 : 8 + 8 * (fibers_.random()() % 9);
    const uint32_t id = dice > 95 ? MAXLAT_RING_LONG_ID + static_cast<uint32_t>(dice) : 1 + static_cast<uint32_t>(dice);
    const Processors::Probe probe(processors_, shared());
    write_event(oracle_, setting_.ownership, memory_.ring, processors_.cpu(), id, payload, [] { step(); });
  }

  void open_ahead() {
    const Processors::Probe probe(processors_, false);
    if (*processors_.cpu().now != 0) return;  // in a handler of a writer that was moved
    maxlat_ring_open_ahead(setting_.ownership, &memory_.ring);
  }

  // Before every shared access: a handler that also traces, or somebody else's turn.
  void interrupt() {
    if (!reading_) processors_.run();
    if (!reading_ && depth_ < 3 && handlers_ < 60 && fibers_.chance(24)) {
      const Processors::Handler handler(processors_);
      ++depth_;
      ++handlers_;
      const int writer = depth_;
      one_event();
      depth_ = writer - 1;
    }
    // A handler runs to its end before the writer it interrupted; the reader, and writers on other CPUs, run beside it.
    if (fibers_.chance(static_cast<uint32_t>(pace_))) {
      const int depth = depth_;
      const bool reading = reading_;
      fibers_.pass();
      depth_ = depth;
      reading_ = reading;
      if (!reading_) processors_.run();
    }
  }

  void read() {
    while (writing_ > 0 && error_.empty()) {
      reading_ = true;
      if (!read_packet()) {
        copy_open();
        freezer_.answer(fibers_.chance(2));
      }
      if (reader_pace_ > 1) fibers_.pass();
    }
    reading_ = false;
  }

  // What is committed of the open packet. Writers go on meanwhile, up to overwriting it.
  void copy_open() {
    alignas(8) uint8_t to[256];
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_copy_open(&memory_.reader, to, &view);
    if (got == MAXLAT_RING_CORRUPT) error_ = "the open packet is corrupt";
    if (got != MAXLAT_RING_GOT) return;
    ++copies_;
    const std::string wrong = oracle_.check_copy(view, [] {});
    if (!wrong.empty()) error_ = "the copy of the open packet: " + wrong;
  }

  bool read_packet() {
    const bool was_reading = reading_;
    reading_ = true;
    const bool any = read_one();
    reading_ = was_reading;
    return any;
  }

  bool read_one() {
    const maxlat_ring_state state = maxlat_ring_poll(&memory_.reader);
    if (state == MAXLAT_RING_NOTHING || state == MAXLAT_RING_HANGUP) return false;
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_get(&memory_.reader, &view);
    if (got == MAXLAT_RING_CORRUPT) error_ = "a packet is corrupt";
    if (got != MAXLAT_RING_GOT) return !overwrites() || writing_ > 0;
    const std::string wrong = oracle_.check(view, [] { step(); });
    if (!wrong.empty()) error_ = wrong;
    const uint64_t number = maxlat_ring_packet_number(&memory_.ring.shape, view.position);
    if (!overwrites() && packets_ > 0 &&
        number != maxlat_ring_packet_number(&memory_.ring.shape, maxlat_ring_wrap(last_position_ + 256))) {
      error_ = "a packet is missing";
    }
    if (!freezer_.may_come(number)) error_ = "a packet that was kept is missing";
    last_position_ = view.position;
    ++packets_;
    maxlat_ring_put(&memory_.reader, &view);
    // The consumer may be replaced at any time between two packets.
    if (fibers_.chance(4) && !maxlat_ring_reader_start(&memory_.reader, &memory_.ring))
      error_ = "a reader cannot start";
    return true;
  }

  void settle() {
    const maxlat_ring_header& books = *memory_.ring.header;
    const uint64_t lost = books.lost_full + books.lost_wrap + books.lost_big;
    if (maxlat_ring_poll(&memory_.reader) != MAXLAT_RING_HANGUP) error_ = "something is left after finalise";
    if (oracle_.count_tried() != oracle_.count_reserved() + lost) error_ = "tried is not reserved + lost";
    if (books.records_delivered != oracle_.count_reserved()) error_ = "not every record was delivered";
    if (!overwrites() && oracle_.count_read() != oracle_.count_reserved()) error_ = "not every record was read";
    if (!oracle_.empty_packets_were_needed(memory_.ring)) error_ = "a packet without a record";
    if (overwrites() && !setting_.freezes && books.lost_full != 0) error_ = "a full ring in overwrite mode";
  }

  bool shared() const { return setting_.ownership == MAXLAT_RING_CPU; }
  bool overwrites() const { return (setting_.features & MAXLAT_RING_OVERWRITE) != 0; }

  static Play* current_;
  Setting setting_;
  Fibers fibers_;
  Processors processors_;
  RingMemory memory_;
  Freezer freezer_;
  Oracle oracle_;
  uint64_t pace_, reader_pace_;
  int writing_ = setting_.writers;
  int depth_ = 0, handlers_ = 0;
  bool reading_ = false;
  uint64_t packets_ = 0, copies_ = 0, last_position_ = 0;
  std::string error_;
};

Play* Play::current_ = nullptr;

class Schedule : public testing::TestWithParam<Setting> {};

TEST_P(Schedule, EveryEventIsAccountedForToTheByte) {
  uint64_t copies = 0;
  for (uint64_t seed = 1; seed <= MAXLAT_SCHEDULES; ++seed) {
    Play play(GetParam(), seed);
    ASSERT_EQ(play.result(), "") << "seed " << seed;
    copies += play.copies();
  }
  EXPECT_GT(copies, MAXLAT_SCHEDULES / 8);  // of open packets
}

constexpr uint32_t kOverwrite = MAXLAT_RING_OVERWRITE, kShared = MAXLAT_RING_SHARED_WRITERS;
INSTANTIATE_TEST_SUITE_P(Rings, Schedule,
                         testing::Values(Setting{"thread_discard_2", MAXLAT_RING_THREAD, 0, 1, 1},
                                         Setting{"thread_discard_4", MAXLAT_RING_THREAD, 0, 2, 1},
                                         Setting{"thread_overwrite_2", MAXLAT_RING_THREAD, kOverwrite, 1, 1},
                                         Setting{"thread_overwrite_4", MAXLAT_RING_THREAD, kOverwrite, 2, 1},
                                         Setting{"cpu_discard_2", MAXLAT_RING_CPU, kShared, 1, 3},
                                         Setting{"cpu_discard_4", MAXLAT_RING_CPU, kShared, 2, 3},
                                         Setting{"cpu_overwrite_2", MAXLAT_RING_CPU, kShared | kOverwrite, 1, 3},
                                         Setting{"cpu_overwrite_4", MAXLAT_RING_CPU, kShared | kOverwrite, 2, 3},
                                         Setting{"thread_freezes_2", MAXLAT_RING_THREAD, kOverwrite, 1, 1, true},
                                         Setting{"thread_freezes_8", MAXLAT_RING_THREAD, kOverwrite, 3, 1, true},
                                         Setting{"cpu_freezes_4", MAXLAT_RING_CPU, kShared | kOverwrite, 2, 3, true}),
                         [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace

extern "C" void maxlat_ring_test_step(void) {
  Play::step();
}
extern "C" uint64_t maxlat_ring_test_clock(bool ordered) {
  return Play::clock(ordered);
}
