// SPDX-License-Identifier: MIT
// Every type of field, byte for byte against the payload layout of description.hpp.
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/probe.hpp>
#include <set>
#include <string>

#include "session/control_commands.hpp"
#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(fields, integers, (std::int8_t, a), (std::uint8_t, b), (std::int16_t, c), (std::uint16_t, d),
                   (std::int32_t, e), (std::uint32_t, f), (std::int64_t, g), (std::uint64_t, h), (bool, i), (char, j))
MAXLAT_TRACE_EVENT(fields, floating, (float, a), (double, b))
MAXLAT_TRACE_EVENT(fields, arrays, (std::array<std::uint16_t, 3>, a), (float[2], b), (std::uint8_t, c))
MAXLAT_TRACE_EVENT(fields, sequences, (maxlat::trace::Sequence<std::uint32_t, 3>, a),
                   (maxlat::trace::Sequence<std::uint8_t, 300>, b))
MAXLAT_TRACE_EVENT(fields, strings, (maxlat::trace::String<5>, a), (maxlat::trace::String<64>, b), (int, c))
MAXLAT_TRACE_EVENT_LEVEL(fields, none, debug)

namespace motor {
enum class State : std::uint8_t { idle, running, stopped = 7, halted = stopped };
enum Way : std::int16_t { back = -1, forth = 1 };
struct Arm {
  enum class Joint : std::int64_t { lowest = INT64_MIN, highest = INT64_MAX };
};
enum class Mask : std::uint64_t { none, all = UINT64_MAX };
}  // namespace motor
MAXLAT_TRACE_ENUM(motor::State, idle, running, stopped, halted)
MAXLAT_TRACE_ENUM(motor::Way, back, /* and */ forth)
MAXLAT_TRACE_ENUM(motor::Arm::Joint, lowest, highest)
MAXLAT_TRACE_ENUM(motor::Mask, all)
MAXLAT_TRACE_EVENT(fields, enumerations, (motor::State, a), (motor::Way, b), (motor::Arm::Joint, c), (motor::Mask, d))
MAXLAT_TRACE_EVENT(fields, hexadecimal, (maxlat::trace::Hex<std::uint32_t>, a), (maxlat::trace::Hex<std::int8_t>, b),
                   (maxlat::trace::Hex<std::array<std::uint8_t, 6>>, c), (maxlat::trace::Hex<short[2]>, d),
                   (maxlat::trace::Hex<maxlat::trace::Sequence<std::uint16_t, 2>>, e))
MAXLAT_TRACE_EVENT(fields, many, (int, a01), (int, a02), (int, a03), (int, a04), (int, a05), (int, a06), (int, a07),
                   (int, a08), (int, a09), (int, a10), (int, a11), (int, a12), (int, a13), (int, a14), (int, a15),
                   (int, a16), (int, a17), (int, a18), (int, a19), (int, a20), (int, a21), (int, a22), (int, a23),
                   (int, a24), (int, a25), (int, a26), (int, a27), (int, a28), (int, a29), (int, a30), (int, a31),
                   (int, a32))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

// The payload without its padding.
std::string bytes(const Recorded& record, std::size_t size) {
  EXPECT_EQ(record.payload.size(), (size + 7) / 8 * 8);
  return {record.payload.begin(), record.payload.begin() + static_cast<std::ptrdiff_t>(size)};
}

