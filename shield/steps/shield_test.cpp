// SPDX-License-Identifier: MIT
#include "shield.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <maxlat/test/temporary_folder.hpp>

#include "change/test_surface.hpp"
#include "journal/journal.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = StepReport::Outcome;

class Shield : public ShieldedBox {
 protected:
  const StepReport* step(const ShieldReport& report, const std::string& name) const {
    for (const StepReport& step : report.steps)
      if (step.step == name) return &step;
    return nullptr;
  }
};

INSTANTIATE_TEST_SUITE_P(Hierarchies, Shield,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

TEST_P(Shield, OnMakesTheBoxRightAndOffMakesItWhatItWas) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(box_.text("/proc/sys/kernel/nmi_watchdog"), "0");
  EXPECT_EQ(box_.text("/proc/sys/kernel/sched_rt_runtime_us"), "-1");
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"), "performance");
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "powersave") << "not a shielded CPU";
  EXPECT_EQ(box_.text("/proc/irq/24/smp_affinity_list"), "0-1");
  EXPECT_EQ(box_.text("/proc/irq/25/smp_affinity_list"), "1") << "it was right already";
  EXPECT_EQ(box_.text("/sys/devices/virtual/workqueue/cpumask"), "3");
  EXPECT_EQ(box_.cpus_of(40, 40), "0-1");
  EXPECT_EQ(box_.cpus_of(40, 41), "1") << "it keeps the rest of what its owner gave it";
  EXPECT_EQ(box_.cpus_of(50, 50), "0");
  EXPECT_EQ(box_.cpus_of(30, 30), "0-1") << "the kernel's thread, where it can be moved";
  EXPECT_EQ(box_.cpus_of(20, 20), "2") << "the kernel's thread, where it cannot";
  if (GetParam() == Hierarchy::v2) {
    EXPECT_EQ(box_.text("/sys/fs/cgroup/maxlat-shield/cpuset.cpus"), "2-3");
    EXPECT_EQ(box_.text("/sys/fs/cgroup/maxlat-shield/cpuset.cpus.partition"), "isolated");
    EXPECT_EQ(box_.text("/sys/fs/cgroup/maxlat-shield/cgroup.type"), "threaded");
  }
  if (GetParam() == Hierarchy::v2_of_systemd) {
    EXPECT_EQ(box_.text(FakeBox::slice("init.scope")), "[Slice]\nAllowedCPUs=0-1") << "of none, that it had";
    EXPECT_EQ(box_.text(FakeBox::slice("system.slice")), "[Slice]\nAllowedCPUs=0-1") << "of 0-2 in its own file";
    EXPECT_EQ(box_.text(FakeBox::slice("user.slice")), "[Slice]\nAllowedCPUs=0-1") << "of 0-2, that it had";
  }
  if (GetParam() == Hierarchy::v1) {
    EXPECT_EQ(box_.text("/sys/fs/cgroup/cpuset/maxlat-system/tasks"), "1\n40\n41");
  }

  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone) << undone.error().text;
  EXPECT_THAT(undone->left, ElementsAre());
  EXPECT_THAT(undone->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(plan().journal));
}

