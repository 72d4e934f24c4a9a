// SPDX-License-Identifier: MIT
// Snapshots: what of the rings is in them, whoever asks, and what is kept for them meanwhile (ring/freeze.h).
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test_recorder.hpp"
#include "trace_file.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

// One overwriting channel of four sub-buffers of 4 KiB.
class FlightRecorderTest : public RecorderTest {
 protected:
  static void events(maxlat_ring& ring, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) event(ring, i);
  }
  std::string snapshot(std::uint64_t number) const {
    return folder_.path() + "/" + std::to_string(number) + "/program-" + std::to_string(getpid());
  }
  std::vector<std::uint64_t> values(std::uint64_t number) const {
    return read_stream(snapshot(number) + "/channel0-0-0").values;
  }
  static bool has(const std::vector<std::uint64_t>& values, std::uint64_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  TestSession session_{std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}}};
  maxlat_ring& ring_ = session_.claim(0, 0, 42);
};

constexpr std::uint64_t kManyRings = 100'000;  // events: they fill the ring two hundred times

TEST_F(FlightRecorderTest, AFlightRecorderKeepsTheLatestAndWritesThemWhenAsked) {
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, flight());
  for (std::uint64_t i = 0; i < 5000; ++i) {
    event(ring, i);
    recorder.round(kNow);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  session.freeze().requests = 1;
  recorder.round(kNow);
  const std::string name = "/program-" + std::to_string(getpid()) + "/channel0-0-0";
  const DiskTrace first = read_stream(folder_.path() + "/1" + name);
  ASSERT_FALSE(first.values.empty());
  EXPECT_EQ(first.values, numbers(first.values.front(), 5000));
  EXPECT_GE(first.values.size(), 3 * 124u);  // three whole sub-buffers of the four at least

  session.freeze().requests = 2;
  recorder.round(kNow + 999ms);  // too soon
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/2"));
  event(ring, 5000);
  session.freeze().requests = 3;
  recorder.round(kNow + 1s);
  const DiskTrace second = read_stream(folder_.path() + "/2" + name);
  EXPECT_EQ(second.values, numbers(second.values.front(), 5001));
  EXPECT_GT(second.values.front(), first.values.front());

  for (std::uint64_t i = 5001; i < 9000; ++i) event(ring, i);
  const RecordingReport report = recorder.finish(RecordingEnd::producer_gone);
  EXPECT_EQ(report.snapshots, 3u);
  EXPECT_EQ(report.snapshots_skipped, 1u);
  EXPECT_TRUE(report.complete());
  const DiskTrace last = read_stream(folder_.path() + "/3" + name);
  EXPECT_EQ(last.values, numbers(last.values.front(), 9000));
}

TEST_F(FlightRecorderTest, ASnapshotTellsOfTheLossesSinceTheOneBefore) {
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, flight(0ns));
  const auto too_big = [&ring] {
    maxlat_ring_record record;
    EXPECT_FALSE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 7, 1 << 20, &record));
  };
  const auto losses_in = [&](const char* sub) {
    const std::string folder = folder_.path() + sub + "/program-" + std::to_string(getpid());
    EXPECT_THAT(text_of(folder + "/.books"), testing::HasSubstr(" lost_big 2 "));
    const maxlat_ring_packet last = read_stream(folder + "/channel0-0-0").packets.back();
    EXPECT_EQ(last.lost_total, last.lost_big);
    return last.lost_big;
  };
  for (const char* sub : {"/1", "/2"}) {
    event(ring, 1);
    too_big();
    too_big();
    event(ring, 2);
    EXPECT_TRUE(recorder.snapshot(kNow));
    EXPECT_EQ(losses_in(sub), 2u);
  }
}

