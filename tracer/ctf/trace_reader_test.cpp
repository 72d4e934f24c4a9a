// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <maxlat/trace/reader.hpp>
#include <string>
#include <vector>

#include "ctf/test_trace.hpp"

namespace maxlat::trace {
namespace {

using test::kFarId;
using test::kNumberId;
using test::kTextId;
using test::number;
using test::Packet;
using test::Payload;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kLow = std::uint64_t{1} << MAXLAT_RING_TIME_BITS;

// "time thread event value": an event as the tests look at it.
std::string shown(const RecordedEvent& event) {
  std::string text = std::to_string(event.time_ns) + " " + std::to_string(event.stream->owner) + " " + event.type->name;
  FieldValues values(event.type->fields, event.payload);
  for (FieldValue value; values.next(value);) {
    if (value.field->kind == FieldKind::string) {
      text += " " + std::string(value.text());
    } else {
      for (std::size_t i = 0; i < value.count; ++i) {
        text +=
            " " + (value.field->is_signed ? std::to_string(value.signed_at(i)) : std::to_string(value.unsigned_at(i)));
      }
    }
  }
  return text + (values.broken() ? " broken" : "");
}

struct Outcome {
  std::vector<std::string> events;
  std::vector<TraceBreak> breaks;
};

Outcome read_all(const std::string& folder, ReadOptions options = {}) {
  Outcome outcome;
  const auto reader = test::read_events(
      folder, std::move(options), [&](const RecordedEvent& event) { outcome.events.push_back(shown(event)); });
  if (reader) outcome.breaks = reader->breaks();
  return outcome;
}

class TraceReaderTest : public testing::Test {
 protected:
  TraceReaderTest() { folder_.write("metadata", test::metadata()); }
  test::TemporaryFolder folder_;
};

TEST_F(TraceReaderTest, MergesStreamsByTimeAndReadsFields) {
  Payload text;
  text.text("hello").number(std::uint16_t{2}).number(std::int16_t{-1}).number(std::int16_t{300});
  folder_.write("threads-0-0", Packet(test::prefix(7), 0, 100).short_record(kNumberId, 100, number(1)).bytes() +
                                   Packet(test::prefix(7), 1, 130).short_record(kTextId, 130, text).bytes());
  folder_.write("threads-1-0", Packet(test::prefix(8, 1), 0, 90)
                                   .short_record(kNumberId, 90, number(2))
                                   .long_record(kFarId, 120, number(3))
                                   .short_record(kNumberId, 130, number(4))
                                   .bytes());
  const Outcome outcome = read_all(folder_.path());
  EXPECT_THAT(outcome.events, ElementsAre("90 8 app:number 2", "100 7 app:number 1", "120 8 app:far 3",
                                          "130 7 app:text hello -1 300", "130 8 app:number 4"));
  EXPECT_TRUE(outcome.breaks.empty());
}

TEST_F(TraceReaderTest, OfEqualTimesTheFewerTicksComeFirstThenTheFirstStream) {
  folder_.write("metadata", test::metadata({base::clock_with_rate(4), 0, 0}));  // four ticks have one time
  const auto stream = [&](std::uint32_t slot, std::uint64_t ticks) {
    folder_.write("threads-" + std::to_string(slot) + "-0",
                  Packet(test::prefix(7 + slot, slot), 0, ticks).short_record(kNumberId, ticks, number(slot)).bytes());
  };
  stream(0, 403);
  stream(1, 401);
  stream(2, 403);
  EXPECT_THAT(read_all(folder_.path()).events,
              ElementsAre("100 8 app:number 1", "100 7 app:number 0", "100 9 app:number 2"));
}

TEST(TracesOfOneBoot, HaveOneClockUnlessTheCounterBeganAnew) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const test::TemporaryFolder folder;
  const auto process = [&](const std::string& name, std::int64_t realtime, std::int64_t monotonic) {
    folder.write(name + "/metadata", test::metadata({base::clock_with_rate(1), realtime, monotonic, {7}}));
  };
  process("a", 100 * kHour, 0);
  process("wall clock was set", 103 * kHour, 1000);
  process("slept", 100 * kHour + 1000, 3 * kHour);
  process("woke with a new counter", 103 * kHour, 3 * kHour);
  const auto reader = TraceReader::open(folder.path());
  ASSERT_TRUE(reader) << reader.error().text;
  std::vector<std::int64_t> begins;
  for (const StoredProcess& each : (*reader)->processes())
    begins.push_back(each.description.time.realtime_ns(0) / kHour);
  EXPECT_THAT(begins, ElementsAre(100, 100, 100, 103));
}

TEST_F(TraceReaderTest, TruncatedTimesAreTheFirstNotBelowTheLast) {
  const std::uint64_t begin = 3 * kLow - 1;
  folder_.write("threads-0-0", Packet(test::prefix(7), 0, begin)
                                   .short_record(kNumberId, begin, number(0))
                                   .short_record(kNumberId, begin + 1, number(1))
                                   .short_record(kNumberId, begin + kLow - 1, number(2))
                                   .long_record(kNumberId, begin + 9 * kLow, number(3))
                                   .short_record(kNumberId, begin + 9 * kLow + 5, number(4))
                                   .bytes());
  const auto at = [&](std::uint64_t after, int n) {
    return std::to_string(begin + after) + " 7 app:number " + std::to_string(n);
  };
  EXPECT_THAT(read_all(folder_.path()).events,
              ElementsAre(at(0, 0), at(1, 1), at(kLow - 1, 2), at(9 * kLow, 3), at(9 * kLow + 5, 4)));
}

TEST_F(TraceReaderTest, FiltersByEventThreadAndTime) {
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    std::string bytes;
    for (std::uint64_t i = 0; i < 3; ++i) {
      bytes += Packet(test::prefix(thread), i, 100 * i)
                   .short_record(kNumberId, 100 * i, number(0))
                   .long_record(kFarId, 100 * i + 50, number(1))
                   .bytes();
    }
    folder_.write("threads-" + std::to_string(thread) + "-0", bytes);
  }
  ReadOptions options;
  options.wants_stream = [](const TraceStream& stream) { return stream.owner == 1; };
  options.begin_ns = 50;
  options.end_ns = 250;
  EXPECT_THAT(read_all(folder_.path(), options).events,
              ElementsAre("50 1 app:far 1", "100 1 app:number 0", "150 1 app:far 1", "200 1 app:number 0"));
  options.wants_event = [](const EventType& type) { return type.name == "app:far"; };
  EXPECT_THAT(read_all(folder_.path(), options).events, ElementsAre("50 1 app:far 1", "150 1 app:far 1"));
}

