// SPDX-License-Identifier: MIT
#include "sampling_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace maxlat::hwlat {
namespace {

namespace fs = std::filesystem;

TEST(SamplingThreads, AreFoundByTheirNames) {
  const fs::path proc = fs::path(testing::TempDir()) / ("proc-" + std::to_string(::getpid()));
  const auto process = [&](const char* pid, const char* comm, const char* schedstat) {
    fs::create_directories(proc / pid);
    std::ofstream(proc / pid / "comm") << comm;
    std::ofstream(proc / pid / "schedstat") << schedstat;
  };
  process("12", "hwlatd/3\n", "1500000000 22 3\n");
  process("13", "hwlatd/127\n", "0 0 0\n");
  process("14", "hwlatd\n", "5 5 5\n");
  process("15", "bash\n", "5 5 5\n");
  process("self", "hwlatd/9\n", "5 5 5\n");
  EXPECT_THAT(sampling_thread_seconds(proc.string()),
              testing::ElementsAre(testing::Pair(3u, testing::DoubleEq(1.5)), testing::Pair(127u, 0.0)));
  fs::remove_all(proc);
}

}  // namespace
}  // namespace maxlat::hwlat
