// SPDX-License-Identifier: MIT
#include "stolen_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::npt {
namespace {

class StolenTime : public testing::Test {
 protected:
  double of(const std::string& text) {
    folder_.write("stat", text);
    return stolen_time_s(folder_ / "stat");
  }
  test::TemporaryFolder folder_;
};

TEST_F(StolenTime, IsTheEighthColumnOfAllCpusTogether) {
  EXPECT_DOUBLE_EQ(of("cpu  3436093 1189287 1035484 1500834 29304 0 3409 250 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"),
                   250.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

TEST_F(StolenTime, IsNoneWhereTheKernelDoesNotTell) {
  EXPECT_EQ(of("cpu  1 2 3 4\n"), 0);
  EXPECT_EQ(of(""), 0);
  EXPECT_EQ(stolen_time_s("/nonexistent/stat"), 0);
}

}  // namespace
}  // namespace maxlat::npt