TEST_F(TraceReaderTest, TheCpuOfAnEventIsNoPartOfItsFields) {
  folder_.write("metadata", test::metadata() + metadata_of_channel(1, "both", StreamKind::thread_with_cpu) +
                                metadata_of_event(1, kNumberId, {"app", "number", Level::info, test::kNumber}));
  const auto on = [](std::uint32_t cpu, std::uint32_t n) { return Payload().number(std::uint64_t{cpu}).number(n); };
  const auto prefix = packet_prefix(test::uuid(), 1, 7);
  folder_.write("both-0-0", Packet(prefix, 0, 100)
                                .short_record(kNumberId, 100, on(3, 1))
                                .long_record(kNumberId, 110, on(0, 2))
                                .short_record(kNumberId, 120, on(0xffffffff, 3))
                                .bytes());
  const auto reader = TraceReader::open(folder_.path(), {});
  ASSERT_TRUE(reader);
  std::vector<std::uint32_t> cpus;
  std::vector<std::string> events;
  for (RecordedEvent event; (*reader)->next(event);) {
    cpus.push_back(event.cpu.value());
    events.push_back(shown(event));
  }
  EXPECT_THAT(cpus, ElementsAre(3u, 0u, 0xffffffffu));
  EXPECT_THAT(events, ElementsAre("100 7 app:number 1", "110 7 app:number 2", "120 7 app:number 3"));
  ReadOptions options;
  options.wants_cpu = [](const TraceStream&, std::uint32_t cpu) { return cpu == 0; };
  EXPECT_THAT(read_all(folder_.path(), options).events, ElementsAre("110 7 app:number 2"));
}

