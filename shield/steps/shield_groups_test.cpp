// SPDX-License-Identifier: MIT
//
// What makes a shield beside its settings: the cpusets and the keeper. That they stand is seen, and they are made
// again.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ShieldGroups : public ShieldedBox {
 protected:
  static bool is_v2() { return GetParam() == Hierarchy::v2; }
  static std::string group() {
    return is_v2() ? "/sys/fs/cgroup/maxlat-shield" : "/sys/fs/cgroup/cpuset/maxlat-shield";
  }
  pid_t keeper() const {
    const auto journal = read_journal(plan().journal);
    pid_t last = 0;
    for (const Change& change : (*journal)->changes)
      if (change.kind == Change::Kind::keeper) last = change.task;
    return last;
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldGroups, testing::Values(Hierarchy::v2, Hierarchy::v1, Hierarchy::none));

class ShieldWithGroups : public ShieldGroups {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldWithGroups, testing::Values(Hierarchy::v2, Hierarchy::v1));

// Partitions and controllers are version 2's.
class ShieldGroupsOfV2 : public ShieldGroups {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldGroupsOfV2, testing::Values(Hierarchy::v2));

// A defect: a group was thought to stand as long as it was there, and one that was gone was not made again.
TEST_P(ShieldWithGroups, AGroupThatIsGoneIsSeenAndMadeAgainWhole) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto on = box_.state();
  std::filesystem::remove_all(box_.path() + group());
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, Contains(group() + " is not there any more"));
  const auto again = shield_on(plan(), surface);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->lost, 0u);
  EXPECT_THAT(box_.changed_since(on), ElementsAre());
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre());
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(ShieldWithGroups, CpusThatSomebodyTakesFromTheGroupAreSeenAndGivenBack) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file(group() + "/cpuset.cpus", "2\n");
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre(group() + "/cpuset.cpus is no longer 2-3"));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(box_.text(group() + "/cpuset.cpus"), "2-3");
}

// A defect: the kernel called the partition invalid, and status said that all stands.
TEST_P(ShieldGroupsOfV2, APartitionThatBecomesInvalidIsSeenAndMadeValidOrToldSo) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const std::string partition = group() + "/cpuset.cpus.partition";
  box_.file(partition, "isolated invalid (Parent unable to distribute cpu downstream)\n");
  EXPECT_THAT(
      shield_status(plan().journal, surface)->drifted,
      ElementsAre(partition + " is no longer isolated: isolated invalid (Parent unable to distribute cpu downstream)"));
  surface.partition_is_invalid = true;
  const auto not_again = shield_on(plan(), surface);
  ASSERT_TRUE(not_again);
  EXPECT_EQ(not_again->lost, 1u);
  EXPECT_THAT(not_again->steps, Contains(testing::Field(&StepReport::text, HasSubstr("holds isolated invalid"))));
  surface.partition_is_invalid = false;
  EXPECT_EQ(shield_on(plan(), surface)->lost, 0u);
  EXPECT_EQ(box_.text(partition), "isolated");
  box_.file(partition, "isolated invalid (Parent unable to distribute cpu downstream)\n");
  EXPECT_THAT(shield_off(plan().journal, surface, false)->left, ElementsAre()) << "it goes with its group";
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: without its keeper nothing held the idle states off, and `on` called that already so.
TEST_P(ShieldGroups, AKeeperThatHasEndedIsSeenAndAnotherOneTakesItsPlace) {
  box_.file("/dev/cpu_dma_latency", "none\n");
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const pid_t first = keeper();
  ASSERT_GT(first, 0);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_EQ(::waitpid(first, nullptr, 0), first);
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre(HasSubstr("is not there any more")));
  const auto again = shield_on(plan(), surface);
  EXPECT_TRUE(again);
  EXPECT_THAT(again->steps, Contains(testing::Field(&StepReport::text, "/dev/cpu_dma_latency is held at 0")));
  EXPECT_NE(keeper(), first);
  const auto status = shield_status(plan().journal, surface);
  EXPECT_THAT(status->drifted, ElementsAre());
  EXPECT_TRUE(status->is_complete);
  EXPECT_EQ(status->changes, on->changes);
  EXPECT_EQ(status->standing, on->changes);
  const pid_t second = keeper();
  EXPECT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_NE(::kill(second, 0), 0) << "the second keeper lives on";
}

// A defect: status and the next `on` forgot a keeper that could not be replaced.
TEST_P(ShieldGroups, AKeeperThatCannotBeReplacedIsMissedUntilItCanBe) {
  const std::string file = "/dev/cpu_dma_latency";
  box_.file(file, "none\n");
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const pid_t first = keeper();
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_EQ(::waitpid(first, nullptr, 0), first);
  box_.remove(file);
  for (int tried = 0; tried < 2; ++tried) {
    const auto in_vain = shield_on(plan(), surface);
    ASSERT_TRUE(in_vain) << in_vain.error().text;
    EXPECT_EQ(in_vain->lost, 1u);
    EXPECT_THAT(in_vain->steps, Contains(testing::Field(&StepReport::text, HasSubstr(file + " is not there"))));
    const auto status = shield_status(plan().journal, surface);
    EXPECT_TRUE(status->is_complete);
    EXPECT_EQ(status->changes, on->changes);
    EXPECT_THAT(status->drifted, ElementsAre(HasSubstr("is not there any more")));
  }
  box_.file(file, "none\n");
  EXPECT_EQ(shield_on(plan(), surface)->lost, 0u);
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre());
  EXPECT_TRUE(shield_off(plan().journal, surface, false));
}

