// SPDX-License-Identifier: MIT
#include "trial_traces.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace maxlat::npt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

TEST(TrialTraces, EachTrialHasAFolderInMemoryThatGoesWithIt) {
  fs::path all;
  {
    TrialTraces traces(4096);
    if (traces.where() != "memory (/dev/shm)") GTEST_SKIP() << traces.where();
    std::string first;
    {
      const TrialTraces::OfOne trace = traces.next();
      first = trace.option().value();
      EXPECT_THAT(first, StartsWith("--trace-dir=/dev/shm/maxlat-npt-"));
      const fs::path folder = first.substr(first.find('=') + 1);
      all = folder.parent_path();
      EXPECT_TRUE(fs::is_directory(all));
      EXPECT_TRUE(fs::create_directories(folder / "process"));
    }
    EXPECT_TRUE(fs::is_empty(all));
    EXPECT_NE(traces.next().option().value(), first);
  }
  EXPECT_FALSE(fs::exists(all));
}

TEST(TrialTraces, WithoutRoomTheyLieWhereAnArmsTraceAlwaysDoes) {
  TrialTraces traces(std::uint64_t{1} << 60);
  EXPECT_THAT(traces.where(), HasSubstr("/dev/shm has no room"));
  EXPECT_EQ(traces.next().option(), std::nullopt);
}

}  // namespace
}  // namespace maxlat::npt
