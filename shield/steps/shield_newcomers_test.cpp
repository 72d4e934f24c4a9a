// SPDX-License-Identifier: MIT
//
// Threads that begin while a shield is made, or under it.
#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ShieldNewcomers : public ShieldedBox {
 protected:
  // The interrupt 26, which somebody has bound under the shield.
  void no_interrupt_is_widened_by_off(FakeSurface& surface) {
    const auto off = shield_off(plan().journal, surface, false);
    ASSERT_TRUE(off);
    EXPECT_EQ(off->interrupts, 0u);
    EXPECT_EQ(box_.text("/proc/irq/26/smp_affinity_list"), "0-1");
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldNewcomers,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

// A thread begins whenever another one is moved, so many times.
class Forking : public FakeSurface {
 public:
  Forking(FakeBox& box, core::MachineView view, int times)
      : FakeSurface(box, std::move(view)), box_(box), times_(times) {}
  core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
    if (times_-- > 0) box_.thread(next_, next_, "forked", "0-3", 0, 40), ++next_;
    return FakeSurface::set_affinity(task, cpus);
  }

 private:
  FakeBox& box_;
  int times_, next_ = 80;
};

// A defect: they stayed on the shielded CPUs, and nothing said so.
TEST_P(ShieldNewcomers, AThreadThatBeginsMeanwhileLeavesToo) {
  Forking surface(box_, box_.view({2, 3}, {0, 1}), 1);
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_EQ(box_.cpus_of(80, 80), "0-1");
  EXPECT_THAT(report->steps,
              Contains(testing::AllOf(testing::Field(&StepReport::step, "affinity"),
                                      testing::Field(&StepReport::text, HasSubstr("1 began meanwhile")))));
  EXPECT_EQ(shield_status(plan().journal, surface)->standing, report->changes);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(80, 80), "0-3");
}

TEST_P(ShieldNewcomers, WhereTheyNeverEndSoMuchIsSaid) {
  Forking surface(box_, box_.view({2, 3}, {0, 1}), 1000);
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->steps,
              Contains(testing::AllOf(testing::Field(&StepReport::step, "affinity"),
                                      testing::Field(&StepReport::text, HasSubstr(" may use them still")))));
}

// Where a partition stood the kernel widens its narrowed masks by itself. A defect: so did we, also what its owner had
// bound in the meantime.
TEST_P(ShieldNewcomers, AThreadThatBeganUnderTheShieldIsWidenedWhereTheKernelDoesNot) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(60, 60, "child-of-daemon", "0-1", 0, 40);
  box_.thread(61, 61, "child-of-pinned", "0", 0, 50);
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  const bool had_partition = GetParam() == Hierarchy::v2 || GetParam() == Hierarchy::v2_of_systemd;
  EXPECT_EQ(box_.cpus_of(60, 60), had_partition ? "0-1" : "0-3");
  EXPECT_EQ(off->inherited, had_partition ? 0u : 1u);
  EXPECT_EQ(box_.cpus_of(61, 61), "0");
}

// A defect: the mask that a thread should have had was compared with what was left online of its own. So all masks were
// somebody else's, and stayed narrow.
TEST_P(ShieldNewcomers, MasksAreWidenedAlthoughAHousekeepingCpuWentOffline) {
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  box_.thread(60, 60, "child-of-daemon", "0-1", 0, 40);
  box_.file("/sys/devices/system/cpu/online", "0,2-3\n");
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre());
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_THAT(off->left, ElementsAre());
  EXPECT_EQ(box_.cpus_of(40, 40), "0-3");
  EXPECT_EQ(box_.cpus_of(30, 30), "0-3");
  const bool had_partition = GetParam() == Hierarchy::v2 || GetParam() == Hierarchy::v2_of_systemd;
  EXPECT_EQ(box_.cpus_of(60, 60), had_partition ? "0-1" : "0-3");
}

