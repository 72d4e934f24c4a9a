// SPDX-License-Identifier: MIT
// In which order a round takes the rings: the one whose writers have the least room left comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <maxlat/trace/recorder.hpp>

#include "shm/test_session.hpp"
#include "test_trace.hpp"
#include "trace_file.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr std::chrono::nanoseconds kNow = 1000s;
constexpr std::uint32_t kRings = 64;
constexpr std::uint64_t kInSubBuffer = (4096 - 112) / 32 + 1;  // as many events as certainly fill one

// Names of the stream files in the order in which they were first written in a round.
std::vector<std::string> written;

ssize_t note_file(int file, const iovec* parts, int count, off_t at) {
  const std::string name = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)).filename();
  if (std::find(written.begin(), written.end(), name) == written.end()) written.push_back(name);
  return pwritev(file, parts, count, at);
}

class RecorderOrderTest : public testing::Test {
 protected:
  void SetUp() override {
    written.clear();
    write_parts = note_file;
  }
  void TearDown() override { write_parts = pwritev; }

  Recorder attach(const TestSession& session, std::chrono::nanoseconds flush = 0ns) {
    RecorderOptions options;
    options.directory = folder_.path();
    options.flush = flush;
    auto recorder = Recorder::attach(session.fd(), options);
    EXPECT_TRUE(recorder) << recorder.error().text;
    return std::move(*recorder);
  }
  static void events(maxlat_ring& ring, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 7, i, 0, 0);
  }

  TemporaryFolder folder_;
};

TEST_F(RecorderOrderTest, TheOneThatIsNearlyFullComesFirstAmongMany) {
  TestSession session(std::vector{ChannelShape{.slots = kRings}});
  std::vector<maxlat_ring*> rings;
  for (std::uint32_t i = 0; i < kRings; ++i) rings.push_back(&session.claim(0, i, i + 1));
  Recorder recorder = attach(session);
  for (maxlat_ring* ring : rings) events(*ring, kInSubBuffer);
  events(*rings[57], 2 * kInSubBuffer);
  recorder.round(kNow);
  ASSERT_EQ(written.size(), kRings);
  EXPECT_EQ(written[0], "channel0-57-0");
  EXPECT_EQ(written[1], "channel0-0-0") << "equal ones in the order of slots";
  EXPECT_EQ(written.back(), "channel0-63-0");
}

// In every later round, too; by bytes, also between channels of other sizes, and before rings that are only flushed.
TEST_F(RecorderOrderTest, OrderIsByTheBytesThatAreLeft) {
  TestSession session(std::vector{ChannelShape{.name = "large", .ring_bits = 4}, ChannelShape{.name = "small"}});
  maxlat_ring& large = session.claim(0, 0, 1);
  maxlat_ring& open = session.claim(0, 1, 2);
  maxlat_ring& small = session.claim(1, 0, 3);
  maxlat_ring& smaller = session.claim(1, 3, 4);
  Recorder recorder = attach(session, 1ns);
  for (int again = 0; again < 3; ++again) {
    events(large, 10 * kInSubBuffer);
    events(open, 1);
    events(small, kInSubBuffer);
    events(smaller, kInSubBuffer + 1);
    written.clear();
    recorder.round(kNow + std::chrono::nanoseconds(again));
    EXPECT_THAT(written, ElementsAre("small-3-0", "small-0-0", "large-0-0", "large-1-0")) << again;
  }
}

// Nobody loses events in the ring of a thread that is gone.
TEST_F(RecorderOrderTest, ARingThatNobodyWritesToAnyMoreWaits) {
  TestSession session;
  maxlat_ring& gone = session.claim(0, 0, 1);
  maxlat_ring& lives = session.claim(0, 1, 2);
  Recorder recorder = attach(session);
  events(gone, 3 * kInSubBuffer);
  events(lives, kInSubBuffer);
  session.end(0, 0, gone);
  recorder.round(kNow);
  EXPECT_THAT(written, ElementsAre("channel0-1-0", "channel0-0-0"));
}

}  // namespace
