// SPDX-License-Identifier: MIT
// Names of threads on disk: one line whatever is in them, read back as they were, and which of them an event bears.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/trace/reader.hpp>

#include "test_trace.hpp"

namespace {

using namespace maxlat::trace;
using test::number;
using test::Packet;
using testing::ElementsAre;

TEST(ThreadNames, ALineSaysWhatTheHeaderSays) {
  EXPECT_EQ(thread_name_line("threads-3-1", 17, {250, "motor"}), "ring threads-3-1 tid 17 from 250 name \"motor\"\n");
}

// Every byte that a thread can be called by: all but zero.
TEST(ThreadNames, EveryByteComesBackFromOneLine) {
  std::string text;
  for (int first = 1; first < 256; first += 15) {
    std::string name;
    for (int byte = first; byte < first + 15 && byte < 256; ++byte) name += static_cast<char>(byte);
    const std::string line = thread_name_line("r-0-0", 1, {static_cast<std::uint64_t>(first), name});
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << first;
    text += line;
  }
  const ThreadNames names = parse_thread_names(text);
  ASSERT_EQ(names.size(), 1u);
  std::string all, expected;
  for (const ThreadName& name : names.at("r-0-0")) all += name.text;
  for (int byte = 1; byte < 256; ++byte) expected += static_cast<char>(byte);
  EXPECT_EQ(all, expected);
}

// A recorder that is killed leaves half a line; a stranger anything at all.
TEST(ThreadNames, WhatIsNoLineCountsAsNotThere) {
  const std::string line = thread_name_line("r-0-0", 1, {7, "a \"b\""});
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_TRUE(parse_thread_names(line.substr(0, size)).empty()) << size;
  }
  const std::string sound = thread_name_line("r-1-0", 2, {0, "sound"});
  for (const char* wrong :
       {"\n", "ring\n", "ring r-0-0\n", "ring r-0-0 tid x from 0 name \"a\"\n", "ring r-0-0 tid 1 from -1 name \"a\"\n",
        "ring r-0-0 tid 1 from 1 name a\n", "ring r-0-0 tid 1 from 1 name \"a\n",
        "ring r-0-0 tid 1 from 1 name \"a\" more\n", "ring r-0-0 tid 1 from 18446744073709551616 name \"a\"\n"}) {
    const ThreadNames names = parse_thread_names(wrong + sound);
    EXPECT_EQ(names.size(), 1u) << wrong;
    EXPECT_TRUE(names.contains("r-1-0")) << wrong;
  }
}

class NamesInTraceTest : public testing::Test {
 protected:
  NamesInTraceTest() {
    folder_.write("metadata", test::metadata());
    folder_.write("threads-0-0",
                  Packet(test::prefix(7), 0, 100)
                          .short_record(test::kNumberId, 100, number(0))
                          .short_record(test::kNumberId, 199, number(1))
                          .short_record(test::kNumberId, 200, number(2))
                          .bytes() +
                      Packet(test::prefix(7), 1, 450).short_record(test::kNumberId, 450, number(3)).bytes());
    folder_.write("threads-1-0",
                  Packet(test::prefix(8, 1), 0, 150).short_record(test::kNumberId, 150, number(4)).bytes());
  }
  std::vector<std::string> read(const ReadOptions& options = {}) {
    const auto reader = TraceReader::open(folder_.path(), options);
    EXPECT_TRUE(reader);
    std::vector<std::string> events;
    for (RecordedEvent event; (*reader)->next(event);) {
      events.push_back(std::to_string(event.time_ns) + " " +
                       (event.thread_name != nullptr ? event.thread_name->text : std::string("-")));
    }
    return events;
  }
  test::TemporaryFolder folder_;
};

TEST_F(NamesInTraceTest, AnEventBearsTheNameThatItsThreadHadThen) {
  folder_.write(kThreadNamesFile, thread_name_line("threads-0-0", 7, {0, "first"}) +
                                      thread_name_line("threads-0-0", 7, {200, "second"}) +
                                      thread_name_line("threads-0-0", 7, {300, "passed over"}) +
                                      thread_name_line("threads-0-0", 7, {300, "third"}) +
                                      thread_name_line("threads-9-0", 7, {0, "of another ring"}));
  EXPECT_THAT(read(), ElementsAre("100 first", "150 -", "199 first", "200 second", "450 third"));
  ReadOptions late;
  late.begin_ns = 200;
  EXPECT_THAT(read(late), ElementsAre("200 second", "450 third")) << "also when it begins in the middle";
}

// Traces of before there were names, and of other tracers.
TEST_F(NamesInTraceTest, ATraceWithoutNamesIsReadAsEver) {
  EXPECT_THAT(read(), ElementsAre("100 -", "150 -", "199 -", "200 -", "450 -"));
}

}  // namespace
