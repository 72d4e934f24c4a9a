// SPDX-License-Identifier: MIT
// What the kernel makes of the writes: tests/guest/run_shielded.guest.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/core/sys/shield_door.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::core {
namespace {

constexpr const char* kGroup = "/sys/fs/cgroup/maxlat-shield";
constexpr const char* kGroupOfOne = "/sys/fs/cgroup/cpuset/maxlat-shield";

class ShieldDoorTest : public testing::Test {
 protected:
  void version_two() {
    root_.file("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    root_.file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n");
    root_.file("/sys/fs/cgroup/cgroup.procs", "");
  }
  void shield_is_on(const std::string& group, const std::string& cpus_file, const std::string& thread_file) {
    root_.file(group + "/" + cpus_file, "1-2\n");
    root_.file(group + "/" + thread_file, "");
    root_.file(group + "/cgroup.procs", "");
  }
  void process_is_in(const std::string& group) { root_.file("/proc/self/cgroup", "0::" + group + "\n"); }
  std::string written(const std::string& path) const { return read_file(root_.path() + path).value_or("not there"); }

  test::FakeRoot root_;
};

TEST_F(ShieldDoorTest, WithoutAShieldThereIsNone) {
  EXPECT_FALSE(ShieldDoor::find(root_.path())) << "no cgroups at all";
  version_two();
  EXPECT_FALSE(ShieldDoor::find(root_.path()));
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  EXPECT_TRUE(ShieldDoor::find(root_.path()));
  root_.file(std::string(kGroup) + "/cpuset.cpus", "\n");
  EXPECT_FALSE(ShieldDoor::find(root_.path())) << "a group without CPUs shields nothing";
}

TEST_F(ShieldDoorTest, LeadsToItsOwnCpusAndToNoOthers) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  const auto door = ShieldDoor::find(root_.path());
  ASSERT_TRUE(door);
  EXPECT_THAT(door->cpus(), testing::ElementsAre(1, 2));
  EXPECT_TRUE(door->leads_to({1}));
  EXPECT_TRUE(door->leads_to({1, 2}));
  EXPECT_FALSE(door->leads_to({1, 3}));
  EXPECT_EQ(door->process_file(), root_.path() + kGroup + "/cgroup.procs");
}

TEST_F(ShieldDoorTest, AThreadOfAProcessOfTheRootGoesInAlone) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  process_is_in("/");
  ASSERT_TRUE(ShieldDoor::find(root_.path())->enter());
  EXPECT_EQ(written(std::string(kGroup) + "/cgroup.threads"), "0\n");
  EXPECT_EQ(written(std::string(kGroup) + "/cgroup.procs"), "") << "not the process";
  EXPECT_EQ(written("/sys/fs/cgroup/cgroup.procs"), "") << "it is there already";
}

TEST_F(ShieldDoorTest, AProcessInAScopeOfSystemdComesToTheRootFirst) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  process_is_in("/user.slice/user-0.slice/session-3.scope");
  ASSERT_TRUE(ShieldDoor::find(root_.path())->enter());
  EXPECT_EQ(written("/sys/fs/cgroup/cgroup.procs"), "0\n");
  EXPECT_EQ(written(std::string(kGroup) + "/cgroup.threads"), "0\n");
}

// maxlat shield exec: the whole process is inside. Moved to the root, its threads would all leave the shield.
TEST_F(ShieldDoorTest, AProcessThatIsInsideStaysThere) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  process_is_in("/maxlat-shield");
  ASSERT_TRUE(ShieldDoor::find(root_.path())->enter());
  EXPECT_EQ(written("/sys/fs/cgroup/cgroup.procs"), "");
}

// A defect: a meter within maxlat shield exec had all its threads on the CPUs that it measured.
TEST_F(ShieldDoorTest, AProcessThatIsInsideLeavesWhole) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  process_is_in("/user.slice");
  EXPECT_FALSE(ShieldDoor::find(root_.path())->has_whole_process());
  process_is_in("/maxlat-shield");
  const auto door = ShieldDoor::find(root_.path());
  ASSERT_TRUE(door->has_whole_process());
  ASSERT_TRUE(door->leave());
  EXPECT_EQ(written("/sys/fs/cgroup/cgroup.procs"), "0\n");
  root_.remove("/sys/fs/cgroup/cgroup.procs");
  EXPECT_THAT(door->leave().error().text, testing::HasSubstr("cannot leave the shield: "));
}

TEST_F(ShieldDoorTest, OnVersionOneItLeavesForTheGroupOfTheSystem) {
  root_.file("/proc/self/mountinfo", "31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  root_.file("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-3\n");
  root_.file("/sys/fs/cgroup/cpuset/maxlat-system/cgroup.procs", "");
  shield_is_on(kGroupOfOne, "cpuset.cpus", "tasks");
  root_.file("/proc/self/cgroup", "5:cpu,cpuacct:/\n4:cpuset:/maxlat-shield\n0::/user.slice\n");
  const auto door = ShieldDoor::find(root_.path());
  ASSERT_TRUE(door->has_whole_process());
  ASSERT_TRUE(door->leave());
  EXPECT_EQ(written("/sys/fs/cgroup/cpuset/maxlat-system/cgroup.procs"), "0\n");
  root_.file("/proc/self/cgroup", "4:cpuset:/\n0::/maxlat-shield\n");
  EXPECT_FALSE(door->has_whole_process());
}

TEST_F(ShieldDoorTest, OnVersionOneAThreadGoesInFromAnywhere) {
  root_.file("/proc/self/mountinfo", "31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  root_.file("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-3\n");
  root_.file("/sys/fs/cgroup/cpuset/cgroup.procs", "");
  shield_is_on(kGroupOfOne, "cpuset.cpus", "tasks");
  process_is_in("/user.slice");
  ASSERT_TRUE(ShieldDoor::find(root_.path())->enter());
  EXPECT_EQ(written(std::string(kGroupOfOne) + "/tasks"), "0\n");
  EXPECT_EQ(written("/sys/fs/cgroup/cpuset/cgroup.procs"), "");
}

TEST_F(ShieldDoorTest, WhoMayNotEnterIsToldSo) {
  version_two();
  shield_is_on(kGroup, "cpuset.cpus", "cgroup.threads");
  process_is_in("/");
  root_.remove(std::string(kGroup) + "/cgroup.threads");  // as good as no right to write: root has every right here
  const auto door = ShieldDoor::find(root_.path());
  ASSERT_TRUE(door);
  EXPECT_FALSE(door->may_enter());
  const Status entered = door->enter();
  ASSERT_FALSE(entered);
  EXPECT_THAT(entered.error().text, testing::HasSubstr("cannot come into the shield"));
}

}  // namespace
}  // namespace maxlat::core
