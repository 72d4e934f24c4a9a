// SPDX-License-Identifier: MIT
//
// The cpuset of a shield beside those of others, and what version 1 needs for what version 2 has of itself.
#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using Outcome = StepReport::Outcome;

const std::string kV1 = "/sys/fs/cgroup/cpuset";

class ShieldCpuset : public ShieldedBox {
 protected:
  static StepReport step(const ShieldReport& report, const std::string& name) {
    const auto found =
        std::find_if(report.steps.begin(), report.steps.end(), [&](const auto& step) { return step.step == name; });
    return found == report.steps.end() ? StepReport{} : *found;
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldCpuset, testing::Values(Hierarchy::v2, Hierarchy::v1));
class CpusetBesidePartitions : public ShieldCpuset {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, CpusetBesidePartitions, testing::Values(Hierarchy::v2));
class CpusetOfV1 : public ShieldCpuset {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, CpusetOfV1, testing::Values(Hierarchy::v1));

// A defect: the group that was made with its CPUs made somebody else's partition invalid.
TEST_P(CpusetBesidePartitions, APartitionOfSomebodyElsesIsNamedAndLeftAlone) {
  const std::string theirs = "/sys/fs/cgroup/theirs";
  box_.file(theirs + "/cpuset.cpus", "1-2\n");
  box_.file(theirs + "/cpuset.cpus.partition", "isolated\n");
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const StepReport cpuset = step(*on, "cpuset");
  EXPECT_EQ(cpuset.outcome, Outcome::not_possible);
  EXPECT_EQ(cpuset.text, "a partition of somebody else's has these CPUs: " + theirs + " (CPU 1-2, isolated)");
  const auto journal = read_journal(plan().journal);
  for (const Change& change : (*journal)->changes)
    EXPECT_FALSE(change.path.starts_with(FakeBox::kCgroups)) << to_string(change);
  EXPECT_EQ(box_.cpus_of(40, 40), "0-1") << "by affinity, then";
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// Somebody makes a group of the shield's name between its look and its own.
class Faster : public FakeSurface {
 public:
  Faster(FakeBox& box, core::MachineView view) : FakeSurface(box, std::move(view)), box_(box) {}
  core::Status make_folder(const std::string& path) override {
    box_.file(path + "/theirs", "1\n");
    return FakeSurface::make_folder(path);
  }

 private:
  FakeBox& box_;
};

// A defect: `on` was refused that group, and `off` removed it.
TEST_P(ShieldCpuset, AGroupThatSomebodyMadeMeanwhileIsNotOursToRemove) {
  const auto before = box_.state();
  Faster surface(box_, box_.view({2, 3}, {0, 1}));
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_EQ(step(*on, "cpuset").outcome, Outcome::not_possible);
  EXPECT_THAT(step(*on, "cpuset").text, testing::EndsWith("maxlat-shield: file exists"));
  const auto status = shield_status(plan().journal, surface);
  EXPECT_EQ(status->changes, on->changes);
  EXPECT_EQ(status->standing, on->changes);
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->undone + off->already, on->changes);
  const std::string group = std::string(FakeBox::kCgroups) + (GetParam() == Hierarchy::v1 ? "/cpuset" : "");
  EXPECT_THAT(box_.changed_since(before), ElementsAre(group + "/maxlat-shield/theirs is new"));
}

class KeepingGroups : public FakeSurface {
 public:
  using FakeSurface::FakeSurface;
  bool keeps = true;
  int remove_folder(const std::string& path) override { return keeps ? EROFS : FakeSurface::remove_folder(path); }
};

// The other way round: what could not be removed at once is ours still.
TEST_P(CpusetBesidePartitions, AGroupThatIsNoPartitionAndCannotBeRemovedIsRemovedByOff) {
  const auto before = box_.state();
  KeepingGroups surface(box_, box_.view({2, 3}, {0, 1}));
  surface.partition_is_invalid = true;
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_TRUE(std::filesystem::exists(box_.path() + "/sys/fs/cgroup/maxlat-shield"));
  surface.keeps = false;
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// The error of a write is a word of the kernel's, and the reason of a partition names nobody.
TEST_P(CpusetBesidePartitions, WhoHasTheCpusIsNamedWhereTheKernelRefuses) {
  box_.file("/sys/fs/cgroup/theirs/cpuset.cpus", "1-2\n");
  box_.file("/sys/fs/cgroup/elsewhere/cpuset.cpus", "0\n");
  FakeSurface surface = this->surface();
  surface.refused = {"/sys/fs/cgroup/maxlat-shield/cpuset.cpus"};
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const StepReport cpuset = step(*on, "cpuset");
  EXPECT_EQ(cpuset.outcome, Outcome::not_possible);
  EXPECT_THAT(cpuset.text, testing::StartsWith("cannot write /sys/fs/cgroup/maxlat-shield/cpuset.cpus: "));
  EXPECT_THAT(cpuset.text, testing::EndsWith("; others have these CPUs: /sys/fs/cgroup/theirs (CPU 1-2)"));
  EXPECT_FALSE(std::filesystem::exists(box_.path() + "/sys/fs/cgroup/maxlat-shield"));
}

// A defect: the root's group went on balancing load over all CPUs, the shielded ones, too.
TEST_P(CpusetOfV1, LoadIsBalancedInTheSystemsGroupAlone) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_THAT(step(*on, "cpuset").text, testing::EndsWith("load is balanced in the second alone"));
  EXPECT_EQ(box_.text(kV1 + "/cpuset.sched_load_balance"), "0");
  EXPECT_EQ(box_.text(kV1 + "/maxlat-shield/cpuset.sched_load_balance"), "0");
  EXPECT_EQ(box_.text(kV1 + "/maxlat-shield/cpuset.cpu_exclusive"), "1");
  EXPECT_EQ(box_.text(kV1 + "/maxlat-system/cpuset.sched_load_balance"), "1");
  box_.file(kV1 + "/cpuset.sched_load_balance", "1\n");
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted,
              ElementsAre(kV1 + "/cpuset.sched_load_balance is no longer 0"));
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(CpusetOfV1, WhatTheKernelRefusesOfItIsNotPossibleAndNotDrifted) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  surface.refused = {kV1 + "/cpuset.sched_load_balance", kV1 + "/maxlat-shield/cpuset.cpu_exclusive"};
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_EQ(step(*on, "load balancing").outcome, Outcome::not_possible);
  EXPECT_EQ(step(*on, "exclusive CPUs").outcome, Outcome::not_possible);
  EXPECT_EQ(step(*on, "cpuset").text, fmt::format("{0}/maxlat-shield and {0}/maxlat-system, groups of cgroup v1", kV1));
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre());
  surface.refused.clear();
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: a user's own cpuset on a shielded CPU was told by nobody.
TEST_P(CpusetOfV1, GroupsOfOthersOnShieldedCpusAreNamed) {
  box_.file(kV1 + "/theirs/cpuset.cpus", "1\n");
  box_.file(kV1 + "/theirs/inner/cpuset.cpus", "0-2\n");
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_THAT(step(*on, "cpuset").text,
              testing::EndsWith("; others have these CPUs, too: " + kV1 + "/theirs/inner (CPU 0-2)"));
  EXPECT_THAT(step(*on, "cpuset").text, testing::Not(testing::HasSubstr("load is balanced"))) << "it is in theirs, too";
}

}  // namespace
}  // namespace maxlat::shield
