// SPDX-License-Identifier: MIT
//
// Over a folder that looks like tracefs. What the kernel makes of it, npt's and cyclic's tests see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/attribution/trace_mark.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::attribution {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class TraceMarks : public testing::Test {
 protected:
  TraceMarks() {
    root_.write("sys/kernel/tracing/available_tracers", "nop\n");
    for (const char* place : {"", "instances/mine/"}) {
      root_.write(kTracing + place + "trace_marker", "");
      root_.write(kTracing + place + "tracing_on", "1\n");
    }
  }
  std::string read(const std::string& name) const { return root_.read(kTracing + name); }

  static inline const std::string kTracing = "sys/kernel/tracing/";
  test::TemporaryFolder root_;
};

TEST_F(TraceMarks, TheFirstIsWrittenAndStopsTheTrace) {
  const auto mark = TraceMark::open(root_.path(), "");
  ASSERT_TRUE(mark);
  EXPECT_FALSE((*mark)->struck());
  EXPECT_THAT((*mark)->told(), HasSubstr("none: the limit was not exceeded"));
  EXPECT_EQ(read("tracing_on"), "1\n") << "opening it changes nothing";
  (*mark)->strike("a gap of 83 us");
  (*mark)->strike("another");
  EXPECT_EQ(read("trace_marker"), "a gap of 83 us");
  EXPECT_EQ(read("tracing_on"), "0\n");
  EXPECT_EQ((*mark)->failure(), "");
  EXPECT_EQ((*mark)->told(), "in " + root_ / "sys/kernel/tracing" + ", where tracing was stopped");
  EXPECT_EQ(read("instances/mine/tracing_on"), "1\n") << "it is another trace";
}

TEST_F(TraceMarks, AnInstanceHasItsOwn) {
  const auto mark = TraceMark::open(root_.path(), "mine");
  ASSERT_TRUE(mark);
  (*mark)->strike("late");
  EXPECT_EQ(read("instances/mine/trace_marker"), "late");
  EXPECT_EQ(read("instances/mine/tracing_on"), "0\n");
  EXPECT_EQ(read("tracing_on"), "1\n");
}

TEST_F(TraceMarks, WhatIsMissingIsSaidBeforeAnythingIsMeasured) {
  for (const char* name : {"theirs", "..", "mine/../mine"}) {
    const auto mark = TraceMark::open(root_.path(), name);
    ASSERT_FALSE(mark) << name;
    EXPECT_EQ(mark.error().exit_status, core::Exit::error);
    EXPECT_EQ(mark.error().text, std::string("there is no trace instance '") + name + "'");
  }
  fs::remove(root_ / "sys/kernel/tracing/trace_marker");
  const auto no_marker = TraceMark::open(root_.path(), "");
  ASSERT_FALSE(no_marker);
  EXPECT_EQ(no_marker.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(no_marker.error().text, HasSubstr("trace_marker"));
  const auto no_tracefs = TraceMark::open(root_ / "nowhere", "");
  ASSERT_FALSE(no_tracefs);
  EXPECT_EQ(no_tracefs.error().exit_status, core::Exit::cannot_run);
}

TEST_F(TraceMarks, AMarkThatCannotBeWrittenIsTold) {
  fs::remove(root_ / "sys/kernel/tracing/trace_marker");
  fs::create_symlink("/dev/full", root_ / "sys/kernel/tracing/trace_marker");
  const auto mark = TraceMark::open(root_.path(), "");
  ASSERT_TRUE(mark);
  (*mark)->strike("late");
  EXPECT_THAT((*mark)->failure(), HasSubstr("cannot write the mark into "));
  EXPECT_THAT((*mark)->failure(), EndsWith("No space left on device"));
  EXPECT_EQ(read("tracing_on"), "0\n") << "the trace is stopped all the same";
}

}  // namespace
}  // namespace maxlat::attribution
