// SPDX-License-Identifier: MIT
#include "run_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "meters/test_bench.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::HasSubstr;

TEST(RunDirectory, TwoRunsCannotShareOne) {
  const test::TemporaryFolder temporary;
  const auto first = RunDirectory::create(temporary / "run");
  ASSERT_TRUE(first.ok());
  const auto second = RunDirectory::create(temporary / "run");
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text, HasSubstr("another run"));
}

TEST(RunDirectory, TheLockGoesWithItsHolder) {
  const test::TemporaryFolder temporary;
  { ASSERT_TRUE(RunDirectory::create(temporary / "run").ok()); }
  EXPECT_TRUE(RunDirectory::create(temporary / "run").ok());
}

// Root made, and locked, whatever file it pointed to.
TEST(RunDirectory, ALockThatIsALinkIsRefused) {
  const test::TemporaryFolder temporary;
  test::fs::create_directories(temporary / "run");
  test::fs::create_symlink(temporary / "victim", temporary / "run/lock");
  const auto directory = RunDirectory::create(temporary / "run");
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().text, HasSubstr("run/lock' is a symbolic link"));
  EXPECT_FALSE(test::fs::exists(temporary / "victim"));
}

TEST(RunDirectory, ARunThatIsThereIsNotOverwritten) {
  const test::TemporaryFolder temporary;
  {
    const auto directory = RunDirectory::create(temporary / "run");
    ASSERT_TRUE(directory.ok());
    ASSERT_TRUE(directory->write(test::meter_result(5000)).ok());
  }
  const auto again = RunDirectory::create(temporary / "run");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().hint, HasSubstr("--resume"));
  const auto opened = RunDirectory::open(temporary / "run");
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened->read().ok());
}

// A defect: a result that was refused, because another build had made it, had a lock and an empty folder more then.
TEST(RunDirectory, WhatIsNotResumedStaysAsItWas) {
  const test::TemporaryFolder temporary;
  test::fs::create_directories(temporary / "run");
  ASSERT_TRUE(core::write_run(temporary / "run/result.json", test::meter_result(5000)).ok());
  RunDirectory::open(temporary / "run")->remove_unused();
  EXPECT_FALSE(test::fs::exists(temporary / "run/lock"));
  EXPECT_FALSE(test::fs::exists(temporary / "run/phases"));
  test::fs::create_directories(temporary / "run/phases");
  RunDirectory::open(temporary / "run")->remove_unused();
  EXPECT_TRUE(test::fs::exists(temporary / "run/phases")) << "it was there";
  EXPECT_TRUE(test::fs::exists(temporary / "run/result.json"));
}

TEST(RunDirectory, OpenNeedsARun) {
  const test::TemporaryFolder temporary;
  const auto opened = RunDirectory::open(temporary / "nothing");
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text, HasSubstr("no run to resume"));
  EXPECT_FALSE(test::fs::exists(temporary / "nothing"));
}

TEST(RunDirectory, APlaceThatCannotBeWrittenIsNamed) {
  const test::TemporaryFolder temporary;
  std::ofstream(temporary / "file") << "x";
  const auto directory = RunDirectory::create(temporary / "file/run");
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().text, HasSubstr("file/run"));
}

// A defect: -o was the one output that made whatever folders were missing.
TEST(RunDirectory, ParentsAreNotMade) {
  const test::TemporaryFolder temporary;
  const auto directory = RunDirectory::create(temporary / "none/run/");
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().text, HasSubstr("/none' is no directory"));
  EXPECT_FALSE(test::fs::exists(temporary / "none"));
  EXPECT_TRUE(RunDirectory::create(temporary / "run/").ok());
}

// A defect: on a disk that was full from the start, the hint named a result that was not there, and --resume refused.
TEST(RunDirectory, WhatCannotBeWrittenAtFirstIsNoRunToResume) {
  const test::TemporaryFolder temporary;
  const auto directory = RunDirectory::create(temporary / "run");
  ASSERT_TRUE(directory.ok());
  core::RunResult broken = test::meter_result(5000);
  broken.phases.front().duration_s = -1;  // is not written
  EXPECT_EQ(directory->write(broken).error().hint, "nothing was measured yet: make room, and start the run again");
  ASSERT_TRUE(directory->write(test::meter_result(5000)).ok());
  EXPECT_THAT(directory->write(broken).error().hint, HasSubstr("maxlat run --resume "));
}

// It is written before the first result.
TEST(RunDirectory, AKernelConfigWithoutAResultIsNoHindrance) {
  const test::TemporaryFolder temporary;
  ASSERT_TRUE(RunDirectory::create(temporary / "run")->write_kernel_config("CONFIG_X=y").ok());
  EXPECT_TRUE(RunDirectory::create(temporary / "run").ok());
}

// A defect: a run wrote its files among somebody's own.
TEST(RunDirectory, AFolderWithOtherThingsInItIsRefused) {
  const test::TemporaryFolder temporary;
  temporary.write("mine/letter.txt", "dear");
  const auto directory = RunDirectory::create(temporary / "mine");
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().text, HasSubstr("is not empty"));
  EXPECT_FALSE(std::filesystem::exists(temporary / "mine/phases"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