// Invariant (2): the process dies before change 0, 1, 2, ... of `on`, and another one calls `off`.
TEST_P(Shield, ADeathBetweenAnyTwoChangesIsUndone) {
  int deaths = 0;
  for (bool died = true; died; ++deaths) {
    FakeBox box(GetParam());
    const auto before = box.state();
    const pid_t child = fork();
    if (child == 0) {
      FakeSurface dying(box, box.view({2, 3}, {0, 1}));
      dying.dies_before = deaths;
      ::_exit(shield_on(plan(), dying) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 1);
    died = WEXITSTATUS(status) == 9;
    FakeSurface surface(box, box.view({}, {}));
    const auto undone = shield_off(plan().journal, surface, false);
    ASSERT_TRUE(undone) << undone.error().text;
    EXPECT_THAT(undone->failed, ElementsAre()) << "change " << deaths;
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "died before change " << deaths;
  }
  EXPECT_GT(deaths, 12) << "so many changes does this box need at least";
}

TEST_P(Shield, OffThatDiesIsGoneOnWith) {
  int deaths = 0;
  for (bool died = true; died; ++deaths) {
    FakeBox box(GetParam());
    const auto before = box.state();
    FakeSurface surface(box, box.view({2, 3}, {0, 1}));
    ASSERT_TRUE(shield_on(plan(), surface));
    const pid_t child = fork();
    if (child == 0) {
      FakeSurface dying(box, box.view({}, {}));
      dying.dies_before = deaths;
      ::_exit(shield_off(plan().journal, dying, false) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    died = WEXITSTATUS(status) == 9;
    ASSERT_TRUE(shield_off(plan().journal, surface, false));
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "died before change " << deaths;
  }
}

// The journal is written first: what the surface sees of a change, the journal has had before.
TEST_P(Shield, NothingIsChangedThatIsNotInTheJournal) {
  class Looking : public FakeSurface {
   public:
    Looking(const FakeBox& box, core::MachineView view, std::string journal)
        : FakeSurface(box, std::move(view)), journal_(std::move(journal)) {}
    core::Status write(const std::string& path, const std::string& value) override {
      const auto content = read_journal(journal_);
      const auto& journalled = (*content)->changes;
      const bool known = std::any_of(journalled.begin(), journalled.end(), [&](const Change& change) {
        return change.path == path || (change.kind == Change::Kind::folder && path.starts_with(change.path + "/"));
      });
      EXPECT_TRUE(known) << path;
      return FakeSurface::write(path, value);
    }

   private:
    std::string journal_;
  };
  Looking looking(box_, box_.view({2, 3}, {0, 1}), plan().journal);
  EXPECT_TRUE(shield_on(plan(), looking));
  EXPECT_GT(looking.changes, 10);
}

TEST_P(Shield, WhatSomebodyElseChangesIsNamedAndLeftUnlessForced) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n");
  const auto status = shield_status(plan().journal, surface);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->on);
  EXPECT_THAT(status->drifted, ElementsAre(HasSubstr("cpu2/cpufreq/scaling_governor is no longer performance")));

  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone);
  EXPECT_THAT(undone->left, ElementsAre(HasSubstr("scaling_governor: was powersave, was made performance")));
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"), "schedutil");

  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "ondemand\n");
  ASSERT_TRUE(shield_off(plan().journal, surface, true));
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"), "schedutil");
}

TEST_P(Shield, TheSameOnceMoreMakesRightWhatHasDrifted) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const int changes = surface.changes;
  box_.file("/proc/sys/kernel/nmi_watchdog", "1\n");
  const auto again = shield_on(plan(), surface);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(surface.changes, changes + 1);
  EXPECT_EQ(box_.text("/proc/sys/kernel/nmi_watchdog"), "0");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre()) << "what was before the first on, not before the second";
}

TEST_P(Shield, AnotherShieldIsRefused) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ShieldPlan other = plan();
  other.cpus = {3};
  other.housekeeping = {0, 1, 2};
  const auto refused = shield_on(other, surface);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a shield of CPU 2-3 is on");
}

// A defect: who asked for no housekeeping CPUs was refused the shield of a person who had.
TEST_P(Shield, WhoAsksForNoHousekeepingCpusTakesThoseOfTheShieldThatIsOn) {
  FakeSurface surface = this->surface();
  ShieldPlan few = plan();
  few.cpus = {2}, few.housekeeping = {0};
  ASSERT_TRUE(shield_on(few, surface));
  const auto state = box_.state();
  const auto any = complete_plan({.cpus = {2}, .journal = few.journal}, {0, 1, 2, 3});
  ASSERT_TRUE(any);
  const auto again = shield_on(*any, surface);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->housekeeping, core::CpuList{0});
  EXPECT_THAT(box_.changed_since(state), ElementsAre());
  few.housekeeping = {0, 1};
  EXPECT_THAT(shield_on(few, surface).error().text, HasSubstr("with the system on CPU 0"));
}

// Whose shield it is decides who takes it off.
TEST_P(Shield, OneThatAProcessHoldsIsNoOtherCommandsToUse) {
  FakeSurface surface = this->surface();
  ShieldPlan held = plan();
  held.held = true;
  const auto first = shield_on(held, surface);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->was_on);
  EXPECT_TRUE(shield_status(held.journal, surface)->held);
  const auto refused = shield_on(plan(), surface);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("a shield of CPU 2-3 is on, for as long as its holder lives"));
}

