// SPDX-License-Identifier: MIT
// Between which two events something is missing, and events that stand in two files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/trace/reader.hpp>
#include <string>
#include <vector>

#include "ctf/test_trace.hpp"

namespace maxlat::trace {
namespace {

using test::kNumberId;
using test::kTextId;
using test::number;
using test::Packet;
using test::prefix;
using testing::ElementsAre;
using testing::IsEmpty;

std::string moment(std::optional<std::int64_t> time_ns) {
  return time_ns ? std::to_string(*time_ns) : "-";
}

// "10..20 full 5 wrap 0 big 0 packets 0"
std::string shown(const StreamLoss& loss) {
  return moment(loss.after_ns) + ".." + moment(loss.before_ns) + " full " + std::to_string(loss.full) + " wrap " +
         std::to_string(loss.wrap) + " big " + std::to_string(loss.big) + " packets " + std::to_string(loss.packets);
}

struct Outcome {
  std::vector<std::int64_t> times;
  std::vector<std::string> losses;  // "before TIME: ..." or "at end: ..."
};

Outcome read_all(const std::string& folder, ReadOptions options = {}) {
  Outcome outcome;
  const auto reader = test::read_events(folder, std::move(options), [&](const RecordedEvent& event) {
    outcome.times.push_back(event.time_ns);
    if (event.loss != nullptr) {
      outcome.losses.push_back("before " + std::to_string(event.time_ns) + ": " + shown(*event.loss));
    }
  });
  if (!reader) return outcome;
  for (const auto& stream : reader->streams()) {
    if (stream->loss_at_end().any()) outcome.losses.push_back("at end: " + shown(stream->loss_at_end()));
  }
  EXPECT_THAT(reader->breaks(), IsEmpty());
  return outcome;
}

// Two events at `time` and 5 later.
Packet pair(std::uint64_t sequence, std::uint64_t time) {
  Packet packet(prefix(7), sequence, time);
  packet.short_record(kNumberId, time, number(1)).short_record(kNumberId, time + 5, number(2));
  return packet;
}

TEST(StreamLoss, AFullBufferIsBehindTheLastEventOfItsPacketAndOthersAreAnywhereInIt) {
  const test::TemporaryFolder folder;
  folder.write("metadata", test::metadata());
  folder.write("threads-0-0", pair(0, 10).lost(3, 0, 0).bytes() + pair(1, 20).lost(3, 0, 1).bytes() +
                                  pair(2, 30).lost(3, 0, 1).bytes() + pair(5, 60).lost(4, 2, 1).bytes());
  const Outcome outcome = read_all(folder.path());
  EXPECT_EQ(outcome.times.size(), 8u);
  EXPECT_THAT(
      outcome.losses,
      ElementsAre("before 20: 15..20 full 3 wrap 0 big 0 packets 0", "before 30: 15..30 full 0 wrap 0 big 1 packets 0",
                  "before 60: 35..60 full 0 wrap 0 big 0 packets 2", "at end: 35..- full 1 wrap 2 big 0 packets 0"));
}

TEST(StreamLoss, IsToldBeforeTheNextEventThatIsWantedAndWithinTheTimeThatIs) {
  const test::TemporaryFolder folder;
  folder.write("metadata", test::metadata());
  folder.write("threads-0-0", pair(0, 10).lost(1, 0, 0).bytes() + pair(1, 20).lost(3, 0, 0).bytes() +
                                  pair(2, 30).bytes() +
                                  Packet(prefix(7), 3, 40)
                                      .short_record(kTextId, 40, test::Payload().text("x").number(std::uint16_t{0}))
                                      .bytes());
  ReadOptions options;
  options.wants_event = [](const EventType& type) { return type.name == "app:text"; };
  EXPECT_THAT(read_all(folder.path(), options).losses, ElementsAre("before 40: 15..30 full 3 wrap 0 big 0 packets 0"));
  ReadOptions later;
  later.begin_ns = 26;
  EXPECT_THAT(read_all(folder.path(), later).losses, ElementsAre("before 30: 25..30 full 2 wrap 0 big 0 packets 0"));
  ReadOptions earlier;
  earlier.end_ns = 18;
  EXPECT_THAT(read_all(folder.path(), earlier).losses, ElementsAre("at end: 15..20 full 1 wrap 0 big 0 packets 0"));
}

TEST(StreamOverlap, WhatStandsInTwoSnapshotsIsGivenOnce) {
  const test::TemporaryFolder folder;
  for (const char* snapshot : {"10", "9"}) {  // not in the order of names
    folder.write(snapshot + std::string("/app-42/metadata"), test::metadata());
  }
  folder.write("9/app-42/threads-0-0",
               pair(0, 10).bytes() + Packet(prefix(7), 1, 20).short_record(kNumberId, 20, number(1)).bytes());
  folder.write("10/app-42/threads-0-0", pair(0, 20).bytes() + pair(1, 30).bytes());
  const Outcome outcome = read_all(folder.path());
  EXPECT_THAT(outcome.times, ElementsAre(10, 15, 20, 25, 30, 35));
  EXPECT_THAT(outcome.losses, IsEmpty());
}

}  // namespace
}  // namespace maxlat::trace
