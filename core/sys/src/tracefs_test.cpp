// SPDX-License-Identifier: MIT
//
// Over a folder that looks like tracefs. What the kernel makes of a value, the guest tests see.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::core {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// In tracefs the files of an instance appear with its directory, and go with it; here they are made and removed by
// hand.
class Tracefs : public testing::Test {
 protected:
  Tracefs() {
    root_.write("sys/kernel/tracing/available_tracers", "nop\n");
    fs::create_directories(tracefs_ + "/instances");
  }
  std::string read(const std::string& name) const { return root_.read("sys/kernel/tracing/" + name); }
  void write(const std::string& name, const std::string& text) const {
    root_.write("sys/kernel/tracing/" + name, text);
  }

  test::TemporaryFolder root_;
  const std::string tracefs_ = root_ / "sys/kernel/tracing";
};

TEST_F(Tracefs, IsFoundInItsOwnPlaceElseInDebugfs) {
  root_.write("sys/kernel/debug/tracing/available_tracers", "nop\n");
  EXPECT_EQ(find_tracefs(root_.path()), tracefs_);
  EXPECT_EQ(find_tracefs(root_.path() + "/"), tracefs_);
  fs::remove(tracefs_ + "/available_tracers");
  EXPECT_EQ(find_tracefs(root_.path()), root_ / "sys/kernel/debug/tracing");
}

TEST_F(Tracefs, SaysWhyThereIsNone) {
  fs::remove(tracefs_ + "/available_tracers");
  EXPECT_EQ(find_tracefs(root_.path()), "");
  EXPECT_EQ(why_no_tracefs(root_.path()), "tracefs is not mounted: mount -t tracefs nodev " + tracefs_);
  EXPECT_THAT(why_no_tracefs(root_ / "nowhere"), HasSubstr("CONFIG_FTRACE"));
  root_.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  EXPECT_THAT(why_no_tracefs(root_.path()), HasSubstr("not mounted"));
  root_.write("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  EXPECT_THAT(why_no_tracefs(root_.path()), HasSubstr("locked down"));
}

TEST_F(Tracefs, IsOpenWhereItIsMounted) {
  const auto opened = open_tracefs(root_.path());
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, tracefs_);
  fs::remove(tracefs_ + "/available_tracers");
  const auto nowhere = open_tracefs(root_.path());
  ASSERT_FALSE(nowhere) << "nothing is mounted for another root";
  EXPECT_EQ(nowhere.error().text, why_no_tracefs(root_.path()));
  EXPECT_EQ(nowhere.error().exit_status, Exit::cannot_run);
}

TEST(TracefsOfThisBox, IsOpenForThisProcessAloneWhereNobodyMountedIt) {
  const std::string mounts = read_file("/proc/self/mounts").value_or("");
  const std::string mounted = find_tracefs("/");
  const auto opened = open_tracefs("/");
  if (!opened) GTEST_SKIP() << "cannot run here: " << opened.error().text;
  EXPECT_TRUE(read_file(*opened + "/available_tracers"));
  EXPECT_EQ(*open_tracefs("/"), *opened) << "one mount in a process";
  EXPECT_EQ(read_file("/proc/self/mounts").value_or(""), mounts);
  EXPECT_EQ(find_tracefs("/"), mounted) << "others see it as before";
  if (!mounted.empty()) return;
  const int folder = std::stoi(fs::path(*opened).filename().string());
  EXPECT_EQ(::fcntl(folder, F_GETFD), FD_CLOEXEC) << "a child would inherit it";
  const auto instance = TraceInstance::make(*opened, "maxlat-test-" + std::to_string(::getpid()));
  EXPECT_TRUE(instance) << instance.error().text;
}

// The uprobes of others are gone when the file is truncated.
TEST_F(Tracefs, AValueIsReplacedAProbeIsAdded) {
  write("tracing_thresh", "1000000\n");
  EXPECT_TRUE(write_tracefs(tracefs_ + "/tracing_thresh", "20"));
  EXPECT_EQ(read("tracing_thresh"), "20");
  write("uprobe_events", "p:theirs/event /bin/sh:0x1\n");
  EXPECT_TRUE(write_tracefs(tracefs_ + "/uprobe_events", "p:ours/event /bin/sh:0x2", TracefsWrite::add));
  EXPECT_EQ(read("uprobe_events"), "p:theirs/event /bin/sh:0x1\np:ours/event /bin/sh:0x2");
}