// A defect: status did not see it, and the next `on` did not move it.
TEST_P(ShieldNewcomers, AThreadThatMayUseTheCpusSinceIsCountedAndMovedByTheNextOn) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_THAT(shield_status(plan().journal, surface)->newcomers, ElementsAre());
  box_.thread(31, 31, "kthread", "0-3", FakeBox::kOfTheKernel, 0);
  box_.thread(70, 70, "real-time", "2", 0, 1);  // meant to be there
  box_.thread(71, 71, "beside", "0-1", 0, 1);
  EXPECT_THAT(shield_status(plan().journal, surface)->newcomers, ElementsAre("kthread (thread 31)"));
  const auto again = shield_on(plan(), surface);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->lost, 0u);
  EXPECT_EQ(again->changes, on->changes + 1);
  EXPECT_THAT(again->steps,
              Contains(testing::Field(&StepReport::text, "1 thread may not use the shielded CPUs any more")));
  EXPECT_EQ(box_.cpus_of(31, 31), "0-1");
  EXPECT_EQ(box_.cpus_of(70, 70), "2");
  const auto status = shield_status(plan().journal, surface);
  EXPECT_TRUE(status->is_complete);
  EXPECT_THAT(status->newcomers, ElementsAre());
  EXPECT_EQ(status->standing, again->changes);
  for (const char* folder : {"/proc/70", "/proc/71"}) box_.remove(folder);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(31, 31), "0-3");
  box_.remove("/proc/31");
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: before Linux 6.2 the end of a cpuset makes its threads forget what their owners have bound them to, and
// only those of the journal got their masks again.
TEST_P(ShieldNewcomers, WhatOwnersHaveBoundMeanwhileStaysBound) {
  // Any group that goes, and any thread that changes groups, does it here.
  class Forgetful : public FakeSurface {
   public:
    Forgetful(FakeBox& box, core::MachineView view) : FakeSurface(box, std::move(view)), box_(box) {}
    int remove_folder(const std::string& path) override {
      const int removed = FakeSurface::remove_folder(path);
      if (removed != 0 || path.find("maxlat-") == path.npos) return removed;
      for (const auto& [task, comm] : {std::pair(60, "bound"), std::pair(61, "real-time"), std::pair(40, "daemon")})
        box_.thread(task, task, comm, "0-3", 0, 1);
      return removed;
    }

   private:
    FakeBox& box_;
  };
  Forgetful surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(60, 60, "bound", "1", 0, 1);
  box_.thread(61, 61, "real-time", "3", 0, 1);
  box_.thread(40, 40, "daemon", "1", 0, 1);  // of the journal, and bound anew
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(60, 60), "1");
  EXPECT_EQ(box_.cpus_of(61, 61), "3");
  EXPECT_EQ(box_.cpus_of(40, 40), "1");
}

// A defect: a thread of the journal that asked for all CPUs was taken for one that the shield had moved.
TEST_P(ShieldNewcomers, AMovedThreadThatTakesAllCpusHasDrifted) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(40, 40, "daemon", "0-3", 0, 1);
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, Contains("daemon (thread 40) is no longer 0-1"));
  EXPECT_EQ(shield_on(plan(), surface)->lost, 0u);
  EXPECT_EQ(box_.cpus_of(40, 40), "0-1");
  EXPECT_THAT(shield_off(plan().journal, surface, false)->left, ElementsAre());
  EXPECT_EQ(box_.cpus_of(40, 40), "0-3");
}

// Another process gets the number of one that ends while the first is moved.
class Succeeding : public FakeSurface {
 public:
  Succeeding(FakeBox& box, core::MachineView view) : FakeSurface(box, std::move(view)), box_(box) {}
  core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
    if (!std::exchange(has_come_, true)) {
      for (const char* folder : {"/proc/40", "/proc/41"}) box_.remove(folder);
      box_.thread(40, 40, "successor", "0-3", 0, 1, 5000);
    }
    return FakeSurface::set_affinity(task, cpus);
  }

 private:
  FakeBox& box_;
  bool has_come_ = false;
};

