// SPDX-License-Identifier: MIT
// What of a session's rings comes to disk: everything, once, in order, with books that balance, whatever ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/switch.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <maxlat/trace/recorder.hpp>
#include <thread>

#include "test_recorder.hpp"
#include "trace_file.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

TEST_F(RecorderTest, WholePacketsComeToDiskInOrderWithTheMetadataBeforeThem) {
  const std::uint64_t begin = maxlat_counter_ordered();
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, options());
  session.append_metadata("/* CTF 1.8 */ first ");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    event(ring, i);
    if (i % 100 == 0) recorder.round(kNow);
  }
  session.append_metadata("second");
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(read_stream(trace_path("channel0-0-0")).values, numbers(0, 1000));
  EXPECT_EQ(text_of(trace_path("metadata")), "/* CTF 1.8 */ first second");
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.channels[0].recorded, 1000u);
  expect_balance(report);
  EXPECT_THAT(
      text_of(trace_path(".books")),
      testing::StartsWith("channel channel0 produced 1000 recorded 1000 lost_full 0 lost_wrap 0 lost_big 0 "
                          "lost_no_ring 0 lost_frozen 0 overwritten 0 unfinished 0 not_written 0 delivery_max_ticks "));
  EXPECT_GT(report.channels[0].delivery_max_ticks, 0u);
  EXPECT_LE(report.channels[0].delivery_max_ticks, maxlat_counter_ordered() - begin) << "nothing was there before";
  EXPECT_THAT(said_, testing::IsEmpty());
}

// Every number of events between two flushes, so that flushes fall on the first, the last and no record of a packet.
TEST_F(RecorderTest, APacketThatIsFlushedInPiecesLosesNoEventAndDoublesNone) {
  for (int apart = 1; apart < 40; ++apart) {
    TestSession session(std::vector{ChannelShape{.sub_buffer_bits = 10}});
    maxlat_ring& ring = session.claim(0, 0, 42);
    RecorderOptions often = options();
    often.flush = 1ns;
    const std::string name = "/" + std::to_string(apart);
    std::filesystem::create_directory(often.directory += name);
    Recorder recorder = attach(session, often);
    tried_ = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      event(ring, i);
      if (i % static_cast<std::uint64_t>(apart) == 0) recorder.round(kNow + std::chrono::nanoseconds(i));
    }
    const RecordingReport report = recorder.finish(RecordingEnd::stopped);
    const DiskTrace trace = read_stream(often.directory + "/program-" + std::to_string(getpid()) + "/channel0-0-0");
    ASSERT_EQ(trace.values, numbers(0, 300)) << apart;
    EXPECT_TRUE(report.complete());
    expect_balance(report);
  }
}

TEST_F(RecorderTest, AFlushMakesAnEventVisibleThoughItsThreadNeverComesBack) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  event(ring, 5);
  recorder.round(kNow + 99ms);
  EXPECT_FALSE(std::filesystem::exists(trace_path("channel0-0-0")));
  recorder.round(kNow + 100ms);
  EXPECT_EQ(read_stream(trace_path("channel0-0-0")).values, numbers(5, 6));
}

TEST_F(RecorderTest, EachChannelIsFlushedInItsOwnTime) {
  TestSession session(
      std::vector{ChannelShape{.name = "often"}, ChannelShape{.name = "usual"}, ChannelShape{.name = "never"}});
  RecorderOptions own = options();
  own.flush_of = {{"often", 1ms}, {"never", 0ns}};
  Recorder recorder = attach(session, own);
  std::vector<maxlat_ring*> rings;
  for (std::uint32_t channel = 0; channel < 3; ++channel) rings.push_back(&session.claim(channel, 0, 42));
  recorder.round(kNow);
  for (maxlat_ring* ring : rings) event(*ring, 5);
  const auto on_disk = [&] {
    std::vector<std::string> names;
    for (const char* name : {"often", "usual", "never"})
      if (std::filesystem::exists(trace_path(std::string(name) + "-0-0"))) names.push_back(name);
    return names;
  };
  recorder.round(kNow + 1ms);
  EXPECT_THAT(on_disk(), testing::ElementsAre("often"));
  recorder.round(kNow + 100ms);
  EXPECT_THAT(on_disk(), testing::ElementsAre("often", "usual"));
  recorder.round(kNow + 100s);
  EXPECT_EQ(on_disk().size(), 2u);
  recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(on_disk().size(), 3u);
}