TEST_F(TraceReaderTest, ARecordWithoutRoomForItsCpuEndsItsPacket) {
  folder_.write("metadata", test::metadata() + metadata_of_channel(1, "both", StreamKind::thread_with_cpu) +
                                metadata_of_event(1, kNumberId, {"app", "number", Level::info, {}}));
  const auto prefix = packet_prefix(test::uuid(), 1, 7);
  folder_.write("both-0-0", Packet(prefix, 0, 100).short_record(kNumberId, 100, Payload()).bytes() +
                                Packet(prefix, 1, 200).short_record(kNumberId, 200, Payload().number(1ul)).bytes());
  const Outcome outcome = read_all(folder_.path());
  EXPECT_THAT(outcome.events, ElementsAre("200 7 app:number"));
  ASSERT_EQ(outcome.breaks.size(), 1u);
  EXPECT_THAT(outcome.breaks[0].why, HasSubstr("without room for its CPU"));
}

// A file may end anywhere: the recorder's machine died. Every packet before the cut is read, and the cut is told.
TEST_F(TraceReaderTest, CutAtEveryByteGivesThePacketsBeforeIt) {
  std::vector<std::string> packets;
  for (std::uint64_t i = 0; i < 3; ++i) {
    packets.push_back(Packet(test::prefix(7), i, 10 * i)
                          .short_record(kNumberId, 10 * i, number(1))
                          .long_record(kFarId, 10 * i + 1, number(2))
                          .bytes());
  }
  const std::string whole = packets[0] + packets[1] + packets[2];
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    folder_.write("threads-0-0", whole.substr(0, size));
    const Outcome outcome = read_all(folder_.path());
    const std::size_t packets_left = size / packets[0].size();
    ASSERT_EQ(outcome.events.size(), 2 * packets_left) << size;
    const bool between = size % packets[0].size() == 0;
    ASSERT_EQ(outcome.breaks.size(), between ? 0u : 1u) << size;
    if (!between) {
      ASSERT_EQ(outcome.breaks[0].offset, packets_left * packets[0].size()) << size;
    }
  }
}

TEST_F(TraceReaderTest, SaysWhatIsBrokenAndReadsOn) {
  const auto packet = [&](std::uint64_t i) {
    return Packet(test::prefix(7), i, 10 * i)
        .short_record(kNumberId, 10 * i, number(0))
        .short_record(kNumberId, 10 * i, number(1));
  };
  // A record of id 0 in the second packet: its rest is skipped, the third is read.
  std::string second = packet(1).bytes();
  second.replace(MAXLAT_RING_PACKET_HEADER + 16, 8, 8, '\0');
  folder_.write("threads-0-0", packet(0).bytes() + second + packet(2).bytes());
  Outcome outcome = read_all(folder_.path());
  EXPECT_EQ(outcome.events.size(), 5u);
  ASSERT_EQ(outcome.breaks.size(), 1u);
  EXPECT_EQ(outcome.breaks[0].offset, packet(0).bytes().size() + MAXLAT_RING_PACKET_HEADER + 16);

  // No packet where one should begin: nothing after it can be found.
  folder_.write("threads-0-0", packet(0).bytes() + std::string(200, 'x') + packet(1).bytes());
  outcome = read_all(folder_.path());
  EXPECT_EQ(outcome.events.size(), 2u);
  ASSERT_EQ(outcome.breaks.size(), 1u);
  EXPECT_THAT(outcome.breaks[0].why, HasSubstr("no packet"));

  folder_.write(
      "threads-0-0",
      packet(0).short_record(99, 5, {}).short_record(98, 6, {}).short_record(kNumberId, 7, number(2)).bytes());
  outcome = read_all(folder_.path());
  EXPECT_EQ(outcome.events.size(), 3u);
  ASSERT_EQ(outcome.breaks.size(), 1u) << "once, not for each";
  EXPECT_THAT(outcome.breaks[0].why, HasSubstr("no event 99"));

  folder_.write("threads-0-0", Packet(test::prefix(7), 0, 0).short_record(kNumberId, 0, {}).bytes());
  EXPECT_THAT(read_all(folder_.path()).events, ElementsAre("0 7 app:number broken"));
}

