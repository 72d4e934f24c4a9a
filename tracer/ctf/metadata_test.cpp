// SPDX-License-Identifier: MIT
// The text itself; what readers make of it is tested with babeltrace2 (tests/tracer) and our own
// (trace_reader_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/ring/record.h>

#include <cstring>
#include <maxlat/trace/ctf_format.hpp>

#include "ctf/tsdl.hpp"

namespace maxlat::trace {
namespace {

using testing::HasSubstr;

constexpr Field kFields[] = {
    {.name = "int", .kind = FieldKind::integer, .bytes = 4, .is_signed = true},
    {.name = "x", .kind = FieldKind::floating, .bytes = 8},
    {.name = "v", .kind = FieldKind::sequence, .bytes = 2, .count = 9},
    {.name = "_s", .kind = FieldKind::string, .count = 20},
};

TEST(Metadata, EventHasEveryFieldUnderscored) {
  const std::string text = metadata_of_event(3, 70'000, {"app", "step", Level::warning, kFields});
  EXPECT_EQ(text,
            "event {\n  name = \"app:step\";\n  id = 70000;\n  stream_id = 3;\n  loglevel = 4;\n  fields := struct {\n"
            "    i32 _int;\n    f64 _x;\n    u16 v_length;\n    u16 _v[v_length];\n    text __s;\n"
            "    aligned padding[0];\n  } align(64);\n};\n");
}

// Readers drop the underscore of _x_length: babeltrace2 aborts where that and a length of that name meet.
TEST(Metadata, NamesOfOurOwnMeetNoField) {
  const Field fields[] = {
      {.name = "x", .kind = FieldKind::sequence, .bytes = 2, .count = 9},
      {.name = "x_length", .kind = FieldKind::sequence, .bytes = 1, .count = 9},
      {.name = "x_length_", .kind = FieldKind::integer, .bytes = 1},
      {.name = "padding", .kind = FieldKind::integer, .bytes = 1},
  };
  EXPECT_THAT(metadata_of_event(0, 1, {"app", "step", Level::info, fields}),
              HasSubstr("    u16 x_length__;\n    u16 _x[x_length__];\n"
                        "    u16 x_length_length;\n    u8 _x_length[x_length_length];\n"
                        "    u8 _x_length_;\n    u8 _padding;\n    aligned padding_[0];\n"));
}

constexpr Label kStates[] = {{"idle", 0}, {"a \"quoted\\ one", 1}, {"top", UINT64_MAX}};
constexpr Label kSigned[] = {{"lowest", std::uint64_t{1} << 63}, {"minus", UINT64_MAX}, {"again", UINT64_MAX}};

TEST(Metadata, SaysWhichIntegersAreHexadecimalAndWhatEnumerationsAreCalled) {
  const Field fields[] = {
      {.name = "h", .kind = FieldKind::integer, .bytes = 4, .is_hex = true},
      {.name = "a", .kind = FieldKind::array, .bytes = 1, .is_signed = true, .count = 6, .is_hex = true},
      {.name = "s", .kind = FieldKind::sequence, .bytes = 8, .count = 6, .is_hex = true},
      {.name = "e", .kind = FieldKind::enumeration, .bytes = 8, .labels = kStates},
      {.name = "n", .kind = FieldKind::enumeration, .bytes = 8, .is_signed = true, .labels = kSigned},
      {.name = "none", .kind = FieldKind::enumeration, .bytes = 2},  // TSDL has no enumeration without labels
  };
  EXPECT_THAT(metadata_of_event(0, 1, {"app", "shown", Level::info, fields}),
              HasSubstr("    u32x _h;\n    i8x _a[6];\n    u16 s_length;\n    u64x _s[s_length];\n"
                        "    enum : u64 { \"idle\" = 0, \"a \\\"quoted\\\\ one\" = 1, "
                        "\"top\" = 18446744073709551615 } _e;\n"
                        "    enum : i64 { \"lowest\" = -9223372036854775808, \"minus\" = -1, \"again\" = -1 } _n;\n"
                        "    u16 _none;\n    aligned padding[0];\n"));
  const std::string types = metadata_of_trace({}, {base::clock_with_rate(1), 0, 0});
  EXPECT_THAT(types, HasSubstr("typealias integer { size = 16; align = 8; signed = false; base = 16; } := u16x;\n"));
  EXPECT_THAT(types, HasSubstr("typealias integer { size = 64; align = 8; signed = true; base = 16; } := i64x;\n"));
}

TEST(Metadata, ClockOffsetIsSplitIntoSecondsAndTicks) {
  TraceClock clock{base::clock_with_rate(2.5), 1'500'000'000, 7};
  const std::string after = metadata_of_trace({}, clock);
  EXPECT_THAT(after, HasSubstr("freq = 2500000000;\n  offset_s = 1;\n  offset = 1250000000;"));
  EXPECT_THAT(after, HasSubstr("monotonic_offset_ns = 7;"));
  clock.realtime_offset_ns = -1;  // the counter began before 1970
  EXPECT_THAT(metadata_of_trace({}, clock), HasSubstr("offset_s = -1;\n  offset = 2499999997;"));
}

TEST(Metadata, ForeignTextCannotEndAString) {
  EXPECT_EQ(tsdl::quoted("a\"; }\\\n\x7f\xc3\xa4"), "\"a\\\"; }\\\\\\012\\177\xc3\xa4\"");
  TraceEnvironment environment;
  environment.process = "a\"b";
  EXPECT_THAT(metadata_of_trace(environment, {base::clock_with_rate(1), 0, 0}), HasSubstr("procname = \"a\\\"b\";"));
}

TEST(Metadata, ChannelSaysWhoOwnsItsStreams) {
  EXPECT_THAT(metadata_of_channel(0, "a", StreamKind::cpu), HasSubstr("u32 cpu_id; u32 slot;"));
  EXPECT_THAT(metadata_of_channel(0, "a", StreamKind::thread), HasSubstr("u32 tid; u32 slot;"));
}

// As Trace Compass knows the kernel's events: by the domain, the tracer whose names they have, the name without a
// provider, the thread in `_tid`. By another tracer's name, or an older version, it looks for others: softirq_entry
// and not irq_softirq_entry. And it takes an event that begins with sys_ for a system call's entry.
TEST(Metadata, TheKernelsEventsAreAsLttngsAre) {
  TraceEnvironment environment;
  environment.domain = "kernel";
  const std::string text = metadata_of_trace(environment, {base::clock_with_rate(1), 0, 0}) +
                           metadata_of_channel(0, "kernel", StreamKind::kernel) +
                           metadata_of_event(0, 1, {"", "sched_switch", {}, {}});
  for (const char* part :
       {"  domain = \"kernel\";\n",
        "  tracer_name = \"lttng-modules\";\n  tracer_major = 2;\n  tracer_minor = 13;\n"
        "  tracer_patchlevel = 0;\n"
        "  written_by = \"maxlat\";\n  written_by_major = 1;\n",
        "u32 cpu_id; u32 slot;", "  event.context := struct { u32 _tid; } align(64);\n", "name = \"sched_switch\";"})
    EXPECT_THAT(text, HasSubstr(part));
}

// Only the kernel's: a program's events have no names of LTTng's.
TEST(Metadata, AProgramsTracerIsMaxlat) {
  const std::string text = metadata_of_trace({}, {base::clock_with_rate(1), 0, 0});
  EXPECT_THAT(text, HasSubstr("  tracer_name = \"maxlat\";\n  tracer_major = 1;\n  packet_format"));
  EXPECT_EQ(text.find("written_by"), text.npos);
}

// Without it babeltrace2 takes the bytes right behind the header: 32768 for CPU 0.
TEST(Metadata, ContextIsWhereTheWriterPutsIt) {
  EXPECT_THAT(metadata_of_channel(0, "a", StreamKind::thread_with_cpu),
              HasSubstr("  event.context := struct { u32 cpu_id; } align(64);\n"));
}

TEST(PacketPrefix, LiesAsTheFormatSays) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::uint8_t>(i);
  const auto prefix = packet_prefix(uuid, 0x01020304, 0x1122334455667788);
  const std::uint8_t expected[32] = {0xc1, 0x1f, 0xfc, 0xc1, 0,    1,    2,    3,    4,    5,   6,
                                     7,    8,    9,    10,   11,   12,   13,   14,   15,   4,   3,
                                     2,    1,    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  EXPECT_EQ(std::memcmp(prefix.data(), expected, sizeof expected), 0);
}

}  // namespace
}  // namespace maxlat::trace