// A defect: it got the mask of its predecessor, which no line of the journal gave back.
TEST_P(ShieldNewcomers, WhoHasTheNumberOfAnEndedThreadIsNotTakenForIt) {
  Succeeding surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(box_.cpus_of(40, 40), "0-1");
  const auto journal = read_journal(plan().journal);
  EXPECT_THAT((*journal)->changes,
              Contains(testing::AllOf(testing::Field(&Change::task, 40), testing::Field(&Change::started, 5000u))));
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(40, 40), "0-3");
}

// Directly: the mask is the last thing to be changed, after a look at who has the number.
TEST_P(ShieldNewcomers, AChangeOfAThreadThatHasEndedChangesNobody) {
  FakeSurface surface = this->surface();
  const Change change{
      .kind = Change::Kind::affinity, .before = "0-3", .wanted = "0", .task = 40, .started = 1, .name = "ended"};
  EXPECT_TRUE(apply(change, surface));
  EXPECT_TRUE(undo(change, surface));
  EXPECT_EQ(surface.changes, 0);
  EXPECT_EQ(box_.cpus_of(40, 40), "0-3");
}

// A defect: it kept the narrow mask for as long as the box was up.
TEST_P(ShieldNewcomers, AnInterruptThatIsMadeUnderTheShieldGetsTheOldDefault) {
  FakeSurface surface = this->surface();
  const auto irq = [](int number) { return fmt::format("/proc/irq/{}/smp_affinity_list", number); };
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_EQ(box_.text("/proc/irq/default_smp_affinity"), "3");
  box_.file(irq(26), "0-1\n");  // the default
  box_.file(irq(27), "0\n");    // its driver's choice
  box_.file(irq(28), "0-1\n");
  surface.refused = {irq(28)};  // the kernel's own, which nobody may move
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->interrupts, 1u);
  EXPECT_EQ(box_.text(irq(26)), "0-3");
  EXPECT_EQ(box_.text(irq(27)), "0");
  EXPECT_EQ(box_.text(irq(25)), "1") << "it was there before, and so";
}

TEST_P(ShieldNewcomers, InterruptsStayWhereSomebodyHasMadeTheDefaultAnother) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/proc/irq/26/smp_affinity_list", "0-1\n");
  box_.file("/proc/irq/default_smp_affinity", "1\n");
  no_interrupt_is_widened_by_off(surface);
}

// A defect: with a default that the kernel had not taken, an interrupt that somebody had bound was widened.
TEST_P(ShieldNewcomers, InterruptsStayWhereTheDefaultWasRefused) {
  FakeSurface surface = this->surface();
  surface.refused = {"/proc/irq/default_smp_affinity"};
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/proc/irq/26/smp_affinity_list", "0-1\n");
  no_interrupt_is_widened_by_off(surface);
}

// An earlier maxlat did not write down which interrupts there were.
TEST_P(ShieldNewcomers, AJournalWithoutInterruptsIsUndoneAndTouchesNone) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto now = read_journal(plan().journal);
  ASSERT_TRUE((*now)->header.interrupts);
  JournalHeader header = (*now)->header;
  header.interrupts.reset();
  ASSERT_TRUE(remove_journal(plan().journal));
  {
    auto earlier = Journal::create(plan().journal, header);
    ASSERT_TRUE(earlier && earlier->append((*now)->changes));
  }
  box_.file("/proc/irq/26/smp_affinity_list", "0-1\n");
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off) << off.error().text;
  EXPECT_EQ(off->interrupts, 0u);
  EXPECT_THAT(box_.changed_since(before), ElementsAre("/proc/irq/26/smp_affinity_list is new"));
}

TEST_P(ShieldNewcomers, WithoutAPartitionTheyAreWidenedEverywhere) {
  FakeSurface surface = this->surface();
  surface.partition_is_invalid = true;
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(60, 60, "child-of-daemon", "0-1", 0, 40);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(60, 60), "0-3");
}

}  // namespace
}  // namespace maxlat::shield
