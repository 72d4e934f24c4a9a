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
