// SPDX-License-Identifier: MIT
#include "event_printer.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <limits>
#include <memory>

#include "thread_name_text.hpp"

namespace maxlat::trace_tools {
namespace {

using trace::Field;
using trace::FieldKind;

// One event of a stream of a process, and what is printed of it.
class EventPrinterTest : public testing::Test {
 protected:
  EventPrinterTest() {
    setenv("TZ", "UTC", 1);
    tzset();
    process_.name = "app";
    process_.pid = 17;
    stream_.process = &process_;
    stream_.channel = &channel_;
    stream_.owner = 18;
    type_.name = "app:step";
  }

  template <typename Number>
  void add(Number value) {
    payload_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void field(Field field) { type_.fields.push_back(field); }

  std::string printed(PrintStyle style, const std::vector<std::int64_t>& times = {1'700'000'000'123'456'789}) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* file = open_memstream(&text, &size);
    OutputBuffer out(file);
    EventPrinter printer(out, style);
    for (const std::int64_t time_ns : times) {
      printer.print({.type = &type_,
                     .stream = &stream_,
                     .time_ns = time_ns,
                     .payload = {reinterpret_cast<const std::uint8_t*>(payload_.data()), payload_.size()},
                     .thread_name = name_});
    }
    EXPECT_TRUE(out.flush());
    std::fclose(file);
    const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
    return {text, size};
  }

