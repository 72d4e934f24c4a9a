// SPDX-License-Identifier: MIT
// The books of a consumer that looks at a ring while writers are at work: RingDrain under the scheduler of
// ring/schedule_test.cpp, which may interrupt either side before every access to a shared word. What label [B1] is for:
// a packet that is counted and not filled must not be taken for one that was overwritten. Found is a side that takes
// its two steps in the wrong order, as it is written; not found is a processor that does, where memory reorders.
#include <gtest/gtest.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/test_event_probe.h>

#include "ring/test_fibers.hpp"
#include "ring_drain.hpp"
#include "shm/test_session.hpp"
#include "test_trace.hpp"

namespace {

using namespace maxlat::trace;
using maxlat::ring_test::Fibers;

struct Setting {
  const char* name;
  maxlat_ring_ownership ownership;
  std::uint32_t ring_bits;
  int writers;
};

class Play {
 public:
  Play(const Setting& setting, std::uint64_t seed, const std::string& folder)
      : setting_(setting),
        fibers_(seed),
        session_(std::vector{
            test::ChannelShape{.features = features(), .sub_buffer_bits = 8, .ring_bits = setting.ring_bits}}),
        ring_(session_.claim(0, 0, 1)),
        memory_(*SessionMemory::attach(session_.fd())),
        folder_(*WrittenTrace::create(folder, memory_, [](const std::string&) {})),
        drain_(*RingDrain::start(*memory_.map_ring(0, 0), "ring")),
        pace_(2 + static_cast<std::uint32_t>(fibers_.random()() % 12)) {
    current_ = this;
  }
  ~Play() { current_ = nullptr; }
  Play(const Play&) = delete;
  Play& operator=(const Play&) = delete;

  std::string result() {
    for (int i = 0; i < setting_.writers; ++i) fibers_.add([this] { write(); });
    fibers_.add([this] { read(); });
    fibers_.run();
    maxlat_ring_finalise(setting_.ownership, &ring_);
    const ChannelBooks books = take();
    if (error_.empty() && books.produced != events_) error_ = "produced";
    if (error_.empty() && books.unaccounted() != 0) error_ = "recorded, lost and overwritten";
    if (!error_.empty()) {
      error_ += ": of " + std::to_string(events_) + " events: produced " + std::to_string(books.produced) +
                " recorded " + std::to_string(books.recorded) + " overwritten " + std::to_string(books.overwritten);
    }
    overwritten_ = books.overwritten;
    return error_;
  }
  std::uint64_t overwritten() const { return overwritten_; }

  static void step() {
    if (current_ != nullptr && current_->fibers_.inside()) current_->interrupt();
  }
  static std::uint64_t clock() { return current_ != nullptr ? ++current_->now_ : 0; }

 private:
  std::uint32_t features() const {
    return MAXLAT_RING_OVERWRITE | (setting_.ownership == MAXLAT_RING_CPU ? MAXLAT_RING_SHARED_WRITERS : 0);
  }
  // Four events fill a packet, so sixteen sub-buffers have room for all of them and for those of handlers.
  void write() {
    reading_ = inside_handler_ = false;
    for (int i = 0; i < 24 / setting_.writers; ++i) event();
    --writing_;
  }
  void event() { maxlat_ring_event(setting_.ownership, &ring_, 7, ++events_, 0, 0); }

  void read() {
    reading_ = true;
    while (writing_ > 0 && error_.empty()) {
      take();
      fibers_.pass();
      reading_ = true;
    }
  }
  ChannelBooks take() {
    drain_.take_ready(folder_);
    drain_.settle();
    ChannelBooks books;
    drain_.add_to(books);
    if (!may_overwrite() && books.overwritten != 0 && error_.empty()) error_ = "a packet is taken for overwritten";
    return books;
  }
  bool may_overwrite() const { return setting_.ring_bits < 4; }

  // As in ring/schedule_test.cpp: a handler runs to its end before the writer that it interrupted.
  void interrupt() {
    if (!reading_ && !inside_handler_ && handlers_ < 24 && fibers_.chance(24)) {
      inside_handler_ = true;
      ++handlers_;
      event();
      inside_handler_ = false;
    }
    if (!fibers_.chance(pace_)) return;
    const bool reading = reading_, inside_handler = inside_handler_;
    fibers_.pass();
    reading_ = reading;
    inside_handler_ = inside_handler;
  }

  static Play* current_;
  Setting setting_;
  Fibers fibers_;
  test::TestSession session_;
  maxlat_ring& ring_;
  SessionMemory memory_;
  WrittenTrace folder_;
  RingDrain drain_;
  std::uint32_t pace_;
  std::uint64_t now_ = 0, events_ = 0, overwritten_ = 0;
  int writing_ = setting_.writers, handlers_ = 0;
  bool reading_ = false, inside_handler_ = false;
  std::string error_;
};

Play* Play::current_ = nullptr;

class DrainSchedule : public testing::TestWithParam<Setting> {};

TEST_P(DrainSchedule, NoPacketIsTakenForOverwrittenThatIsNot) {
  std::uint64_t overwritten = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const test::TemporaryFolder folder;
    Play play(GetParam(), seed, folder.path());
    ASSERT_EQ(play.result(), "") << "seed " << seed;
    overwritten += play.overwritten();
  }
  EXPECT_EQ(overwritten > 0, GetParam().ring_bits < 4);
}

INSTANTIATE_TEST_SUITE_P(Rings, DrainSchedule,
                         testing::Values(Setting{"thread_2", MAXLAT_RING_THREAD, 1, 1},
                                         Setting{"thread_16", MAXLAT_RING_THREAD, 4, 1},
                                         Setting{"cpu_2", MAXLAT_RING_CPU, 1, 2},
                                         Setting{"cpu_16", MAXLAT_RING_CPU, 4, 2}),
                         [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace

extern "C" void maxlat_ring_test_step(void) {
  Play::step();
}
extern "C" std::uint64_t maxlat_ring_test_clock(bool ordered) {
  (void)ordered;
  return Play::clock();
}