TEST_P(Shield, TheNextHolderTakesOverWhatAKilledOneLeftAndNotWhatAPersonMade) {
  FakeSurface surface = this->surface();
  ShieldPlan held = plan();
  held.held = true;
  ASSERT_TRUE(shield_on(held, surface));  // and this holder is killed
  const auto next = shield_on(held, surface);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->was_on) << "it is the next one's to take off";
  ASSERT_TRUE(shield_off(held.journal, surface, false));

  ASSERT_TRUE(shield_on(plan(), surface));
  const auto guest = shield_on(held, surface);
  ASSERT_TRUE(guest);
  EXPECT_TRUE(guest->was_on) << "a person's shield stays on";
}

TEST_P(Shield, WhatHasEndedSinceIsCountedInTheStatus) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(shield_status(plan().journal, surface)->gone, 0u);
  for (const char* folder : {"/proc/40/task/41", "/proc/41"}) std::filesystem::remove_all(box_.path() + folder);
  const auto status = shield_status(plan().journal, surface);
  ASSERT_TRUE(status);
  EXPECT_GT(status->gone, 0u);
  EXPECT_THAT(status->drifted, ElementsAre());
  EXPECT_EQ(status->standing + status->gone, status->changes);
}

TEST_P(Shield, AfterARebootThereIsNothingToUndo) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/proc/sys/kernel/random/boot_id", "boot-two\n");
  for (const char* group : {"maxlat-shield", "cpuset/maxlat-shield", "cpuset/maxlat-system"})
    box_.remove(std::string("/sys/fs/cgroup/") + group);
  const auto now = shield_status(plan().journal, surface);
  ASSERT_TRUE(now);
  EXPECT_FALSE(now->on);
  EXPECT_TRUE(now->rebooted);
  EXPECT_THAT(now->drifted, ElementsAre()) << "what is as it was is no drift of a shield that is off";
  const auto state = box_.state();
  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone);
  EXPECT_TRUE(undone->rebooted);
  EXPECT_THAT(box_.changed_since(state), ElementsAre()) << "what this boot has is not ours";
  EXPECT_TRUE(shield_on(plan(), surface));
}

// A disk that fills up: shield_faults_test.cpp.
TEST_P(Shield, AJournalThatCannotBeMadeChangesNothing) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ShieldPlan nowhere = plan();
  nowhere.journal = "/proc/no/shield.journal";
  const auto refused = shield_on(nowhere, surface);
  ASSERT_FALSE(refused);
  EXPECT_EQ(surface.changes, 0);
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(Shield, AStepThatIsRefusedIsToldAndTheOthersAreMade) {
  FakeSurface surface = this->surface();
  surface.refused = {"/proc/irq/24/smp_affinity_list"};
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  const StepReport* irq = step(*report, "IRQ affinity");
  ASSERT_NE(irq, nullptr);
  EXPECT_EQ(irq->outcome, Outcome::not_possible);
  EXPECT_THAT(irq->text, HasSubstr("cannot write /proc/irq/24/smp_affinity_list"));
  EXPECT_EQ(step(*report, "NMI watchdog")->outcome, Outcome::done);
}