// A defect: with a journal of its own a second shield took the first one's group for its own, and removed it. Without
// groups, two were on at once.
TEST_P(ShieldGroups, AnotherJournalIsNoOtherBox) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto on = box_.state();
  ShieldPlan other = plan();
  other.journal = folder_ / "other/shield.journal";
  const auto refused = shield_on(other, surface);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a shield of CPU 2-3 is on, whose journal is " + plan().journal);
  EXPECT_FALSE(std::filesystem::exists(other.journal));
  EXPECT_EQ(preview_on(other, surface).error().text, refused.error().text);
  EXPECT_THAT(box_.changed_since(on), ElementsAre());
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_TRUE(shield_on(other, surface)) << "the first one is off";
}

TEST_P(ShieldWithGroups, AGroupWhoseJournalIsLostIsNotTakenForOnesOwn) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  std::filesystem::remove(plan().journal);
  const auto refused = shield_on(plan(), surface);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "there is a group of another shield: " + group());
  EXPECT_EQ(preview_on(plan(), surface).error().text, refused.error().text);
}

// A defect: on version 1 every thread read as drifted at once where the housekeeping CPUs were not all others. And
// elsewhere no thread was kept on these.
TEST_P(ShieldGroups, ThreadsKeepToFewHousekeepingCpusAndWhereTheirOwnersHaveBoundThem) {
  box_.thread(60, 60, "elsewhere", "2", 0, 1);
  box_.thread(61, 61, "half-shielded", "1-2", 0, 1);
  box_.thread(62, 62, "isolated-at-boot", "0,2-3", 0, 1);
  const auto before = box_.state();
  const ShieldPlan few{.cpus = {1}, .housekeeping = {0}, .journal = plan().journal};
  FakeSurface surface(box_, box_.view({1}, {0}));
  const auto on = shield_on(few, surface);
  ASSERT_TRUE(on) << on.error().text;
  EXPECT_EQ(box_.cpus_of(40, 40), "0");
  EXPECT_EQ(box_.cpus_of(30, 30), "0");
  EXPECT_EQ(box_.cpus_of(60, 60), "2");
  EXPECT_EQ(box_.cpus_of(61, 61), "2");
  EXPECT_EQ(box_.cpus_of(62, 62), "0");
  const auto status = shield_status(few.journal, surface);
  EXPECT_THAT(status->drifted, ElementsAre());
  EXPECT_EQ(status->standing, on->changes);
  box_.thread(63, 63, "child-of-daemon", "0", 0, 40);
  const auto off = shield_off(few.journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_EQ(box_.cpus_of(63, 63), "0-3")
      << "no partition has kept it off the CPUs 2 and 3, so the kernel widens nothing";
  box_.remove("/proc/63");
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: a controller that others had switched on was journalled as ours, and switched off at the end.
TEST_P(ShieldGroupsOfV2, AControllerThatWasOnBeforeIsNotOursToUndo) {
  const std::string control = "/sys/fs/cgroup/cgroup.subtree_control";
  for (const bool has_users : {false, true}) {
    box_.file(control, "cpuset memory\n");
    if (has_users) box_.file("/sys/fs/cgroup/theirs/cpuset.cpus", "1\n");
    const auto before = box_.state();
    FakeSurface surface = this->surface();
    ASSERT_TRUE(shield_on(plan(), surface));
    EXPECT_EQ(box_.text(group() + "/cpuset.cpus.partition"), "isolated");
    const auto is_controller = testing::Field(&Change::kind, Change::Kind::controller);
    EXPECT_THAT((*read_journal(plan().journal))->changes, testing::Not(Contains(is_controller)));
    const auto off = shield_off(plan().journal, surface, false);
    ASSERT_TRUE(off);
    EXPECT_THAT(off->left, ElementsAre());
    EXPECT_THAT(box_.changed_since(before), ElementsAre());
  }
}

// A defect: the limit of somebody's group vanished with the controller, or, where the kernel refused, no off() ended.
TEST_P(ShieldGroupsOfV2, TheControllerStaysForWhoeverBeganToUseIt) {
  const std::string control = "/sys/fs/cgroup/cgroup.subtree_control";
  for (const auto& [file, text] : {std::pair("/sys/fs/cgroup/theirs/cpuset.cpus", "1\n"),
                                   std::pair("/sys/fs/cgroup/theirs/cgroup.subtree_control", "memory cpuset\n")}) {
    FakeSurface surface = this->surface();
    const auto on = shield_on(plan(), surface);
    ASSERT_TRUE(on) << on.error().text;
    box_.file(file, text);
    EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre()) << file;
    const auto off = shield_off(plan().journal, surface, false);
    ASSERT_TRUE(off);
    EXPECT_THAT(off->failed, ElementsAre()) << file;
    EXPECT_THAT(off->left, ElementsAre(control + ": cpuset stays switched on, for others use it now")) << file;
    EXPECT_EQ(box_.text(control), "memory cpuset") << file;
    box_.remove(file);
    EXPECT_TRUE(shield_off(plan().journal, surface, true));
    EXPECT_EQ(box_.text(control), "memory") << file;
  }
}

}  // namespace
}  // namespace maxlat::shield
