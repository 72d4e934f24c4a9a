// SPDX-License-Identifier: MIT
#include "sampling_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::hwlat {
namespace {

TEST(SamplingThreads, AreFoundByTheirNames) {
  const test::TemporaryFolder proc;
  const auto process = [&](const std::string& pid, const char* comm, const char* schedstat) {
    proc.write(pid + "/comm", comm);
    proc.write(pid + "/schedstat", schedstat);
  };
  process("12", "hwlatd/3\n", "1500000000 22 3\n");
  process("13", "hwlatd/127\n", "0 0 0\n");
  process("14", "hwlatd\n", "5 5 5\n");
  process("15", "bash\n", "5 5 5\n");
  process("self", "hwlatd/9\n", "5 5 5\n");
  EXPECT_THAT(sampling_thread_seconds(proc.path()),
              testing::ElementsAre(testing::Pair(3u, testing::DoubleEq(1.5)), testing::Pair(127u, 0.0)));
}

}  // namespace
}  // namespace maxlat::hwlat
