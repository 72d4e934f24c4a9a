// SPDX-License-Identifier: MIT
//
// For tests of the room's commands, from their arguments to what they print and answer.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <string>

#include "test_environment.hpp"
#include "test_runs.hpp"

namespace maxlat::reports::test {

struct Ran {
  core::Result<core::Exit> result = core::Exit::pass;
  std::string printed;
};

inline Ran ran(const core::Command& command, const core::Arguments& arguments) {
  ::testing::internal::CaptureStdout();
  Ran ran{command.run(arguments), {}};
  std::fflush(stdout);
  ran.printed = ::testing::internal::GetCapturedStdout();
  return ran;
}

inline core::Exit status_of(const Ran& ran) {
  return ran.result ? *ran.result : ran.result.error().exit_status;
}
inline std::string error_of(const Ran& ran) {
  return ran.result ? "" : ran.result.error().text;
}

// A folder with the result of a run.
class CommandsOfARun : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(core::write_run(result(), single_phase_run())); }
  std::string result() const { return folder_ / "result.json"; }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  TemporaryFolder folder_;
};

}  // namespace maxlat::reports::test
