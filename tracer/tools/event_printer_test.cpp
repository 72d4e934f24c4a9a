// SPDX-License-Identifier: MIT
#include "event_printer.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <limits>
#include <memory>

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
                     .payload = {reinterpret_cast<const std::uint8_t*>(payload_.data()), payload_.size()}});
    }
    EXPECT_TRUE(out.flush());
    std::fclose(file);
    const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
    return {text, size};
  }

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

TEST_F(EventPrinterTest, DeltasAndTimesAcrossSeconds) {
  channel_.per_cpu = true;
  EXPECT_EQ(printed({.delta = true}, {-1, 0, 999'999'999, 1'000'000'000, 500'000'000}),
            "[23:59:59.999999999] (+?.?????????"
            ") app 17/cpu18 app:step: { }\n"
            "[00:00:00.000000000] (+0.000000001) app 17/cpu18 app:step: { }\n"
            "[00:00:00.999999999] (+0.999999999) app 17/cpu18 app:step: { }\n"
            "[00:00:01.000000000] (+0.000000001) app 17/cpu18 app:step: { }\n"
            "[00:00:00.500000000] (-0.500000000) app 17/cpu18 app:step: { }\n");
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