// A defect: the whole machine's switch was written, too, and then the kernel takes none of a policy's; so `off` failed.
TEST_P(Shield, TurboOfOnePolicyIsSwitchedWithoutTheWholeMachines) {
  class OfTheKernel : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    core::Status write(const std::string& path, const std::string& value) override {
      const bool is_off = view().read("/sys/devices/system/cpu/cpufreq/boost") == "0";
      if (is_off && path.ends_with("/cpufreq/boost") && path != "/sys/devices/system/cpu/cpufreq/boost")
        return core::Error{"cannot write " + path + ": invalid argument"};
      return FakeSurface::write(path, value);
    }
  };
  box_.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  for (int cpu = 0; cpu < 4; ++cpu) box_.file(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/boost", cpu), "1\n");
  const auto before = box_.state();
  OfTheKernel surface(box_, box_.view({2, 3}, {0, 1}));
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  ASSERT_NE(step(*report, "turbo"), nullptr);
  EXPECT_EQ(step(*report, "turbo")->outcome, Outcome::done);
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu2/cpufreq/boost"), "0");
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpu1/cpufreq/boost"), "1") << "not a shielded CPU";
  EXPECT_EQ(box_.text("/sys/devices/system/cpu/cpufreq/boost"), "1");
  EXPECT_THAT(shield_off(plan().journal, surface, false)->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A container without rights: what was right by itself is no shield, and nothing must be said to be one.
TEST_P(Shield, WhereEveryStepIsRefusedNothingIsShielded) {
  class ReadOnly : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    core::Status write(const std::string& path, const std::string&) override {
      return core::Error{"cannot write " + path + ": read-only file system"};
    }
    core::Status make_folder(const std::string& path) override {
      return core::Error{"cannot make " + path + ": read-only file system"};
    }
    core::Result<std::string> systemctl(std::vector<std::string>) const override {
      return core::Error{"systemctl: access denied"};
    }
    core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
      if (task == 41) return FakeSurface::set_affinity(task, cpus);  // the container's own
      return core::Error{fmt::format("cannot move thread {}: operation not permitted", task)};
    }
  };
  const auto before = box_.state();
  box_.file("/proc/sys/kernel/timer_migration", "0\n");
  ReadOnly surface(box_, box_.view({2, 3}, {0, 1}));
  const auto refused = shield_on(plan(), surface);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(refused.error().text, HasSubstr("nothing can be shielded here: cannot write /"));
  EXPECT_THAT(refused.error().text, HasSubstr("everything is as it was before"));
  EXPECT_THAT(box_.changed_since(before), ElementsAre("/proc/sys/kernel/timer_migration is new"));
  EXPECT_FALSE(std::filesystem::exists(plan().journal));
}

// Partitions are version 2's.
class ShieldOfV2 : public Shield {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldOfV2, testing::Values(Hierarchy::v2));

TEST_P(ShieldOfV2, APartitionThatTheKernelCallsInvalidIsToldAndLeavesNoGroup) {
  FakeSurface surface = this->surface();
  surface.partition_is_invalid = true;
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_EQ(step(*report, "cpuset")->outcome, Outcome::not_possible);
  EXPECT_THAT(step(*report, "cpuset")->text, HasSubstr("isolated invalid (Cpu list in cpuset.cpus not exclusive)"));
  EXPECT_FALSE(std::filesystem::exists(box_.path() + "/sys/fs/cgroup/maxlat-shield"));
  EXPECT_EQ(box_.cpus_of(40, 40), "0-1") << "by affinity, then";
  const auto status = shield_status(plan().journal, surface);
  EXPECT_THAT(status->drifted, ElementsAre());
  EXPECT_EQ(status->standing, report->changes);
}

TEST(ShieldPlan, WhatCannotBeIsRefused) {
  const core::CpuList online{0, 1, 2, 3};
  EXPECT_EQ(complete_plan({.cpus = {2, 3}}, online)->housekeeping, (core::CpuList{0, 1}));
  EXPECT_THAT(complete_plan({.cpus = {0, 1, 2, 3}}, online).error().text, HasSubstr("no CPU is left"));
  EXPECT_THAT(complete_plan({.cpus = {7}}, online).error().text, HasSubstr("CPU 7 does not exist here"));
  EXPECT_THAT(complete_plan({.cpus = {1}, .housekeeping = {0, 1}}, online).error().text, HasSubstr("keep house"));
  EXPECT_EQ(complete_plan({.cpus = {3}, .siblings = {1}}, online)->housekeeping, (core::CpuList{0, 2}));
  EXPECT_THAT(complete_plan({.cpus = {3}, .housekeeping = {0, 1}, .siblings = {1}}, online).error().text,
              HasSubstr("CPU 1 cannot go offline and keep house"));
  EXPECT_THAT(complete_plan({.cpus = {2, 3}, .siblings = {0, 1}}, online).error().text, HasSubstr("no CPU is left"));
  EXPECT_THAT(complete_plan({}, online).error().text, HasSubstr("no CPU to shield"));
}

}  // namespace
}  // namespace maxlat::shield
