// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/trace/trace_description.hpp>
#include <string>

#include "ctf/test_trace.hpp"
#include "ctf/tsdl.hpp"
#include "ctf/tsdl_lexer.hpp"

namespace maxlat::trace {
namespace {

TEST(MetadataReader, ReadsBackEverythingThatWasWritten) {
  const TraceEnvironment environment{test::uuid(), "my session", "a \"quoted\"\n\\name", 77};
  TraceClock clock{base::clock_with_rate(2.5), -1'500'000'000, -12};
  clock.counter.trusted = false;
  const Label unsigned_labels[] = {{"a \"quoted\"\n\\label", 3}, {"", 0}, {"top", UINT64_MAX}, {"also 3", 3}};
  const Label signed_labels[] = {{"lowest", ~std::uint64_t{127}}, {"highest", 127}};
  const Field fields[] = {
      {.name = "a", .kind = FieldKind::integer, .bytes = 1, .is_signed = true},
      {.name = "_b", .kind = FieldKind::floating, .bytes = 4},
      {.name = "event", .kind = FieldKind::array, .bytes = 8, .is_float = true, .count = 65535},
      {.name = "c_length", .kind = FieldKind::sequence, .bytes = 2},
      {.name = "c_length_length", .kind = FieldKind::integer, .bytes = 4},
      {.name = "padding", .kind = FieldKind::string},
      {.name = "u64", .kind = FieldKind::integer, .bytes = 8},
      {.name = "hex", .kind = FieldKind::integer, .bytes = 8, .is_hex = true},
      {.name = "hexes", .kind = FieldKind::sequence, .bytes = 1, .is_signed = true, .is_hex = true},
      {.name = "mac", .kind = FieldKind::array, .bytes = 1, .count = 6, .is_hex = true},
      {.name = "enum", .kind = FieldKind::enumeration, .bytes = 8, .labels = unsigned_labels},
      {.name = "state", .kind = FieldKind::enumeration, .bytes = 1, .is_signed = true, .labels = signed_labels},
  };
  std::string text = metadata_of_trace(environment, clock);
  text += metadata_of_channel(2, "threads", StreamKind::thread) + metadata_of_channel(5, "cpus", StreamKind::cpu) +
          metadata_of_channel(6, "both", StreamKind::thread_with_cpu) +
          metadata_of_channel(7, "kernel", StreamKind::kernel);
  text += metadata_of_event(2, 1, {"p", "empty", Level::emergency, {}});
  text += metadata_of_event(5, 4'000'000'000, {"p", "full", Level::debug, fields});
  const auto process = parse_metadata(text);
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->cut, "");
  EXPECT_EQ(process->uuid, test::uuid());
  EXPECT_EQ(process->session, "my session");
  EXPECT_EQ(process->name, "a \"quoted\"\n\\name");
  EXPECT_EQ(process->pid, 77);
  EXPECT_EQ(process->monotonic_offset_ns, -12);
  EXPECT_FALSE(process->clock_trusted);
  EXPECT_EQ(process->time.frequency_hz, 2'500'000'000u);
  EXPECT_EQ(process->time.realtime_ns(5), -1'500'000'000 + 2);
  ASSERT_EQ(process->channels.size(), 4u);
  EXPECT_EQ(process->channels.at(2).kind, StreamKind::thread);
  EXPECT_EQ(process->channels.at(5).kind, StreamKind::cpu);
  EXPECT_EQ(process->channels.at(6).kind, StreamKind::thread_with_cpu);
  EXPECT_EQ(process->channels.at(7).kind, StreamKind::kernel);
  EXPECT_EQ(process->channels.at(2).events.at(1).name, "p:empty");
  EXPECT_TRUE(process->channels.at(2).events.at(1).fields.empty());
  const EventType& full = process->channels.at(5).events.at(4'000'000'000);
  EXPECT_EQ(full.level, Level::debug);
  ASSERT_EQ(full.fields.size(), std::size(fields));
  for (std::size_t i = 0; i < full.fields.size(); ++i) {
    const Field &got = full.fields[i], &want = fields[i];
    EXPECT_EQ(got.name, want.name);
    EXPECT_EQ(got.kind, want.kind) << want.name;
    EXPECT_EQ(got.bytes, want.bytes) << want.name;
    EXPECT_EQ(got.is_signed, want.is_signed) << want.name;
    EXPECT_EQ(got.is_float, want.is_float) << want.name;
    EXPECT_EQ(got.count, want.kind == FieldKind::array ? want.count : 0) << want.name;
    EXPECT_EQ(got.is_hex, want.is_hex) << want.name;
    ASSERT_EQ(got.labels.size(), want.labels.size()) << want.name;
    for (std::size_t label = 0; label < got.labels.size(); ++label) {
      EXPECT_EQ(got.labels[label].name, want.labels[label].name) << want.name;
      EXPECT_EQ(got.labels[label].value, want.labels[label].value) << want.labels[label].name;
    }
  }
}

// The text's writer may die at any byte. What was whole counts, what was not is told.
TEST(MetadataReader, CutAnywhereGivesWhatIsWhole) {
  const std::string text = test::metadata();
  std::size_t events_before = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto process = parse_metadata(text.substr(0, size));
    if (!process) {
      EXPECT_LT(size, text.find("typealias integer { size = 64; align = 64;")) << "the clock was there";
      continue;
    }
    const std::size_t events = process->channels.empty() ? 0 : process->channels.begin()->second.events.size();
    EXPECT_GE(events, events_before) << size;
    events_before = events;
    // Whole only between two statements, where nothing is missing that anybody can know of.
    if (process->cut.empty()) {
      EXPECT_TRUE(std::string_view("\n;/").find(text[size - 1]) != std::string_view::npos) << size;
    }
  }
  EXPECT_EQ(events_before, 4u);
}

// A trace of the kernel bears the name of the tracer whose names its events have: whose it is, written_by says.
TEST(MetadataReader, KnowsItsOwnTracesOfTheKernel) {
  TraceEnvironment environment;
  environment.domain = "kernel";
  std::string text = metadata_of_trace(environment, {base::clock_with_rate(1), 0, 0});
  EXPECT_TRUE(parse_metadata(text));
  const std::string ours = "  written_by = \"maxlat\";\n";
  std::string older = text, newer = text;
  text.erase(text.find(ours), ours.size());
  EXPECT_FALSE(parse_metadata(text)) << "that of lttng-modules";
  // As this was written until 26 November 2026.
  const std::size_t begin = older.find("  tracer_name"), end = older.find("  packet_format");
  older.replace(begin, end - begin, "  tracer_name = \"maxlat\";\n  tracer_major = 1;\n");
  EXPECT_TRUE(parse_metadata(older));
  newer.replace(newer.find("written_by_major = 1"), 20, "written_by_major = 2");
  EXPECT_FALSE(parse_metadata(newer));
}

TEST(MetadataReader, RefusesWhatOthersWrote) {
  const std::string text = test::metadata();
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string copy = text;
    const std::size_t at = copy.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_metadata(copy.replace(at, from.size(), to));
  };
  EXPECT_FALSE(parse_metadata(""));
  EXPECT_FALSE(parse_metadata("\x75\xd1\x1d\x57"));  // packetised metadata, as LTTng writes it
  EXPECT_FALSE(changed("\"maxlat\"", "\"lttng-ust\""));
  EXPECT_FALSE(changed("tracer_major = 1", "tracer_major = 2"));
  EXPECT_FALSE(changed("packet_format = 2", "packet_format = 3"));
  EXPECT_TRUE(changed("  packet_format = 2;\n", ""));  // format 1
  EXPECT_FALSE(changed("byte_order = le", "byte_order = be"));
  EXPECT_FALSE(changed("freq = 1000000000", "freq = 0"));
  EXPECT_FALSE(changed("u32 tid; u32 slot;", "u32 tid; u64 slot;"));
  EXPECT_FALSE(changed("u32 _n;", "u24 _n;"));
  EXPECT_FALSE(changed("u32 _n;", "struct { u32 x; } _n;"));
  EXPECT_FALSE(changed("stream_id = 0;", "stream_id = 9;"));
  EXPECT_EQ(parse_metadata("/* CTF 1.8 */").error().hint, "babeltrace2 tells which");
  EXPECT_EQ(parse_metadata("").error().text, "its metadata is empty");
}

TEST(MetadataReader, ReadsContextsWithoutAlignmentAsTheyOnceWere) {
  std::string text = test::metadata() + metadata_of_channel(7, "cpus", StreamKind::thread_with_cpu);
  const std::string_view align = "cpu_id; } align(64);";
  const std::size_t at = text.find(align);
  ASSERT_NE(at, std::string::npos);
  const auto process = parse_metadata(text.replace(at, align.size(), "cpu_id; };"));
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->channels.at(7).kind, StreamKind::thread_with_cpu);
}

TEST(MetadataReader, RefusesEnumerationsThatNobodyCouldMean) {
  const std::string text = test::metadata();
  const std::string_view sound = "enum : u8 { \"idle\" = 0, \"running\" = 1, \"again\" = 1 } _state;";
  const std::size_t at = text.find(sound);
  ASSERT_NE(at, std::string::npos);
  const auto with = [&](std::string_view other) {
    std::string copy = text;
    return parse_metadata(copy.replace(at, sound.size(), other));
  };
  const auto labels = [](std::size_t count) {
    std::string list = "enum : u8 { \"a\" = 0";
    for (std::size_t i = 1; i < count; ++i) list += ", \"a\" = 0";
    return list + " } _state;";
  };
  EXPECT_TRUE(with(sound));
  EXPECT_TRUE(with("enum : i8 { \"\" = -128, \"b\" = 127 } _state;"));
  EXPECT_TRUE(with("enum : u64 { \"a\" = 18446744073709551615 } _state;"));
  EXPECT_TRUE(with("enum : i64 { \"a\" = -9223372036854775808 } _state;"));
  EXPECT_TRUE(with(labels(kMaxLabels)));
  EXPECT_FALSE(with(labels(kMaxLabels + 1)));
  for (const char* other : {"enum : u8 { } _state;",
                            "enum : u8 { \"a\" = 0, } _state;",
                            "enum : u8 { a = 0 } _state;",
                            "enum : u8 { \"a\" } _state;",
                            "enum : u8 { \"a\" = 0 ... 3 } _state;",
                            "enum : u8 { \"a\" = \"b\" } _state;",
                            "enum : u8 { \"a\" = 256 } _state;",
                            "enum : u8 { \"a\" = -1 } _state;",
                            "enum : i8 { \"a\" = 128 } _state;",
                            "enum : i8 { \"a\" = -129 } _state;",
                            "enum : u64 { \"a\" = 18446744073709551616 } _state;",
                            "enum : i64 { \"a\" = 9223372036854775808 } _state;",
                            "enum : f32 { \"a\" = 0 } _state;",
                            "enum : u8x { \"a\" = 0 } _state;",
                            "enum : u9 { \"a\" = 0 } _state;",
                            "enum : x { \"a\" = 0 } _state;",
                            "enum u8 { \"a\" = 0 } _state;",
                            "enum : u8 { \"a\" = 0 } state;",
                            "enum : u8 { \"a\" = 0 } _state[3];",
                            "enum : u8 _state;",
                            "f32x _state;",
                            "ux _state;",
                            "x _state;"}) {
    EXPECT_FALSE(with(other)) << other;
  }
}

// Of labels that are written with escapes the names lie beside the metadata's text: they go with the process.
TEST(MetadataReader, LabelsLiveAsLongAsTheProcess) {
  const Label labels[] = {{"with a \" quote, and longer than any short string", 1}};
  const Field fields[] = {{.name = "e", .kind = FieldKind::enumeration, .bytes = 1, .labels = labels}};
  TraceProcess copy;
  {
    auto process = parse_metadata(test::metadata() + metadata_of_event(0, 99, {"app", "e", Level::info, fields}));
    ASSERT_TRUE(process);
    copy = *process;
  }
  const std::span<const Label> got = copy.channels.at(0).events.at(99).fields.at(0).labels;
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].name, labels[0].name);
}

TEST(TsdlLexer, AlwaysEnds) {
  for (const char* text : {"", "/*", "\"", "\"\\", "a /* b */ c", "-", "-1", "...", "\"a\\\"b\""}) {
    tsdl::Lexer lexer(text);
    int tokens = 0;
    for (tsdl::Token token = lexer.next(); token.kind < tsdl::Token::end; token = lexer.next()) ++tokens;
    EXPECT_LE(tokens, 3) << text;
    // Found by fuzz_trace: after a string that ends in half an escape, the next word was read behind the text.
    EXPECT_GE(lexer.next().kind, tsdl::Token::end) << text;
    EXPECT_LE(lexer.offset(), std::string_view(text).size()) << text;
  }
  EXPECT_EQ(tsdl::unquoted("a\\\"\\012\\"), "a\"\n\\");
}

}  // namespace
}  // namespace maxlat::trace