TEST_F(Tracefs, WhatCannotBeWrittenIsAnErrorThatNamesBoth) {
  const Status written = write_tracefs(tracefs_ + "/no_such", "per-cpu");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("cannot write 'per-cpu' to '" + tracefs_ + "/no_such'"));
  EXPECT_THAT(written.error().hint, HasSubstr("root"));
  EXPECT_FALSE(write_tracefs("/dev/full", "1"));
}

TEST_F(Tracefs, TheSelectedWordIsTheOneInBrackets) {
  EXPECT_EQ(selected_word("none [round-robin] per-cpu"), "round-robin");
  EXPECT_EQ(selected_word("[none] round-robin per-cpu"), "none");
  EXPECT_EQ(selected_word("hwlat"), "hwlat");
  EXPECT_EQ(selected_word("none round-robin"), "");
}

TEST_F(Tracefs, AnInstanceEndsWithItsOwner) {
  {
    auto made = TraceInstance::make(tracefs_, "ours");
    ASSERT_TRUE(made);
    EXPECT_FALSE(TraceInstance::make(tracefs_, "ours")) << "it is taken, and stays whose it was";
    const TraceInstance moved = *std::move(made);
    EXPECT_EQ(moved.path(), tracefs_ + "/instances/ours");
    write("instances/ours/tracing_on", "1");
    EXPECT_TRUE(moved.set("tracing_on", "0"));
    EXPECT_EQ(read("instances/ours/tracing_on"), "0");
    fs::remove(tracefs_ + "/instances/ours/tracing_on");
  }
  EXPECT_FALSE(fs::exists(tracefs_ + "/instances/ours"));
}

// rmdir() refuses an instance whose tracer is running on some kernels, and its sampling thread would go on.
TEST_F(Tracefs, ItsTracerIsStoppedFirst) {
  auto made = TraceInstance::make(tracefs_, "ours");
  ASSERT_TRUE(made);
  write("instances/ours/current_tracer", "hwlat");
  made->remove();
  EXPECT_EQ(read("instances/ours/current_tracer"), "nop");
}

TEST_F(Tracefs, CountsOfAllCpusBalance) {
  const auto made = TraceInstance::make(tracefs_, "ours");
  ASSERT_TRUE(made);
  write("instances/ours/per_cpu/cpu0/stats", "entries: 5\noverrun: 7\ncommit overrun: 100\ndropped events: 11\n");
  write("instances/ours/per_cpu/cpu1/stats", "entries: 50\noverrun: 70\ndropped events: 110\nread events: 1000\n");
  const auto counts = made->counts();
  EXPECT_EQ(counts.kept, 55u);
  EXPECT_EQ(counts.overwritten, 77u);
  EXPECT_EQ(counts.dropped, 121u);
  EXPECT_EQ(counts.lost(), 77u + 121 + 100) << "whatever it was lost by";
  EXPECT_EQ(counts.all(), 55u + 1000 + counts.lost());
}

// 4194305 is above every process number that Linux gives.
TEST_F(Tracefs, OnlyInstancesOfTheDeadAreRemoved) {
  const std::string living = "ours-" + std::to_string(::getpid());
  for (const std::string& name : {std::string("ours-4194305"), living, std::string("ours-x"),
                                  std::string("ours-4194305x"), std::string("ours-"), std::string("theirs-4194305")})
    fs::create_directories(tracefs_ + "/instances/" + name);
  remove_instances_of_the_dead(tracefs_, "ours-");
  EXPECT_FALSE(fs::exists(tracefs_ + "/instances/ours-4194305"));
  for (const std::string& name : {living, std::string("ours-x"), std::string("ours-4194305x"), std::string("ours-"),
                                  std::string("theirs-4194305")})
    EXPECT_TRUE(fs::exists(tracefs_ + "/instances/" + name)) << name;
}

}  // namespace
}  // namespace maxlat::core
