// SPDX-License-Identifier: MIT
//
// With files in the place of the kernel's: an empty one, as a buffer without events, gives nothing.
#include "load/trace_drain.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <set>
#include <thread>

namespace maxlat::npt {
namespace {

namespace fs = std::filesystem;

class Drain : public testing::Test {
 protected:
  void put(const std::string& cpu, std::size_t bytes) {
    fs::create_directories(folder_.path() + "/per_cpu/" + cpu);
    std::ofstream(folder_.path() + "/per_cpu/" + cpu + "/trace_pipe_raw") << std::string(bytes, 'e');
  }
  core::TemporaryFolder folder_ = *core::TemporaryFolder::make(testing::TempDir(), "trace-drain");
  TraceDrain drain_;
};

TEST_F(Drain, TakesAllOfEachCpuAndLeavesNoFile) {
  put("cpu0", 10000);
  put("cpu1", 5);
  put("cpu2", 0);
  fs::create_directory(folder_.path() + "/to");
  ASSERT_TRUE(drain_.start(folder_.path(), 0, folder_.path() + "/to"));
  while (drain_.bytes() < 10005) std::this_thread::yield();
  drain_.stop();
  EXPECT_EQ(drain_.bytes(), 10005u);
  EXPECT_TRUE(drain_.status());
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/to"));
}

TEST_F(Drain, HasItsThreadsLeftOutOfTheTrace) {
  put("cpu0", 1);
  put("cpu1", 1);
  const std::string left_out = folder_.path() + "/set_event_notrace_pid";
  std::ofstream(left_out) << "1\n";  // whoever is there stays
  ASSERT_TRUE(drain_.start(folder_.path(), 0, folder_.path()));
  while (drain_.bytes() < 2) std::this_thread::yield();  // a thread reads after it is left out
  drain_.stop();
  EXPECT_FALSE(drain_.is_traced_itself());
  std::ifstream file(left_out);
  const std::set<pid_t> threads{std::istream_iterator<pid_t>(file), {}};
  EXPECT_EQ(threads.size(), 3u);
  EXPECT_TRUE(threads.contains(1));
  EXPECT_FALSE(threads.contains(::gettid()));
}

TEST_F(Drain, KnowsWhereTheKernelCannotLeaveItOut) {
  put("cpu0", 1);
  ASSERT_TRUE(drain_.start(folder_.path(), 0, folder_.path()));
  while (drain_.bytes() < 1) std::this_thread::yield();
  EXPECT_TRUE(drain_.is_traced_itself());
}

TEST_F(Drain, TellsOfAFullDisk) {
  put("cpu0", 4096);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};  // a part of what is written finds room
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  ASSERT_TRUE(drain_.start(folder_.path(), 0, folder_.path()));
  while (drain_.status()) std::this_thread::yield();
  drain_.stop();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(drain_.status().error().text, testing::HasSubstr("the kernel's trace cannot be written"));
}

TEST_F(Drain, NeedsATraceAndAFolder) {
  EXPECT_THAT(drain_.start(folder_.path(), 0).error().text, testing::HasSubstr("no CPU's trace in "));
  put("cpu0", 1);
  const std::string missing = folder_.path() + "/missing";
  EXPECT_THAT(drain_.start(folder_.path(), 0, missing).error().text,
              testing::HasSubstr("cannot make a temporary file in "));
}

}  // namespace
}  // namespace maxlat::npt
