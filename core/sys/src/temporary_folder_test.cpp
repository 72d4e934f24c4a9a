// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <optional>

namespace maxlat::core {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsOursAloneAndGoesWithItsLastOwnerAndAllThatIsInIt) {
  const test::TemporaryFolder place;
  auto made = TemporaryFolder::make(place.path(), "maxlat-x");
  ASSERT_TRUE(made) << made.error().text;
  std::optional<TemporaryFolder> folder(*std::move(made));
  EXPECT_THAT(folder->path(), testing::StartsWith(place / "maxlat-x."));
  struct stat status {};
  ASSERT_EQ(stat(folder->path().c_str(), &status), 0) << "it has gone with an owner that gave it away";
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  fs::create_directory(*folder / "inner");
  std::ofstream(*folder / "inner/file") << "text";
  ASSERT_TRUE(fs::exists(*folder / "inner/file"));
  folder.reset();
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(TemporaryFolder, SaysWhereItCannotBeMade) {
  const auto made = TemporaryFolder::make("/proc/no/such", "maxlat-x");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "cannot make a folder in /proc/no/such: no such file or directory");
  EXPECT_EQ(made.error().hint, "is TMPDIR writable?");
}

TEST(FileWithoutAName, HoldsWhatIsWrittenAndIsInNoFolder) {
  const test::TemporaryFolder place;
  const auto file = file_without_a_name(place.path());
  ASSERT_TRUE(file) << file.error().text;
  ASSERT_EQ(pwrite(file->number(), "text", 4, 0), 4);
  char read[8] = {};
  ASSERT_EQ(pread(file->number(), read, sizeof read, 0), 4);
  EXPECT_STREQ(read, "text");
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(FileWithoutAName, SaysWhereItCannotBeMade) {
  EXPECT_EQ(file_without_a_name("/proc/no/such").error().text,
            "cannot make a temporary file in /proc/no/such: no such file or directory");
}

}  // namespace
}  // namespace maxlat::core
