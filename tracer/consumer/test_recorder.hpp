// SPDX-License-Identifier: MIT
//
// For tests of recorders: a session, a folder, and what the recorder said.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/ring/record_write.h>

#include <chrono>
#include <maxlat/trace/recorder.hpp>

#include "shm/test_session.hpp"
#include "test_trace.hpp"

namespace maxlat::trace::test {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kNow = 1000s;

class RecorderTest : public testing::Test {
 protected:
  static void event(maxlat_ring& ring, std::uint64_t value) {
    ++tried_;
    maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 7, value, 0, 0);
  }
  void SetUp() override { tried_ = 0; }

  RecorderOptions options() {
    RecorderOptions options;
    options.directory = folder_.path();
    options.say = [this](const std::string& line) { said_.push_back(line); };
    return options;
  }
  RecorderOptions flight(std::chrono::nanoseconds interval = 1s) {
    RecorderOptions flight = options();
    flight.flight_recorder = true;
    flight.snapshot_interval = interval;
    return flight;
  }
  Recorder attach(const TestSession& session, const RecorderOptions& options) {
    auto recorder = Recorder::attach(session.fd(), options);
    EXPECT_TRUE(recorder) << recorder.error().text;
    return std::move(*recorder);
  }
  std::string trace_path(const std::string& name) const {
    return folder_.path() + "/program-" + std::to_string(getpid()) + "/" + name;
  }
  static void expect_balance(const RecordingReport& report) {
    std::uint64_t produced = 0;
    for (const ChannelBooks& books : report.channels) {
      EXPECT_EQ(books.unaccounted(), 0) << books.name;
      produced += books.produced;
    }
    EXPECT_EQ(produced, tried_);
  }

  TemporaryFolder folder_;
  std::vector<std::string> said_;
  static inline std::uint64_t tried_ = 0;
};

}  // namespace maxlat::trace::test
