// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <csignal>
#include <ctime>

#include "foreign_command.hpp"

namespace maxlat::trace_tools {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::vector<std::string> kFolders = {"/a/trace"};

// Processor time, which is what the limit counts.
double used_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(ForeignProcess, AReaderThatGoesRoundForEverIsEnded) {
  const auto ended = isolated(
      kFolders,
      [](std::vector<std::string>&) -> core::Result<core::Exit> {
        // A call, since ThreadSanitizer runs handlers only when the program calls something of its.
        for (volatile bool for_ever = true; for_ever;) std::time(nullptr);
        return core::Exit::pass;
      },
      50ms);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().exit_status, core::Exit::invalid);
  EXPECT_THAT(ended.error().text, HasSubstr("came no further in 50 ms of processor time while it read /a/trace"));
}

TEST(ForeignProcess, OneThatComesFurtherMayTakeItsTime) {
  const auto ended = isolated(
      kFolders,
      [](std::vector<std::string>&) -> core::Result<core::Exit> {
        for (const double start = used_s(); used_s() < start + 0.5;) foreign_came_further();
        return core::Exit::limit_exceeded;
      },
      50ms);
  ASSERT_TRUE(ended.ok()) << ended.error().text;
  EXPECT_EQ(*ended, core::Exit::limit_exceeded);
}

TEST(ForeignProcess, ASignalIsToldByItsName) {
  const auto ended = isolated(kFolders, [](std::vector<std::string>&) -> core::Result<core::Exit> {
    std::raise(SIGKILL);
    return core::Exit::pass;
  });
  ASSERT_FALSE(ended.ok());
  EXPECT_THAT(ended.error().text, HasSubstr("ended by signal 9 (Killed) while it read /a/trace"));
}

}  // namespace
}  // namespace maxlat::trace_tools
