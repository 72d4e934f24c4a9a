// SPDX-License-Identifier: MIT
// A producer that is killed between publishing a packet and counting it: the ring's own count is short of that packet,
// and the books are not. model/books.pml has the same death between any two steps.
#include <gtest/gtest.h>

#include "test_recorder.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

constexpr std::uint64_t kInAPacket = 28;  // of 1024 bytes

// From none published to several laps, the last packet open, just closed and just begun; with and without a consumer
// that took what was there before the last events.
TEST_F(RecorderTest, APacketPublishedAndNotCountedBeforeTheDeathIsInTheBooksOnce) {
  for (const std::uint32_t features : {0u, MAXLAT_RING_OVERWRITE}) {
    for (std::uint64_t events = kInAPacket + 1; events < 12 * kInAPacket; events += 9) {
      for (const std::uint64_t taken_before_the_last : {0ull, 30ull, 200ull}) {
        TestSession session(std::vector{ChannelShape{.features = features, .sub_buffer_bits = 10}});
        maxlat_ring& ring = session.claim(0, 0, 42);
        RecorderOptions own = options();
        own.directory +=
            "/" + std::to_string(features) + "-" + std::to_string(events) + "-" + std::to_string(taken_before_the_last);
        std::filesystem::create_directory(own.directory);
        Recorder recorder = attach(session, own);
        tried_ = 0;
        for (std::uint64_t i = 0; i < events; ++i) {
          if (taken_before_the_last != 0 && i + taken_before_the_last == events) recorder.round(kNow);
          event(ring, i);
        }
        ASSERT_GE(ring.header->records_delivered, kInAPacket);
        ring.header->records_delivered -= kInAPacket;
        const RecordingReport report = recorder.finish(RecordingEnd::producer_gone);
        const ChannelBooks& books = report.channels[0];
        SCOPED_TRACE(own.directory);
        EXPECT_EQ(books.produced, tried_);
        EXPECT_EQ(books.unaccounted(), 0);
        EXPECT_EQ(books.recorded + books.overwritten + books.lost_full, tried_);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