TEST_F(RecorderTest, TheRingOfAThreadThatEndedIsTakenAndGivenBack) {
  TestSession session;
  Recorder recorder = attach(session, options());
  std::uint64_t next = 0;
  for (int generation = 0; generation < 3; ++generation) {
    maxlat_ring& ring = session.claim(0, 1, 42);
    for (int i = 0; i < 50; ++i) event(ring, next++);
    recorder.round(kNow);
    event(ring, next++);
    session.end(0, 1, ring);
    recorder.round(kNow);
    EXPECT_EQ(session.slot(0, 1).word & MAXLAT_SHM_STATE_MASK, MAXLAT_SHM_FREE);
    EXPECT_EQ(ring.header->magic, 0u);
  }
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  for (std::uint64_t generation = 0; generation < 3; ++generation) {
    EXPECT_EQ(read_stream(trace_path("channel0-1-" + std::to_string(generation))).values,
              numbers(51 * generation, 51 * generation + 51));
  }
  EXPECT_TRUE(report.complete());
  expect_balance(report);
}

TEST_F(RecorderTest, ASlotThatADeadConsumerHadTakenIsFinishedByTheNext) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  event(ring, 0);
  session.end(0, 0, ring);
  session.slot(0, 0).word += MAXLAT_SHM_TAKEN - MAXLAT_SHM_ENDED;
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  EXPECT_EQ(read_stream(trace_path("channel0-0-0")).values, numbers(0, 1));
  EXPECT_EQ(session.slot(0, 0).word, 1ull << MAXLAT_SHM_GENERATION_SHIFT);
}

TEST_F(RecorderTest, EventsLostBecauseNobodyTookThemAreInBooksAndPackets) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  for (std::uint64_t i = 0; i < 1000; ++i) event(ring, i);
  session.channel(0).lost_no_ring = 3;
  tried_ += 3;
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  event(ring, 1000);
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  const DiskTrace trace = read_stream(trace_path("channel0-0-0"));
  EXPECT_EQ(trace.packets.back().lost_full, 1001 - trace.values.size());
  EXPECT_EQ(report.channels[0].lost_full, 1001 - trace.values.size());
  EXPECT_EQ(report.channels[0].lost_no_ring, 3u);
  EXPECT_FALSE(report.complete());
  expect_balance(report);
}

TEST_F(RecorderTest, WhatIsLostBehindTheLastPacketIsToldByOneWithoutARecord) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  for (std::uint64_t i = 0; i < 1000; ++i) event(ring, i);
  maxlat_ring_flush(MAXLAT_RING_THREAD, &ring);
  for (std::uint64_t i = 0; i < 10; ++i) event(ring, i);
  const RecordingReport report = attach(session, options()).finish(RecordingEnd::stopped);
  const DiskTrace trace = read_stream(trace_path("channel0-0-0"));
  ASSERT_EQ(report.channels[0].lost_full, 1010 - trace.values.size());
  EXPECT_EQ(trace.packets.back().lost_full, 1000 - trace.values.size());
  const std::string text = text_of(trace_path("channel0-0-0"));
  maxlat_ring_packet last;
  std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  EXPECT_EQ(last.content_bits, 8 * sizeof last);
  EXPECT_EQ(last.packet_bits, 8 * sizeof last);
  EXPECT_EQ(last.lost_full, 1010 - trace.values.size());
  EXPECT_EQ(last.lost_total, last.lost_full);
  EXPECT_GE(last.begin_time, trace.packets.back().end_time);
}

