// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

}  // namespace
}  // namespace maxlat::core
