// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/version.hpp>

namespace maxlat::core {
namespace {

TEST(Version, TheBuildIdIsThatOfTheProgram) {
  if (find_program("readelf").empty()) GTEST_SKIP() << "readelf is not installed";
  ProcessSpec readelf;
  readelf.argv = {"readelf", "-n", own_executable()};
  readelf.standard_output = ProcessSpec::Output::capture;
  const auto ended = run_process(readelf, std::chrono::seconds(60));
  ASSERT_TRUE(ended && ended->succeeded());
  const std::string label = "Build ID: ";
  const size_t at = ended->standard_output.find(label);
  std::string expected;  // some linkers note none
  if (at != std::string::npos) expected = ended->standard_output.substr(at + label.size());
  EXPECT_EQ(build_id(), expected.substr(0, expected.find_first_of(" \n")));
  if (!expected.empty()) {
    EXPECT_THAT(build_text(), testing::EndsWith(", build " + build_id()));
  }
}

}  // namespace
}  // namespace maxlat::core