template <class... T>
std::string packed(const T&... values) {
  std::string all;
  (all.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return all;
}

// One event, traced alone.
template <class Trace>
Recorded record_of(Trace trace) {
  Recording recording;
  recording.start("fields:*");
  trace();
  const std::vector<Recorded> all = recording.finish();
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Recorded{} : all[0];
}

TEST(Fields, Integers) {
  const Recorded record = record_of([] {
    MAXLAT_TRACE(fields, integers, std::int8_t{-1}, 0xfe, std::int16_t{-2}, 0xfedc, -3, 0xfedcba98u, -4l,
                 0xfedcba9876543210ul, true, 'x');
  });
  EXPECT_EQ(bytes(record, 32),
            packed(std::int8_t{-1}, std::uint8_t{0xfe}, std::int16_t{-2}, std::uint16_t{0xfedc}, std::int32_t{-3},
                   std::uint32_t{0xfedcba98}, std::int64_t{-4}, std::uint64_t{0xfedcba9876543210}, true, 'x'));
}

TEST(Fields, Floating) {
  const Recorded record = record_of([] { MAXLAT_TRACE(fields, floating, 1.5f, -2.25); });
  EXPECT_EQ(bytes(record, 12), packed(1.5f, -2.25));
}

TEST(Fields, AnEnumerationIsTheIntegerThatItIs) {
  const Recorded record = record_of([] {
    MAXLAT_TRACE(fields, enumerations, motor::State::stopped, motor::back, motor::Arm::Joint::lowest,
                 static_cast<motor::Mask>(5));
  });
  EXPECT_EQ(bytes(record, 19), packed(std::uint8_t{7}, std::int16_t{-1}, INT64_MIN, std::uint64_t{5}));
  const std::span<const Field> fields = MaxlatTraceEvent_fields_enumerations::kDescription.fields;
  EXPECT_EQ(MaxlatTraceEvent_fields_enumerations::event.fixed_size, 19u);
  ASSERT_EQ(fields.size(), 4u);
  for (const Field& field : fields) EXPECT_EQ(field.kind, FieldKind::enumeration) << field.name;
  EXPECT_EQ(fields[0].bytes, 1);
  EXPECT_FALSE(fields[0].is_signed);
  EXPECT_TRUE(fields[1].is_signed);
  const auto is = [](const Label& label, std::string_view name, std::uint64_t value) {
    return label.name == name && label.value == value;
  };
  ASSERT_EQ(fields[0].labels.size(), 4u);
  EXPECT_TRUE(is(fields[0].labels[0], "idle", 0));
  EXPECT_TRUE(is(fields[0].labels[1], "running", 1));
  EXPECT_TRUE(is(fields[0].labels[2], "stopped", 7));
  EXPECT_TRUE(is(fields[0].labels[3], "halted", 7));
  ASSERT_EQ(fields[1].labels.size(), 2u);
  EXPECT_TRUE(is(fields[1].labels[0], "back", UINT64_MAX));
  EXPECT_TRUE(is(fields[1].labels[1], "forth", 1));
  ASSERT_EQ(fields[2].labels.size(), 2u);
  EXPECT_TRUE(is(fields[2].labels[0], "lowest", std::uint64_t{1} << 63));
  EXPECT_TRUE(is(fields[2].labels[1], "highest", INT64_MAX));
  ASSERT_EQ(fields[3].labels.size(), 1u);
  EXPECT_TRUE(is(fields[3].labels[0], "all", UINT64_MAX));
  const std::string text = metadata_of_event(0, 1, MaxlatTraceEvent_fields_enumerations::kDescription);
  EXPECT_NE(text.find("enum : u8 { \"idle\" = 0, \"running\" = 1, \"stopped\" = 7, \"halted\" = 7 } _a;"),
            std::string::npos);
}

TEST(Fields, HexadecimalIsOnlyShownOtherwise) {
  const Recorded record = record_of([] {
    const std::array<std::uint8_t, 6> mac = {1, 2, 3, 4, 5, 6};
    const short two[2] = {-1, 2};
    const std::vector<std::uint16_t> three = {7, 8, 9};
    MAXLAT_TRACE(fields, hexadecimal, 0xfedcba98u, std::int8_t{-2}, mac, two, three);
  });
  EXPECT_EQ(bytes(record, 21), packed(0xfedcba98u, std::int8_t{-2}) + "\1\2\3\4\5\6" +
                                   packed(short{-1}, short{2}, std::uint16_t{2}, std::uint16_t{7}, std::uint16_t{8}));
  const FieldKind kinds[] = {FieldKind::integer, FieldKind::integer, FieldKind::array, FieldKind::array,
                             FieldKind::sequence};
  const std::span<const Field> fields = MaxlatTraceEvent_fields_hexadecimal::kDescription.fields;
  ASSERT_EQ(fields.size(), std::size(kinds));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_TRUE(fields[i].is_hex);
    EXPECT_EQ(fields[i].kind, kinds[i]);
  }
  EXPECT_TRUE(fields[1].is_signed);
  EXPECT_FALSE(MaxlatTraceEvent_fields_integers::kDescription.fields[0].is_hex);
}

