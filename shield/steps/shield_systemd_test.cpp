// SPDX-License-Identifier: MIT
//
// A box where systemd is process 1, and owns the cgroup hierarchy.
#include <gmock/gmock.h>

#include <maxlat/test/temporary_folder.hpp>

#include "change/change.hpp"
#include "change/slices.hpp"
#include "change/test_box.hpp"
#include "shield.hpp"

namespace maxlat::shield {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ShieldBesideSystemd : public testing::Test {
 protected:
  ShieldPlan plan() const {
    return {.cpus = {2, 3}, .housekeeping = {0, 1}, .journal = folder_ / "state/shield.journal"};
  }
  FakeSurface surface() const { return FakeSurface(box_, box_.view({2, 3}, {0, 1})); }

  test::TemporaryFolder folder_;
  FakeBox box_{Hierarchy::v2_of_systemd};
};

// A defect: an error of systemctl was taken for a machine without systemd, so off removed the journal, and the slices
// kept the shield's CPUs.
TEST_F(ShieldBesideSystemd, OffKeepsTheJournalWhenSystemdDoesNotAnswer) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  surface.systemd_answers = false;
  const auto status = shield_status(plan().journal, surface);
  ASSERT_TRUE(status);
  EXPECT_THAT(status->drifted, Contains(HasSubstr("cannot be read")));
  for (const bool force : {false, true}) {
    const auto failed = shield_off(plan().journal, surface, force);
    ASSERT_TRUE(failed);
    EXPECT_THAT(failed->failed, Contains(HasSubstr(force ? "connection timed out" : "cannot be read")));
    EXPECT_TRUE(std::filesystem::exists(plan().journal));
  }
  surface.systemd_answers = true;
  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone);
  EXPECT_THAT(undone->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: all slices were one change, so one that somebody had set meanwhile left the others with the shield's CPUs.
TEST_F(ShieldBesideSystemd, ASliceThatSomebodySetsMeanwhileLeavesTheOthersToBeUndone) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(surface.systemctl({"set-property", "--runtime", "user.slice", "AllowedCPUs=0,2"}));
  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone);
  EXPECT_THAT(undone->left, ElementsAre(HasSubstr("AllowedCPUs of user.slice")));
  EXPECT_THAT(undone->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre(HasSubstr("AllowedCPUs=0,2")));
}

// A defect: only a unit without CPUs lost our drop-in; one with CPUs of its own configuration kept it, and with it what
// that configuration said when the shield came.
TEST_F(ShieldBesideSystemd, OffLeavesADropInOnlyWhereThereWasOne) {
  FakeSurface surface = this->surface();
  const std::pair<const char*, const char*> before[] = {
      {"init.scope", "!"}, {"system.slice", "0-2!"}, {"user.slice", "0-2"}};
  for (const auto& [unit, cpus] : before) EXPECT_EQ(slice_cpus(surface, unit)->value_or("none"), cpus) << unit;
  ASSERT_TRUE(shield_on(plan(), surface));
  for (const auto& [unit, cpus] : before) EXPECT_EQ(slice_cpus(surface, unit)->value_or("none"), "0-1") << unit;
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  for (const auto& [unit, cpus] : before) EXPECT_EQ(slice_cpus(surface, unit)->value_or("none"), cpus) << unit;
  EXPECT_EQ(box_.text(FakeBox::slice("system.slice")), "(none)");
}

// A defect: they had all CPUs that were not shielded, whichever were to keep house.
TEST_F(ShieldBesideSystemd, ItsSlicesKeepToTheHousekeepingCpusAndToThoseThatOwnersHaveBoundThreadsTo) {
  const ShieldPlan few{.cpus = {3}, .housekeeping = {0, 1}, .journal = plan().journal};
  FakeSurface surface(box_, box_.view({3}, {0, 1}));
  for (const std::string cpus : {"0-1", "0-2"}) {
    if (cpus == "0-2") box_.thread(60, 60, "tracer-daemon", "2", 0, 1);
    ASSERT_TRUE(shield_on(few, surface));
    EXPECT_EQ(slice_cpus(surface, "init.scope")->value_or("none"), cpus);
    EXPECT_EQ(slice_cpus(surface, "user.slice")->value_or("none"), cpus);
    ASSERT_TRUE(shield_off(few.journal, surface, false));
  }
}

// A defect: each change of one unit asked systemd for all of them.
TEST_F(ShieldBesideSystemd, AChangeAsksSystemdForItsOwnUnit) {
  class Counting : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    core::Result<std::string> systemctl(std::vector<std::string> arguments) const override {
      asked.push_back(arguments.back());
      return FakeSurface::systemctl(std::move(arguments));
    }
    mutable std::vector<std::string> asked;
  };
  Counting surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(surface.asked.size(), 1 + 3 * 2u) << "once for all, and each of three is set and read back";
  surface.asked.clear();
  EXPECT_EQ(standing({.kind = Change::Kind::slices, .before = "user.slice=0-2", .wanted = "user.slice=0-1"}, surface),
            Standing::ours);
  EXPECT_THAT(surface.asked, ElementsAre("user.slice"));
}

TEST_F(ShieldBesideSystemd, OnTellsThatSystemdDoesNotAnswer) {
  FakeSurface surface = this->surface();
  surface.systemd_answers = false;
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->steps,
              Contains(testing::AllOf(testing::Field(&StepReport::step, "systemd"),
                                      testing::Field(&StepReport::outcome, StepReport::Outcome::not_possible),
                                      testing::Field(&StepReport::text, HasSubstr("connection timed out")))));
}

}  // namespace
}  // namespace maxlat::shield