  const trace::ThreadName* name_ = nullptr;
  trace::TraceProcess process_;
  trace::TraceChannel channel_;
  trace::TraceStream stream_;
  trace::EventType type_;
  std::string payload_;
};

TEST_F(EventPrinterTest, TextAndJsonOfEveryKindOfField) {
  field({.name = "n", .kind = FieldKind::integer, .bytes = 1, .is_signed = true});
  field({.name = "x", .kind = FieldKind::floating, .bytes = 4});
  field({.name = "v", .kind = FieldKind::sequence, .bytes = 2});
  field({.name = "d", .kind = FieldKind::array, .bytes = 8, .is_float = true, .count = 2});
  field({.name = "s", .kind = FieldKind::string});
  add(std::int8_t{-3});
  add(0.1f);
  add(std::uint16_t{2});
  add(std::uint16_t{65535});
  add(std::uint16_t{0});
  add(-2.5);
  add(std::numeric_limits<double>::infinity());
  payload_ += std::string("a\"b\n") + '\0' + "padding";
  EXPECT_EQ(printed({}),
            "[22:13:20.123456789] app 17/18 app:step: { n = -3, x = 0.1, v = [ [0] = 65535, [1] = 0 ], "
            "d = [ [0] = -2.5, [1] = inf ], s = \"a\\\"b\\n\" }\n");
  EXPECT_EQ(printed({.json = true}),
            "{\"time_ns\":1700000000123456789,\"process\":\"app\",\"pid\":17,\"tid\":18,\"event\":\"app:step\","
            "\"fields\":{\"n\":-3,\"x\":0.1,\"v\":[65535,0],\"d\":[-2.5,null],\"s\":\"a\\\"b\\n\"}}\n");
}

TEST_F(EventPrinterTest, HexadecimalIsInUpperCaseAndOfTheFieldsWidth) {
  field({.name = "a", .kind = FieldKind::integer, .bytes = 1, .is_hex = true});
  field({.name = "b", .kind = FieldKind::integer, .bytes = 1, .is_signed = true, .is_hex = true});
  field({.name = "c", .kind = FieldKind::integer, .bytes = 8, .is_signed = true, .is_hex = true});
  field({.name = "d", .kind = FieldKind::integer, .bytes = 8, .is_hex = true});
  field({.name = "v", .kind = FieldKind::array, .bytes = 2, .count = 2, .is_hex = true});
  add(std::uint8_t{0});
  add(std::int8_t{-1});
  add(std::int64_t{-2});
  add(std::uint64_t{0xabc});
  add(std::uint16_t{0xbeef});
  add(std::uint16_t{16});
  EXPECT_EQ(printed({}),
            "[22:13:20.123456789] app 17/18 app:step: { a = 0x0, b = 0xFF, c = 0xFFFFFFFFFFFFFFFE, d = 0xABC, "
            "v = [ [0] = 0xBEEF, [1] = 0x10 ] }\n");
  EXPECT_NE(printed({.json = true}).find("{\"a\":0,\"b\":-1,\"c\":-2,\"d\":2748,\"v\":[48879,16]}"), std::string::npos);
}

TEST_F(EventPrinterTest, AnEnumerationIsItsLabelsAndItsNumber) {
  constexpr trace::Label kLabels[] = {{"one", 1}, {"a\"b", 2}, {"also one", 1}, {"minus", UINT64_MAX}};
  for (const char* name : {"a", "b", "c"})
    field({.name = name, .kind = FieldKind::enumeration, .bytes = 2, .labels = kLabels});
  field({.name = "d", .kind = FieldKind::enumeration, .bytes = 2, .is_signed = true, .labels = kLabels});
  add(std::uint16_t{1});
  add(std::uint16_t{2});
  add(std::uint16_t{0xffff});  // not the signed one's
  add(std::int16_t{-1});
  EXPECT_EQ(printed({}),
            "[22:13:20.123456789] app 17/18 app:step: { a = ( \"one\", \"also one\" : container = 1 ), "
            "b = ( \"a\\\"b\" : container = 2 ), c = ( <unknown> : container = 65535 ), "
            "d = ( \"minus\" : container = -1 ) }\n");
  EXPECT_NE(printed({.json = true})
                .find("{\"a\":{\"value\":1,\"label\":[\"one\",\"also one\"]},\"b\":{\"value\":2,\"label\":\"a\\\"b\"},"
                      "\"c\":{\"value\":65535,\"label\":null},\"d\":{\"value\":-1,\"label\":\"minus\"}}"),
            std::string::npos);
}

TEST_F(EventPrinterTest, DeltasAndTimesAcrossSeconds) {
  channel_.kind = trace::StreamKind::cpu;
  EXPECT_EQ(printed({.delta = true}, {-1, 0, 999'999'999, 1'000'000'000, 500'000'000}),
            "[23:59:59.999999999] (+?.?????????"
            ") app 17/cpu18 app:step: { }\n"
            "[00:00:00.000000000] (+0.000000001) app 17/cpu18 app:step: { }\n"
            "[00:00:00.999999999] (+0.999999999) app 17/cpu18 app:step: { }\n"
            "[00:00:01.000000000] (+0.000000001) app 17/cpu18 app:step: { }\n"
            "[00:00:00.500000000] (-0.500000000) app 17/cpu18 app:step: { }\n");
}

TEST_F(EventPrinterTest, TheNameOfAThreadStandsBehindItsNumberUnlessItIsTheProgramsOwn) {
  const trace::ThreadName worker{0, "a \"b\"\n\xff"};
  name_ = &worker;
  EXPECT_EQ(printed({}), "[22:13:20.123456789] app 17/18 \"a \\\"b\\\"\\n\\xff\" app:step: { }\n");
  EXPECT_NE(printed({.json = true}).find(R"("tid":18,"thread_name":"a \"b\"\n\ufffd","event")"), std::string::npos);
  const trace::ThreadName inherited{0, "a-long-program-"};  // as the kernel cuts it
  process_.name = "a-long-program-of-mine";
  name_ = &inherited;
  EXPECT_EQ(printed({}), "[22:13:20.123456789] a-long-program-of-mine 17/18 app:step: { }\n");
  EXPECT_NE(printed({.json = true}).find(R"("tid":18,"thread_name":"a-long-program-","event")"), std::string::npos);
}

TEST(ThreadNameText, OfManyNamesTheFirstAndTheLast) {
  trace::TraceProcess process;
  process.name = "app";
  trace::TraceStream stream;
  stream.process = &process;
  std::vector<trace::ThreadName> names;
  const auto shown = [&] {
    stream.names = names;
    return names_in_text(stream) + "|" + names_json(stream);
  };
  EXPECT_EQ(shown(), "|[]");
  names.push_back({0, "app"});
  EXPECT_EQ(shown(), "|[\"app\"]") << "nobody named it";
  names.push_back({1, "b\""});
  EXPECT_EQ(shown(), " \"app\" -> \"b\\\"\"|[\"app\",\"b\\\"\"]");
  for (const char* name : {"c", "d", "e"}) names.push_back({2, name});
  stream.names = names;
  EXPECT_EQ(names_in_text(stream), " \"app\" -> ... -> \"e\"");
}

TEST_F(EventPrinterTest, AFieldThatTheRecordHasNoRoomForIsToldAsCut) {
  field({.name = "a", .kind = FieldKind::integer, .bytes = 4});
  field({.name = "b", .kind = FieldKind::integer, .bytes = 8});
  field({.name = "c", .kind = FieldKind::integer, .bytes = 1});
  add(std::uint32_t{1});
  add(std::uint32_t{2});
  EXPECT_EQ(printed({}), "[22:13:20.123456789] app 17/18 app:step: { a = 1, b = (cut) }\n");
}

TEST_F(EventPrinterTest, AStringLargerThanTheBufferComesOutWhole) {
  field({.name = "s", .kind = FieldKind::string});
  payload_ = std::string(3'000'000, 'x') + '\0';
  EXPECT_EQ(printed({}, {0, 0, 0}).size(),
            3 * (3'000'000 + std::string("[00:00:00.000000000] app 17/18 app:step: { s = \"\" }\n").size()));
}

TEST(OutputBuffer, SaysThatTheDiskIsFull) {
  std::FILE* full = std::fopen("/dev/full", "w");
  std::setvbuf(full, nullptr, _IONBF, 0);
  OutputBuffer out(full);
  out.text("x");
  EXPECT_FALSE(out.flush());
  EXPECT_TRUE(out.failed());
  std::fclose(full);
}

}  // namespace
}  // namespace maxlat::trace_tools