TEST(Fields, TheListingNamesTheirTypes) {
  const std::string list = detail::answer("list").text;
  EXPECT_NE(list.find("event fields:enumerations info\nfield a enum:uint8\nfield b enum:int16\nfield c enum:int64\n"
                      "field d enum:uint64\n"),
            std::string::npos);
  EXPECT_NE(list.find("event fields:hexadecimal info\nfield a hex:uint32\nfield b hex:int8\nfield c hex:uint8[6]\n"
                      "field d hex:int16[2]\nfield e hex:uint16[0..2]\n"),
            std::string::npos);
}

// Two declarations that differ in this alone are two: the linker keeps one of them.
TEST(Fields, AFingerprintKnowsLabelsAndBases) {
  const auto of = [](const Field& field) { return detail::fingerprint({"p", "n", Level::info, {&field, 1}}); };
  const Label labels[] = {{"idle", 0}, {"b", 1}}, other_name[] = {{"idle", 0}, {"c", 1}},
              other_value[] = {{"idle", 0}, {"b", 2}};
  Field field{.name = "x", .kind = FieldKind::enumeration, .bytes = 1, .labels = labels};
  std::set<std::uint64_t> all = {of(field)};
  for (const std::span<const Label> other : {std::span(other_name), std::span(other_value)}) {
    field.labels = other;
    all.insert(of(field));
  }
  field.labels = std::span(labels).first(1);
  all.insert(of(field));
  field.labels = {};
  all.insert(of(field));
  field.kind = FieldKind::integer;
  all.insert(of(field));
  field.is_hex = true;
  all.insert(of(field));
  EXPECT_EQ(all.size(), 7u);
}

TEST(Fields, ArraysOfEitherKind) {
  const Recorded record = record_of([] {
    const std::uint16_t plain[3] = {1, 2, 0xffff};
    const std::array<float, 2> standard = {0.5f, -1.0f};
    MAXLAT_TRACE(fields, arrays, plain, standard, 7);
  });
  EXPECT_EQ(bytes(record, 15),
            packed(std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{0xffff}, 0.5f, -1.0f, std::uint8_t{7}));
}

TEST(Fields, SequencesAreCutAtTheirCap) {
  const std::vector<std::uint32_t> four = {1, 2, 3, 4};
  const std::vector<std::uint8_t> none;
  const Recorded cut = record_of([&] { MAXLAT_TRACE(fields, sequences, four, none); });
  EXPECT_EQ(bytes(cut, 16), packed(std::uint16_t{3}, 1u, 2u, 3u, std::uint16_t{0}));
  const std::vector<std::uint8_t> long_one(299, 9);
  const Recorded whole = record_of([&] { MAXLAT_TRACE(fields, sequences, std::span(four).first(1), long_one); });
  EXPECT_EQ(bytes(whole, 6 + 301), packed(std::uint16_t{1}, 1u, std::uint16_t{299}) + std::string(299, 9));
}

TEST(Fields, StringsAreCutAtTheirCapAndAtTheFirstZero) {
  const Recorded cut = record_of([] { MAXLAT_TRACE(fields, strings, "exceeds", std::string("text"), 1); });
  EXPECT_EQ(bytes(cut, 15), "excee" + std::string(1, 0) + "text" + std::string(1, 0) + packed(1));
  const Recorded zero = record_of(
      [] { MAXLAT_TRACE(fields, strings, std::string_view("a\0b", 3), static_cast<const char*>(nullptr), 2); });
  EXPECT_EQ(bytes(zero, 7), "a" + std::string(2, 0) + packed(2));
}

// Another thread ends the text between the two looks that are taken at it: its length, its bytes. Whatever it writes,
// the record has one zero, at its end, or every later field of it would be read from the wrong place.
// Eight bytes without a zero one, and something else behind them: what another string would be read on into.
TEST(Fields, AnArrayOfCharEndsWhereItEnds) {
  struct {
    char name[8];
    char behind[8];
  } record{{'m', 'o', 't', 'o', 'r', '0', '0', '1'}, "behind"};
  const Recorded traced = record_of([&] { MAXLAT_TRACE(fields, strings, record.behind, record.name, 1); });
  EXPECT_EQ(bytes(traced, 19), std::string("behin\0motor001\0", 15) + packed(1));
}

