// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>

namespace maxlat::core {
namespace {

namespace fs = std::filesystem;

class AtomicWrite : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ / name; }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), {})); }

  test::TemporaryFolder folder_;
};
using AtomicWriteDeathTest = AtomicWrite;

TEST_F(AtomicWrite, ReplacesAndLeavesNothingBeside) {
  ASSERT_TRUE(write_atomically(path("r.json"), "old").ok());
  ASSERT_TRUE(write_atomically(path("r.json"), "new text").ok());
  EXPECT_EQ(folder_.read("r.json"), "new text");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicWrite, OpenReaderKeepsTheOldText) {
  ASSERT_TRUE(write_atomically(path("r.json"), "old").ok());
  std::ifstream reader(path("r.json"));
  ASSERT_TRUE(write_atomically(path("r.json"), "new").ok());
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(AtomicWrite, LinkStaysALink) {
  ASSERT_TRUE(write_atomically(path("real.json"), "old").ok());
  fs::create_symlink("real.json", path("link.json"));
  ASSERT_TRUE(write_atomically(path("link.json"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_EQ(folder_.read("real.json"), "new");
}

// As root, a rename onto /dev/null would leave the machine without one.
TEST_F(AtomicWrite, DeviceIsWrittenToNotReplaced) {
  ASSERT_TRUE(write_atomically("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Status full = write_atomically("/dev/full", "text");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().text, "cannot write /dev/full: no space left on device");
}

// The temporary had the fixed name r.json.tmp: whose file that was, lost it.
TEST_F(AtomicWrite, WhatAnotherCallsItsTemporaryIsLeftAlone) {
  ASSERT_TRUE(write_atomically(path("r.json.tmp"), "precious").ok());
  ASSERT_TRUE(check_writable(path("r.json")).ok());
  ASSERT_TRUE(write_atomically(path("r.json"), "new").ok());
  EXPECT_EQ(folder_.read("r.json.tmp"), "precious");
  EXPECT_EQ(folder_.read("r.json"), "new");
  EXPECT_EQ(files(), 2u);
}

// As root it followed them: a link in a folder that everybody may write to chose the file that root replaced.
TEST_F(AtomicWrite, ALinkOfAnotherUserIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "to make a link of another user needs root";
  ASSERT_TRUE(write_atomically(path("victim"), "precious").ok());
  fs::create_symlink("victim", path("planted.json"));
  ASSERT_EQ(::lchown(path("planted.json").c_str(), 65534, 65534), 0);
  fs::create_symlink("planted.json", path("ours.json"));
  fs::create_symlink("/dev/null", path("device.json"));
  ASSERT_EQ(::lchown(path("device.json").c_str(), 65534, 65534), 0);
  for (const char* link : {"planted.json", "ours.json", "device.json"}) {
    const Status written = write_atomically(path(link), "new");
    ASSERT_FALSE(written.ok()) << link;
    EXPECT_NE(written.error().text.find("belongs to another user"), std::string::npos) << written.error().text;
    EXPECT_FALSE(check_writable(path(link)).ok()) << link;
  }
  EXPECT_EQ(folder_.read("victim"), "precious");
}

TEST_F(AtomicWrite, LinksInACircleAreAnError) {
  fs::create_symlink("circle.json", path("circle.json"));
  EXPECT_FALSE(write_atomically(path("circle.json"), "text").ok());
  EXPECT_FALSE(check_writable(path("circle.json")).ok());
}

TEST_F(AtomicWrite, AFileThatIsReplacedKeepsItsModeAndItsOwner) {
  const mode_t mask = ::umask(022);
  for (const mode_t mode : {0600u, 0664u}) {
    ASSERT_TRUE(write_atomically(path("r.json"), "old").ok());
    ASSERT_EQ(::chmod(path("r.json").c_str(), mode), 0);
    const uid_t owner = ::geteuid() == 0 ? 65534 : ::geteuid();
    ASSERT_EQ(::chown(path("r.json").c_str(), owner, static_cast<gid_t>(-1)), 0);
    ASSERT_TRUE(check_writable(path("r.json")).ok());
    ASSERT_TRUE(write_atomically(path("r.json"), "new").ok());
    struct stat now {};
    ASSERT_EQ(::stat(path("r.json").c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 0777, mode);
    EXPECT_EQ(now.st_uid, owner);
  }
  ASSERT_TRUE(write_atomically(path("fresh.json"), "new").ok());
  struct stat fresh {};
  ASSERT_EQ(::stat(path("fresh.json").c_str(), &fresh), 0);
  EXPECT_EQ(fresh.st_mode & 0777, 0644u) << "what is new has the mode that the umask leaves";
  ::umask(mask);
}

TEST_F(AtomicWrite, MissingFolderIsOneClearLine) {
  const Status status = write_atomically(path("nowhere/r.json"), "text");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().text.find("nowhere/r.json: no such file or directory"), std::string::npos);
  EXPECT_FALSE(status.error().hint.empty());
  EXPECT_FALSE(write_atomically(folder_.path(), "text").ok());
}

// The disk is full in the middle of the text, by way of the largest file the process may write.
TEST_F(AtomicWriteDeathTest, FullDiskLeavesTheOldText) {
  ASSERT_TRUE(write_atomically(path("r.json"), "old").ok());
  const auto write_beyond_the_limit = [this] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 10'000, .rlim_max = 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool failed = !write_atomically(path("r.json"), std::string(100'000, 'x')).ok();
    std::_Exit(failed ? 0 : 1);
  };
  EXPECT_EXIT(write_beyond_the_limit(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder_.read("r.json"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicWrite, CheckBeforehandFindsWhatCannotBeWritten) {
  EXPECT_FALSE(check_writable(path("nowhere/r.json")).ok());
  EXPECT_FALSE(check_writable(folder_.path()).ok());
  EXPECT_FALSE(check_writable("/proc/r.json").ok());
  EXPECT_TRUE(check_writable("-").ok());
  EXPECT_TRUE(check_writable("/dev/full").ok()) << "a device that is full is found by writing alone";
}

TEST_F(AtomicWrite, CheckBeforehandChangesNothing) {
  ASSERT_TRUE(write_atomically(path("r.json"), "old").ok());
  EXPECT_TRUE(check_writable(path("r.json")).ok());
  EXPECT_TRUE(check_writable(path("new.json")).ok());
  EXPECT_EQ(folder_.read("r.json"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicWrite, DashIsStandardOutput) {
  testing::internal::CaptureStdout();
  const Status status = write_atomically("-", "{}");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{}\n");
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(files(), 0u);
}

TEST(CheckApart, NoOutputIsAnInputOrAnotherOutput) {
  const test::TemporaryFolder folder;
  folder.write("in.json", "{}");
  const std::string in = folder / "in.json";
  EXPECT_TRUE(check_apart({folder / "out.json", "-", ""}, {in, "-", ""})) << "standard streams are nobody's file";
  EXPECT_FALSE(check_apart({in}, {in}));
  EXPECT_FALSE(check_apart({folder / "x/../in.json"}, {in})) << "by another name";
  std::filesystem::create_symlink(in, folder / "link");
  EXPECT_FALSE(check_apart({folder / "link"}, {in}));
  const Status twice = check_apart({folder / "new", folder / "x/../new"}, {});
  ASSERT_FALSE(twice) << "though it is not there yet";
  EXPECT_NE(twice.error().text.find("would be written twice"), std::string::npos);
}

}  // namespace
}  // namespace maxlat::core
