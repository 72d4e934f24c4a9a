// SPDX-License-Identifier: MIT
//
// The kernel build, with a tree of our own that has what matters of a kernel's: a Makefile that takes O= and the
// targets defconfig, all and clean, and refuses to build what was not configured.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>

#include "test_process_watching.hpp"

namespace maxlat::loadgen {
namespace {

using testing::HasSubstr;

class KernelBuild : public testing::Test {
 protected:
  void SetUp() override {
    if (core::find_program("make").empty()) GTEST_SKIP() << "make is not installed";
    std::filesystem::create_directories(root_ / "scratch");
    std::filesystem::create_directories(root_ / "source");
    setenv("TMPDIR", (root_ / "scratch").c_str(), 1);
  }
  void TearDown() override { unsetenv("TMPDIR"); }
  void write_makefile(const std::string& all) {
    root_.write("source/Makefile", "all:\n\ttest -f $(O)/.config\n\t" + all +
                                       "\ndefconfig:\n\ttouch $(O)/.config\nclean:\n\trm $(O)/vmlinux\n");
  }
  core::Result<LoadSet> start() {
    return LoadSet::start({"kernel:" + (root_ / "source")}, {core::allowed_cpus()->front()});
  }
  size_t count(const char* directory) const {
    const std::filesystem::directory_iterator entries(root_ / directory);
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

  test::TemporaryFolder root_;
};

TEST_F(KernelBuild, BuildsOutOfTreeRoundAfterRoundAndLeavesNothing) {
  write_makefile("test ! -e $(O)/vmlinux && touch $(O)/vmlinux");  // fails if the last round was not cleaned away
  core::Result<LoadSet> loads = start();
  ASSERT_TRUE(loads) << loads.error().text;
  EXPECT_TRUE(eventually([&] {
    loads->sample();
    return loads->latest().front().rounds >= 3 || !loads->all_alive();
  }));
  const core::LoadResult result = loads->stop().front();
  EXPECT_TRUE(result.alive) << result.reason;
  EXPECT_THAT(result.command, HasSubstr("defconfig, then -j2"));
  EXPECT_EQ(count("scratch"), 0u);
  EXPECT_EQ(count("source"), 1u) << "the source tree is only read";
}

TEST_F(KernelBuild, ABuildThatFailsIsDeadWithTheLastWordsOfMake) {
  write_makefile("false");
  core::Result<LoadSet> loads = start();
  ASSERT_FALSE(loads);
  EXPECT_THAT(loads.error().text, HasSubstr("load 'kernel' ended at once: make ended with exit status 2: make: "));
  EXPECT_EQ(count("scratch"), 0u);
}

}  // namespace
}  // namespace maxlat::loadgen