TEST(Fields, AStringThatGetsShorterWhileItIsTracedKeepsItsLength) {
  using Type = detail::FieldType<String<40>>;
  for (std::size_t length = 0; length <= 40; ++length) {
    for (std::size_t zero = 0; zero < length; ++zero) {
      std::string text(length, 'x');
      if (length > 3) text[3] = '\x80';  // no zero, whatever a trick of arithmetic says
      if (zero + 1 < length) text[zero + 1] = '\x01';
      const Type::Given given(text);
      ASSERT_EQ(Type::size(given), length + 1);
      std::string expected = text;
      expected[zero] = '#';
      text[zero] = 0;
      if (length > 20) {
        text[20] = 0;
        expected[20] = '#';
      }
      std::string stored(length + 3, '?');
      const auto* end = Type::store(reinterpret_cast<std::uint8_t*>(stored.data()), given);
      EXPECT_EQ(end, reinterpret_cast<std::uint8_t*>(stored.data()) + length + 1);
      EXPECT_EQ(stored, expected + std::string(1, 0) + "??") << length << ", zero at " << zero;
    }
  }
}

TEST(Fields, NoneAndMany) {
  EXPECT_EQ(bytes(record_of([] { MAXLAT_TRACE(fields, none); }), 0), "");
  const Recorded record = record_of([] {
    MAXLAT_TRACE(fields, many, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                 25, 26, 27, 28, 29, 30, 31, 32);
  });
  for (int i = 0; i < 32; ++i) EXPECT_EQ(record.at<int>(4 * static_cast<std::size_t>(i)), i + 1);
}

TEST(Fields, ArgumentsAreEvaluatedOnceAndOnlyWhenWanted) {
  int evaluated = 0;
  const auto count = [&] { return ++evaluated; };
  MAXLAT_TRACE(fields, strings, "a", "b", count());
  EXPECT_EQ(evaluated, 0);
  {
    // Two channels want it: still once.
    Recording recording({{.name = "one"}, {.name = "two"}});
    Recording::expect_ok(recording.session.enable("two", "*:strings"));
    recording.start("*:strings");
    MAXLAT_TRACE(fields, strings, "a", "b", count());
    EXPECT_EQ(recording.finish().size(), 2u);
  }
  EXPECT_EQ(evaluated, 1);
  MAXLAT_TRACE(fields, strings, "a", "b", count());
  EXPECT_EQ(evaluated, 1);
}

TEST(Fields, AreDescribed) {
  const EventDescription& event = MaxlatTraceEvent_fields_arrays::kDescription;
  EXPECT_EQ(event.provider, "fields");
  EXPECT_EQ(event.name, "arrays");
  EXPECT_EQ(event.level, Level::info);
  ASSERT_EQ(event.fields.size(), 3u);
  EXPECT_EQ(event.fields[0].name, "a");
  EXPECT_EQ(event.fields[0].kind, FieldKind::array);
  EXPECT_EQ(event.fields[0].bytes, 2);
  EXPECT_EQ(event.fields[0].count, 3);
  EXPECT_FALSE(event.fields[0].is_signed);
  EXPECT_TRUE(event.fields[1].is_float);
  EXPECT_EQ(event.fields[2].kind, FieldKind::integer);
  EXPECT_EQ(MaxlatTraceEvent_fields_none::kDescription.level, Level::debug);
  EXPECT_TRUE(MaxlatTraceEvent_fields_none::kDescription.fields.empty());
  EXPECT_EQ(MaxlatTraceEvent_fields_sequences::kDescription.fields[1].count, 300);
  EXPECT_TRUE(MaxlatTraceEvent_fields_integers::kDescription.fields[0].is_signed);
  EXPECT_EQ(MaxlatTraceEvent_fields_floating::kDescription.fields[1].kind, FieldKind::floating);
}

}  // namespace