// Written to while a snapshot is, at each write to disk: packets that are delivered before the books are looked at.
TEST_F(FlightRecorderTest, APacketThatIsDeliveredDuringASnapshotIsInTheNextAndNotOverwritten) {
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 10}});
  static maxlat_ring* ring;
  ring = &session.claim(0, 0, 42);
  Recorder recorder = attach(session, flight(0ns));
  const WriteParts real = write_parts;
  static WriteParts then;
  then = real;
  write_parts = [](int file, const iovec* parts, int count, off_t at) {
    for (std::uint64_t i = 0; i < 17; ++i) event(*ring, i);
    return then(file, parts, count, at);
  };
  for (int i = 0; i < 8; ++i) {
    for (std::uint64_t n = 0; n < 5; ++n) event(*ring, n);
    recorder.snapshot(kNow);
  }
  write_parts = real;
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  std::uint64_t all = 0;
  for (std::uint64_t i = 1; i <= report.snapshots; ++i) {
    const std::string folder = folder_.path() + "/" + std::to_string(i) + "/program-" + std::to_string(getpid());
    const std::string books = text_of(folder + "/.books");
    const std::uint64_t overwritten = std::stoull(books.substr(books.find("overwritten ") + 12));
    EXPECT_LE(overwritten, tried_) << books;
    all += overwritten;
  }
  EXPECT_LE(all, tried_);
  EXPECT_EQ(report.channels[0].overwritten, all);
}

// The numbers of each packet follow each other, and those of a packet the packet's before it, where its place in the
// file does. Between others some were overwritten while the snapshot was taken.
void expect_whole_and_in_order(const DiskTrace& taken) {
  auto at = taken.values.begin();
  std::uint64_t next = 0, sequence = 0;
  for (const maxlat_ring_packet& packet : taken.packets) {
    ASSERT_LE(packet.records, static_cast<std::uint64_t>(taken.values.end() - at));
    const std::vector<std::uint64_t> values(at, at + static_cast<std::ptrdiff_t>(packet.records));
    EXPECT_EQ(values, numbers(values.front(), values.front() + packet.records));
    if (at != taken.values.begin()) {
      EXPECT_GE(values.front(), next);
      EXPECT_EQ(values.front() == next, packet.sequence == sequence + 1);
    }
    next = values.back() + 1;
    sequence = packet.sequence;
    at += static_cast<std::ptrdiff_t>(packet.records);
  }
  EXPECT_EQ(at, taken.values.end());
}

TEST_F(FlightRecorderTest, ASnapshotWhileItsThreadWritesIsWholeAndTheThreadLosesNothing) {
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE, .ring_bits = 3}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, flight(0ns));
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> written = 0;
  std::thread writer([&] {
    while (!stop) event(ring, written++);
  });
  while (written == 0) std::this_thread::yield();
  constexpr std::uint64_t kSnapshots = 12;
  for (std::uint64_t i = 0; i < kSnapshots; ++i) recorder.snapshot(kNow);
  stop = true;
  writer.join();
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(report.broken_rings, 0u);
  EXPECT_EQ(ring.header->lost_full + ring.header->lost_wrap + ring.header->lost_big, 0u);

  ASSERT_EQ(report.snapshots, kSnapshots + 1);  // one more at the end
  std::uint64_t with_events = 0, twice = 0;
  std::vector<std::uint64_t> last;
  for (std::uint64_t i = 1; i <= report.snapshots; ++i) {
    const std::string path = snapshot(i) + "/channel0-0-0";
    if (!std::filesystem::exists(path)) continue;  // nothing since the one before
    const DiskTrace taken = read_stream(path, true);
    expect_whole_and_in_order(taken);
    ASSERT_FALSE(taken.values.empty());
    EXPECT_TRUE(last.empty() || taken.values.back() >= last.back());
    // The packet that was open when the snapshot before was taken may be whole in this one.
    twice += static_cast<std::uint64_t>(std::ranges::count_if(
        taken.values, [&](std::uint64_t value) { return std::ranges::binary_search(last, value); }));
    last = taken.values;
    ++with_events;
  }
  ASSERT_GE(with_events, 1u);
  EXPECT_EQ(last.back(), written - 1);
  EXPECT_EQ(report.channels[0].produced - twice, written);
  EXPECT_EQ(report.channels[0].unaccounted(), 0);
}

// What happened before the request is there, however much follows it before the recorder looks.
TEST_F(FlightRecorderTest, ARequestKeepsWhatTheRingHasUntilItIsTaken) {
  Recorder recorder = attach(session_, flight());
  events(ring_, 0, 1000);
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 1000, 1000 + kManyRings);
  recorder.round(kNow);
  EXPECT_TRUE(has(values(1), 999));
  EXPECT_GE(values(1).size(), 3 * 124u);  // three whole sub-buffers of the four at least
  EXPECT_GT(ring_.header->lost_full, 0u);
  EXPECT_THAT(text_of(snapshot(1) + "/.books"), testing::HasSubstr(" lost_full 0 "));

  // Then the ring overwrites again, and the next snapshot is of the latest.
  events(ring_, 200'000, 300'000);
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(values(2).back(), 299'999u);
  EXPECT_EQ(report.channels[0].lost_frozen, ring_.header->lost_full);
  EXPECT_EQ(report.channels[0].lost_full, 0u);
  EXPECT_TRUE(report.complete());
  expect_balance(report);
}