// A recorder that goes on writes the event type first, and then the event.
TEST_F(TraceReaderTest, AnEventTypeThatCameAfterReadingBeganIsNoDamage) {
  constexpr std::uint32_t kLate = 5;
  folder_.write("threads-0-0", Packet(test::prefix(7), 0, 0)
                                   .short_record(kNumberId, 1, number(1))
                                   .short_record(kLate, 2, number(2))
                                   .short_record(kNumberId, 3, number(3))
                                   .bytes());
  for (const bool comes : {false, true}) {
    const auto reader = TraceReader::open(folder_.path());
    ASSERT_TRUE(reader);
    if (comes) {
      folder_.write("metadata",
                    test::metadata() + metadata_of_event(0, kLate, {"app", "late", Level::info, test::kNumber}));
    }
    std::size_t events = 0;
    for (RecordedEvent event; (*reader)->next(event);) ++events;
    EXPECT_EQ(events, comes ? 1u : 2u);
    EXPECT_EQ((*reader)->breaks().size(), comes ? 0u : 1u);
  }
}

TEST_F(TraceReaderTest, AStreamThatEndedHoldsNoMemory) {
  constexpr std::uint32_t kStreams = 100;
  for (std::uint32_t i = 0; i < kStreams; ++i) {
    folder_.write("threads-" + std::to_string(i) + "-0",
                  Packet(test::prefix(i, i), 0, i).short_record(kNumberId, i, number(i)).bytes());
  }
  const auto in_use = [] {
    const auto memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  for (const std::int64_t end_ns : {1000, 1}) {  // all of them are read to their ends, or all but one given up
    ReadOptions options;
    options.end_ns = end_ns;
    const auto reader = TraceReader::open(folder_.path(), options);
    ASSERT_TRUE(reader);
    const auto before = in_use();
    for (RecordedEvent event; (*reader)->next(event);) continue;
    EXPECT_LT(in_use(), before + kStreams * PacketFile::kWindow / 4);
  }
}

TEST_F(TraceReaderTest, AFileOfAnotherTraceIsNotRead) {
  folder_.write("threads-0-0", Packet(packet_prefix(Uuid{}, 0, 7), 0, 0).short_record(kNumberId, 0, number(0)).bytes());
  folder_.write("threads-1-0",
                Packet(packet_prefix(test::uuid(), 5, 7), 0, 0).short_record(kNumberId, 0, number(0)).bytes());
  const Outcome outcome = read_all(folder_.path());
  EXPECT_TRUE(outcome.events.empty());
  ASSERT_EQ(outcome.breaks.size(), 2u);
  EXPECT_THAT(outcome.breaks[0].why, HasSubstr("another trace"));
  EXPECT_THAT(outcome.breaks[1].why, HasSubstr("no channel 5"));
}

TEST(TraceFolder, SaysWhyItIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(open_trace_folder(folder / "gone").error().text, HasSubstr("No such file"));
  EXPECT_THAT(open_trace_folder(folder.path()).error().text, HasSubstr("is no trace"));
  folder.write("metadata", "");
  EXPECT_THAT(open_trace_folder(folder.path()).error().text, HasSubstr("its metadata is empty"));
  folder.write("metadata", "/* CTF 1.8 */ trace { };");
  EXPECT_THAT(open_trace_folder(folder.path()).error().text, HasSubstr("not as this maxlat writes it"));
}

TEST(TickConverter, AgreesWithTheExactRule) {
  const TraceTime time{2'596'123'456, 1'700'000'000, 123'456};
  TickConverter convert(time);
  std::uint64_t ticks = 5;
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_EQ(convert(ticks), time.realtime_ns(ticks)) << ticks;
    ticks += static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(i) * 97 % (std::uint64_t{3} << 33);
    if (i % 1000 == 0) ticks -= ticks / 3;  // a stream that steps back is no reason to be wrong
  }
}

}  // namespace
}  // namespace maxlat::trace