TEST_F(RecorderTest, AfterTheProducersDeathEveryCommittedEventIsThereAndTheUnfinishedOneIsCounted) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  RecorderOptions often = options();
  often.flush = 1ns;
  Recorder recorder = attach(session, often);
  for (std::uint64_t i = 0; i < 60; ++i) {
    event(ring, i);
    if (i == 50) recorder.round(kNow);
  }
  maxlat_ring_record dead;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 7, 24, &dead));
  ++tried_;
  for (std::uint64_t i = 60; i < 400; ++i) event(ring, i);  // a handler, until the ring is full behind the dead slot
  const RecordingReport report = recorder.finish(RecordingEnd::producer_gone);
  const DiskTrace trace = read_stream(trace_path("channel0-0-0"));
  EXPECT_EQ(trace.values, numbers(0, trace.values.size()));
  EXPECT_EQ(report.channels[0].unfinished, 1u);
  EXPECT_EQ(report.channels[0].lost_full + trace.values.size(), 400u);
  expect_balance(report);
}

TEST_F(RecorderTest, ANewConsumerGetsTheRestOfADeadOnes) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  std::uint64_t first_recorded = 0;
  RecorderOptions whole = options();
  whole.flush = 0ns;  // otherwise the open packet is in both traces
  {
    Recorder recorder = attach(session, whole);
    EXPECT_THAT(Recorder::attach(session.fd(), options()).error().text, HasSubstr("already has a consumer"));
    for (std::uint64_t i = 0; i < 300; ++i) event(ring, i);
    recorder.round(kNow);
    first_recorded = read_stream(trace_path("channel0-0-0")).values.size();
  }
  for (std::uint64_t i = 300; i < 400; ++i) event(ring, i);
  Recorder recorder = attach(session, options());
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(report.trace, folder_.path() + "/program-" + std::to_string(getpid()) + "-2");
  EXPECT_EQ(read_stream(report.trace + "/channel0-0-0").values, numbers(first_recorded, 400));
  EXPECT_EQ(report.channels[0].produced, 400 - first_recorded);
  EXPECT_TRUE(report.complete());
}

TEST_F(RecorderTest, AFullDiskLeavesWholePacketsOneLineAndBooksThatBalance) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  RecorderOptions whole = options();
  whole.flush = 0ns;
  Recorder recorder = attach(session, whole);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 10000;  // two packets of 4080 bytes, and a part of the third
  auto* const handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  for (std::uint64_t i = 0; i < 600; ++i) {
    event(ring, i);
    recorder.round(kNow);
  }
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  const DiskTrace trace = read_stream(trace_path("channel0-0-0"));
  EXPECT_EQ(trace.packets.size(), 2u);
  EXPECT_EQ(trace.values, numbers(0, trace.values.size()));
  EXPECT_EQ(report.channels[0].recorded, trace.values.size());
  EXPECT_EQ(report.channels[0].not_written, 600 - trace.values.size());
  expect_balance(report);
  EXPECT_TRUE(report.write_failed);
  EXPECT_FALSE(report.complete());
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_THAT(said_[0], HasSubstr("file too large"));
  EXPECT_THAT(text_of(trace_path(".books")), HasSubstr("not_written"));
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenIsRefusedWithOneLine) {
  TestSession session;
  RecorderOptions nowhere = options();
  nowhere.directory = "/proc";
  EXPECT_THAT(Recorder::attach(session.fd(), nowhere).error().text,
              HasSubstr("cannot create the folder /proc/program-"));
}

TEST_F(RecorderTest, APlainRecorderRefusesASnapshotAndItsTraceStaysWhole) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, options());
  for (std::uint64_t i = 0; i < 300; ++i) event(ring, i);
  EXPECT_FALSE(recorder.snapshot(kNow));
  session.freeze().requests = 1;
  recorder.round(kNow);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/1"));
  EXPECT_THAT(said_, testing::ElementsAre(HasSubstr("only a flight recorder")));
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(report.snapshots + report.snapshots_skipped, 0u);
  EXPECT_EQ(read_stream(trace_path("channel0-0-0")).values, numbers(0, 300));
}