// The trigger's own time counts, and not when the recorder comes; and of what was before half a ring stays.
TEST_F(FlightRecorderTest, AfterTheTriggerHalfTheRingIsForWhatFollows) {
  RecorderOptions later = flight();
  later.post_trigger = 3600s;
  Recorder recorder = attach(session_, later);
  events(ring_, 0, 1000);
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 1000, 1000 + kManyRings);
  recorder.round(kNow);
  EXPECT_FALSE(std::filesystem::exists(snapshot(1)));  // not before an hour is over
  session_.freeze().time -= 3600 * session_.header().clock.ticks_per_second;
  recorder.round(kNow);
  const std::vector<std::uint64_t> taken = values(1);
  EXPECT_TRUE(has(taken, 999));
  EXPECT_EQ(taken, numbers(taken.front(), taken.back() + 1));
  const auto after =
      static_cast<std::uint64_t>(std::count_if(taken.begin(), taken.end(), [](auto v) { return v > 999; }));
  EXPECT_GE(after, 2 * 124u);
  EXPECT_LE(after, 3 * 124u);
  EXPECT_EQ(recorder.finish(RecordingEnd::stopped).channels[0].unaccounted(), 0);
}

TEST_F(FlightRecorderTest, ARequestThatWouldBeSkippedKeepsNothing) {
  Recorder recorder = attach(session_, flight());
  events(ring_, 0, 1000);
  maxlat_ring_request_snapshot(&session_.freeze());
  recorder.round(kNow);
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 1000, 1000 + kManyRings);
  EXPECT_EQ(ring_.header->lost_full, 0u);
  recorder.round(kNow + 500ms);
  recorder.round(kNow + 1s);  // from here on the next is due
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 200'000, 300'000);
  EXPECT_GT(ring_.header->lost_full, 0u);
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(report.snapshots_skipped, 1u);
  expect_balance(report);
}

TEST_F(FlightRecorderTest, NorDoesOneBehindASnapshotByHand) {
  Recorder recorder = attach(session_, flight());
  events(ring_, 0, 1000);
  EXPECT_TRUE(recorder.snapshot(kNow));
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 1000, 1000 + kManyRings);
  EXPECT_EQ(ring_.header->lost_full, 0u);
}

TEST_F(FlightRecorderTest, NobodyKeepsAnythingForWhoTakesNoSnapshots) {
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 0, 10'000);
  { Recorder gone = attach(session_, flight()); }
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 0, 10'000);
  Recorder plain = attach(session_, options());
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 0, 10'000);
  EXPECT_EQ(ring_.header->lost_full, 0u);
}

// Killed with a request unanswered: its successor takes that snapshot, if it comes in time. Later the ring goes on.
TEST_F(FlightRecorderTest, TheSuccessorOfAKilledRecorderTakesWhatWasKeptForIt) {
  events(ring_, 0, 1000);
  const auto killed = [&] {
    const pid_t child = fork();
    if (child != 0) return child;
    Recorder recorder = attach(session_, flight());
    raise(SIGKILL);
    _exit(1);
  }();
  int status = 0;
  ASSERT_EQ(waitpid(killed, &status, 0), killed);
  maxlat_ring_request_snapshot(&session_.freeze());
  events(ring_, 1000, 1000 + kManyRings);
  EXPECT_GT(ring_.header->lost_full, 0u);
  {
    Recorder successor = attach(session_, flight());
    successor.round(kNow);
    EXPECT_TRUE(has(values(1), 999));
    EXPECT_EQ(successor.finish(RecordingEnd::stopped).channels[0].unaccounted(), 0);
  }
  const std::uint64_t lost = ring_.header->lost_full;
  session_.freeze().limit = 10 * session_.header().clock.ticks_per_second;  // as one who is killed leaves it
  maxlat_ring_request_snapshot(&session_.freeze());
  session_.freeze().time -= 11 * session_.header().clock.ticks_per_second;
  events(ring_, 0, 10'000);
  EXPECT_EQ(ring_.header->lost_full, lost);
}

}  // namespace
