// SPDX-License-Identifier: MIT
// The whole tracer in one process: session, probes and recorder, threads that come and go, both deliveries.
#include <gtest/gtest.h>
#include <unistd.h>

#include <maxlat/base/result.hpp>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/session.hpp>
#include <thread>
#include <vector>

#include "test_trace.hpp"

MAXLAT_TRACE_EVENT(in_process, count, (std::uint64_t, value))
MAXLAT_TRACE_EVENT(in_process, big, (maxlat::trace::Sequence<std::uint64_t, 200>, values))

namespace {

using namespace maxlat::trace;

// A session with one channel, "all", that has this file's events and is on.
struct Started {
  explicit Started(ChannelOptions channel) {
    options.directory = folder.path();
    if (!session) {
      ADD_FAILURE() << session.error().text;
      return;
    }
    channel.name = "all";
    EXPECT_TRUE(session->add_channel(std::move(channel)));
    EXPECT_TRUE(session->enable("all", "in_process:*"));
    EXPECT_TRUE(session->start());
    const auto descriptors = session->descriptors();
    EXPECT_TRUE(descriptors);
    if (descriptors) to_read = *descriptors;
  }

  const test::TemporaryFolder folder;
  maxlat::base::Result<Session> session = Session::create({.name = "in-process"});
  SessionDescriptors to_read;
  RecorderOptions options;  // into the folder
};

class InProcess : public testing::TestWithParam<Delivery> {};

TEST_P(InProcess, EveryEventOfEveryThreadIsOnDiskWhenTheSessionIsStopped) {
  // Room for all events of a thread, so that no load of the machine loses one.
  Started started({.delivery = GetParam(), .sub_buffer_size = 4096, .sub_buffers = 16});
  auto& session = started.session;
  ASSERT_TRUE(session);
  auto recorder = InProcessRecorder::start(started.to_read.memory, started.to_read.wakeup, started.options);
  ASSERT_TRUE(recorder) << recorder.error().text;
  constexpr std::uint64_t kThreads = 20, kEvents = 1000;
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    std::thread([] {
      for (std::uint64_t value = 0; value < kEvents; ++value) MAXLAT_TRACE(in_process, count, value);
    }).join();
  }
  ASSERT_TRUE(session->stop());
  const RecordingReport report = recorder->finish();
  EXPECT_TRUE(report.complete());
  ASSERT_EQ(report.channels.size(), 1u);
  EXPECT_EQ(report.channels[0].recorded, kThreads * kEvents);
  EXPECT_EQ(report.channels[0].produced, kThreads * kEvents);
  std::size_t streams = 0;
  for (const auto& file : std::filesystem::directory_iterator(report.trace)) {
    if (!file.path().filename().string().starts_with("all-")) continue;
    EXPECT_EQ(test::read_stream(file.path()).values, test::numbers(0, kEvents)) << file.path();
    ++streams;
  }
  EXPECT_EQ(streams, kThreads);
  EXPECT_TRUE(session->destroy());
}

// One slot for many threads, one after the other: each takes the place of the one before it, and with it what nobody
// had read. Whenever the recorder comes, each event is recorded, lost, or overwritten.
TEST(SlotUsedAgain, WhatIsInTheRingOfASlotThatIsUsedAgainIsCounted) {
  for (const int rounds_apart : {1, 2, 3, 100}) {
    Started started({.when_full = FullBuffer::overwrite, .sub_buffer_size = 1024, .sub_buffers = 2, .slots = 1});
    auto& session = started.session;
    ASSERT_TRUE(session);
    started.options.flush = std::chrono::nanoseconds(1);
    auto recorder = Recorder::attach(started.to_read.memory, started.options);
    ASSERT_TRUE(recorder) << recorder.error().text;
    constexpr std::uint64_t kEvents = 100;
    for (int i = 0; i < 12; ++i) {
      std::thread([&] {
        for (std::uint64_t value = 0; value < kEvents; ++value) {
          MAXLAT_TRACE(in_process, count, value);
          if (value == 40 && i % rounds_apart == 0) recorder->round(std::chrono::seconds(1000 + i));
        }
        MAXLAT_TRACE(in_process, big, std::vector<std::uint64_t>(200));
      }).join();
      // Where this round takes what the thread left, its slot is free, and not used again.
      if (i % rounds_apart == 1) recorder->round(std::chrono::seconds(1000 + i));
    }
    ASSERT_TRUE(session->stop());
    const RecordingReport report = recorder->finish(RecordingEnd::stopped);
    const ChannelBooks& books = report.channels[0];
    EXPECT_EQ(books.produced, 12 * (kEvents + 1)) << rounds_apart;
    EXPECT_EQ(books.lost_big, 12u) << rounds_apart;
    EXPECT_EQ(books.unaccounted(), 0) << rounds_apart;
    EXPECT_TRUE(session->destroy());
    close(started.to_read.memory);
  }
}

INSTANTIATE_TEST_SUITE_P(Deliveries, InProcess, testing::Values(Delivery::timer, Delivery::wakeup),
                         [](const auto& test) { return test.param == Delivery::timer ? "timer" : "wakeup"; });

}  // namespace