TEST_F(RecorderTest, TheBooksOfAFolderAreOfTheChannelsInIt) {
  TestSession session(
      std::vector{ChannelShape{.name = "latest", .features = MAXLAT_RING_OVERWRITE}, ChannelShape{.name = "all"}});
  maxlat_ring& latest = session.claim(0, 0, 42);
  maxlat_ring& all = session.claim(1, 0, 42);
  Recorder recorder = attach(session, flight());
  for (std::uint64_t i = 0; i < 100; ++i) {
    event(latest, i);
    event(all, i);
  }
  recorder.round(kNow);
  EXPECT_TRUE(recorder.snapshot(kNow));
  recorder.finish(RecordingEnd::stopped);
  const auto books_in = [&](const std::string& sub) {
    return text_of(folder_.path() + sub + "/program-" + std::to_string(getpid()) + "/.books");
  };
  EXPECT_THAT(books_in(""), testing::StartsWith("channel all produced 100 recorded 100 "));
  EXPECT_THAT(books_in("/1"), testing::StartsWith("channel latest produced 100 recorded 100 "));
  for (const char* sub : {"", "/1", "/2"}) EXPECT_THAT(books_in(sub), testing::Not(HasSubstr("\nchannel"))) << sub;
}

// What was flushed is on disk, and its packet, overwritten before it was taken whole, is not: an event is one of them.
TEST_F(RecorderTest, APacketThatIsOverwrittenAfterAPieceOfItWasFlushedIsCountedOnce) {
  for (const int more : {3, 60, 100, 500, 900}) {
    TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 10}});
    maxlat_ring& ring = session.claim(0, 0, 42);
    RecorderOptions often = options();
    often.flush = 1ns;
    often.directory += "/" + std::to_string(more);
    std::filesystem::create_directory(often.directory);
    Recorder recorder = attach(session, often);
    tried_ = 0;
    for (int round = 0; round < 4; ++round) {
      for (std::uint64_t i = 0; i < 10; ++i) event(ring, i);
      recorder.round(kNow + std::chrono::nanoseconds(round));
      for (int i = 0; i < more; ++i) event(ring, 99);
    }
    const RecordingReport report = recorder.finish(RecordingEnd::stopped);
    EXPECT_EQ(report.channels[0].unaccounted(), 0) << more;
    EXPECT_EQ(report.channels[0].produced, tried_) << more;
    EXPECT_EQ(report.channels[0].overwritten + report.channels[0].recorded, tried_) << more;
  }
}

