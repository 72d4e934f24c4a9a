// SPDX-License-Identifier: MIT
//
// What the reader makes of what was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <maxlat/base/clock.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/field_values.hpp>
#include <maxlat/trace/reader.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <vector>

namespace maxlat::trace {
namespace {

constexpr Field kCount[] = {{.name = "n", .kind = FieldKind::integer, .bytes = 4},
                            {.name = "comm", .kind = FieldKind::string, .count = 16}};

class Written : public testing::Test {
 protected:
  void SetUp() override {
    if (!base::calibrate().trusted) GTEST_SKIP() << "cannot run here: " << base::calibrate().why;
    auto writer = TraceWriter::create(
        {.directory = folder_.path(), .session = "test", .channels = 2, .say = [](const std::string& line) {
           FAIL() << line;
         }});
    ASSERT_TRUE(writer) << writer.error().text;
    writer_ = *std::move(writer);
    channel_ = writer_->add_channel("kernel", StreamKind::kernel);
    id_ = writer_->add_event(channel_, {"", "sched_waking", Level::info, kCount});
  }
  void write(std::size_t stream, std::uint64_t ticks, std::uint32_t n, std::string_view comm = "") {
    std::vector<std::uint8_t> payload(kContextSize + sizeof n);
    const std::uint32_t thread = n + 1000;
    std::memcpy(payload.data(), &thread, sizeof thread);
    std::memcpy(payload.data() + kContextSize, &n, sizeof n);
    payload.insert(payload.end(), comm.begin(), comm.end());
    payload.push_back(0);
    writer_->write(stream, id_, ticks, payload);
  }
  static std::uint32_t number_of(const RecordedEvent& event) {
    FieldValues values(event.type->fields, event.payload);
    FieldValue value;
    return values.next(value) ? static_cast<std::uint32_t>(value.unsigned_at(0)) : ~0u;
  }

  maxlat::test::TemporaryFolder folder_;
  std::unique_ptr<TraceWriter> writer_;
  std::uint32_t channel_ = 0, id_ = 0;
};

// Short records and long ones: a far time, and a first record of each packet.
TEST_F(Written, IsReadInTheCountersOrderWithEachEventsThread) {
  const std::size_t one = writer_->add_stream(channel_, 1), other = writer_->add_stream(channel_, 3);
  const std::uint64_t far = std::uint64_t{1} << 40;
  std::vector<std::uint64_t> ticks;
  for (std::uint32_t n = 0; n < 5000; ++n) {
    ticks.push_back(1000 + 10 * n + (n > 2500 ? far : 0));
    write(n % 3 == 0 ? other : one, ticks.back(), n, n % 7 == 0 ? "fifteen letters" : "");
    if (n == 100) writer_->flush();
  }
  const RecordingReport report = writer_->finish();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.channels[0].recorded, 5000u);
  auto reader = TraceReader::open(folder_.path());
  ASSERT_TRUE(reader) << reader.error().text;
  std::uint32_t n = 0;
  for (RecordedEvent event; (*reader)->next(event); ++n) {
    ASSERT_EQ(number_of(event), n);
    EXPECT_EQ(event.ticks, ticks[n]);
    EXPECT_EQ(event.thread, n + 1000);
    EXPECT_EQ(event.stream->owner, n % 3 == 0 ? 3u : 1u);
    EXPECT_EQ(event.type->name, "sched_waking");
  }
  EXPECT_EQ(n, 5000u);
  EXPECT_TRUE((*reader)->breaks().empty());
}

TEST_F(Written, ALossIsToldBeforeTheEventBehindIt) {
  const std::size_t stream = writer_->add_stream(channel_, 0);
  write(stream, 10, 0);
  write(stream, 20, 1);
  writer_->flush();
  writer_->lose(stream, 7);
  write(stream, 30, 2);
  write(stream, 40, 3);
  writer_->lose(stream, 2);
  writer_->tell(channel_, {.lost_wrap = 1, .not_written = 3});
  const ChannelBooks books = writer_->finish().channels[0];
  EXPECT_EQ(books.recorded, 4u);
  EXPECT_EQ(books.lost_full, 9u);
  EXPECT_EQ(books.lost(), 13u);
  auto reader = TraceReader::open(folder_.path());
  ASSERT_TRUE(reader);
  for (RecordedEvent event; (*reader)->next(event);) {
    EXPECT_EQ(event.loss != nullptr, number_of(event) == 2);
    if (event.loss == nullptr) continue;
    EXPECT_EQ(event.loss->full, 7u);
    EXPECT_EQ(event.loss->before_ns, event.time_ns);
  }
}

// Of streams that are not the kernel's readers take the count for what was lost behind its packet.
TEST_F(Written, ElsewhereALossIsInThePacketBeforeIt) {
  const std::uint32_t channel = writer_->add_channel("list", StreamKind::cpu);
  const std::uint32_t id = writer_->add_event(channel, {"list", "one", Level::info, {}});
  const std::size_t stream = writer_->add_stream(channel, 0);
  for (const std::uint64_t ticks : {10u, 20u, 30u, 40u}) {
    writer_->write(stream, id, ticks, {});
    if (ticks == 20) writer_->lose(stream, 7);
  }
  EXPECT_EQ(writer_->finish().channels[1].lost_full, 7u);
  auto reader = TraceReader::open(folder_.path());
  ASSERT_TRUE(reader);
  for (RecordedEvent event; (*reader)->next(event);) {
    EXPECT_EQ(event.loss != nullptr, event.ticks == 30) << event.ticks;
    if (event.loss == nullptr) continue;
    EXPECT_EQ(event.loss->full, 7u);
    EXPECT_EQ(event.loss->before_ns, event.time_ns);
  }
}

TEST_F(Written, ATimeThatGoesBackIsThatOfTheEventBefore) {
  const std::size_t stream = writer_->add_stream(channel_, 0);
  write(stream, 100, 0);
  write(stream, 90, 1);
  writer_->flush();
  write(stream, 80, 2);
  EXPECT_TRUE(writer_->finish().complete());
  auto reader = TraceReader::open(folder_.path());
  ASSERT_TRUE(reader);
  for (RecordedEvent event; (*reader)->next(event);) EXPECT_EQ(event.ticks, 100u);
}

TEST_F(Written, WhatTheSourceSaysWasProducedIsHeldAgainstIt) {
  write(writer_->add_stream(channel_, 0), 1, 0);
  writer_->tell(channel_, {.produced = 3});
  const RecordingReport report = writer_->finish();
  EXPECT_EQ(report.channels[0].unaccounted(), 2);
  EXPECT_FALSE(report.complete());
}

}  // namespace
}  // namespace maxlat::trace