// Recovery does not look for records behind a hole of more than 64 KiB (ring/open_packet.h): the books say that some
// are missing.
TEST_F(RecorderTest, WhatRecoveryGaveUpLookingForIsMissingInTheBooks) {
  TestSession session(std::vector{ChannelShape{.sub_buffer_bits = 20}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  event(ring, 0);
  *ring.write_count += 70'000;  // a writer that died behind its CAS, before it marked its slot
  for (std::uint64_t i = 1; i <= 100; ++i) event(ring, i);
  const RecordingReport report = attach(session, options()).finish(RecordingEnd::producer_gone);
  EXPECT_EQ(report.channels[0].recorded, 1u);
  EXPECT_EQ(report.channels[0].unaccounted(), 100);
  EXPECT_FALSE(report.complete());
}

// The one who flushed it died since: the next one must not count what stands in the trace of the first.
TEST_F(RecorderTest, APieceInTheTraceOfADeadConsumerIsNotOverwrittenForTheNext) {
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 10}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  std::uint64_t first_recorded = 0;
  {
    RecorderOptions often = options();
    often.flush = 1s;
    Recorder recorder = attach(session, often);
    for (int second = 0; second < 4; ++second) {
      for (int i = 0; i < 10; ++i) event(ring, 1);
      recorder.round(kNow + std::chrono::seconds(second));  // flushed: a piece of the open packet
      for (int i = 0; i < 500; ++i) event(ring, 2);
      recorder.round(kNow + std::chrono::seconds(second) + 1ns);  // not: packets that are whole
    }
    first_recorded = read_stream(trace_path("channel0-0-0"), true).values.size();
  }
  for (int i = 0; i < 500; ++i) event(ring, 3);
  Recorder recorder = attach(session, options());
  const RecordingReport report = recorder.finish(RecordingEnd::stopped);
  EXPECT_EQ(report.channels[0].unaccounted(), 0);
  EXPECT_EQ(first_recorded + report.channels[0].recorded + report.channels[0].overwritten, tried_);
}

// Another process that has the memory, too, and goes on: it is told that the producer is dead, and comes to an end.
TEST_F(RecorderTest, RecoveryEndsAlthoughSomebodyStillWrites) {
  TestSession session(std::vector{ChannelShape{.sub_buffer_bits = 10}});
  maxlat_ring& ring = session.claim(0, 0, 42);
  Recorder recorder = attach(session, options());
  const WriteParts real = write_parts;
  static WriteParts then;
  static maxlat_ring* accomplice;
  static int writes;
  then = real;
  accomplice = &ring;
  writes = 0;
  write_parts = [](int file, const iovec* parts, int count, off_t at) {
    if (++writes < 10'000) {
      for (std::uint64_t i = 0; i < 40; ++i) event(*accomplice, i);
    }
    return then(file, parts, count, at);
  };
  for (std::uint64_t i = 0; i < 60; ++i) event(ring, i);
  const RecordingReport report = recorder.finish(RecordingEnd::producer_gone);
  write_parts = real;
  EXPECT_LT(writes, 100);
  EXPECT_EQ(report.broken_rings, 1u);
}

// Waits for a condition that another thread brings about.
template <typename Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 10000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST_F(RecorderTest, TheThreadPollsAndFlushesByItself) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  auto recorder = InProcessRecorder::start(dup(session.fd()), -1, options());
  ASSERT_TRUE(recorder) << recorder.error().text;
  event(ring, 0);
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(trace_path("channel0-0-0")); }));
  const RecordingReport report = recorder->finish();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(read_stream(trace_path("channel0-0-0")).values, numbers(0, 1));
}

TEST_F(RecorderTest, AWakeupIsHeardLongBeforeTheNextPeriod) {
  TestSession session;
  session.channel(0).delivery = MAXLAT_SHM_WAKEUP;
  maxlat_ring& ring = session.claim(0, 0, 42);
  RecorderOptions slow = options();
  slow.period = slow.flush = 1h;
  const int wakeup = eventfd(0, EFD_CLOEXEC);
  auto recorder = InProcessRecorder::start(dup(session.fd()), dup(wakeup), slow);
  ASSERT_TRUE(recorder) << recorder.error().text;
  ASSERT_TRUE(comes_true([&] {  // past its first round, which takes whatever is there
    return std::filesystem::exists(trace_path("metadata"));
  }));
  for (std::uint64_t i = 0; i < 200; ++i) event(ring, i);
  ASSERT_EQ(eventfd_write(wakeup, 1), 0);
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(trace_path("channel0-0-0")); }));
  EXPECT_TRUE(recorder->finish().complete());
  close(wakeup);
}

TEST_F(RecorderTest, AChildOfForkLeavesTheRecorderToItsParent) {
  TestSession session;
  maxlat_ring& ring = session.claim(0, 0, 42);
  auto recorder = InProcessRecorder::start(dup(session.fd()), -1, options());
  ASSERT_TRUE(recorder);
  const pid_t child = fork();
  if (child == 0) {
    { InProcessRecorder mine = std::move(*recorder); }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  event(ring, 0);
  EXPECT_TRUE(recorder->finish().complete());
}

}  // namespace
