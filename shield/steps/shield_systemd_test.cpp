// SPDX-License-Identifier: MIT
//
// A box where systemd is process 1, and owns the cgroup hierarchy.
#include <gmock/gmock.h>

#include <maxlat/test/temporary_folder.hpp>

#include "change/change.hpp"
#include "change/slices.hpp"
#include "change/test_surface.hpp"
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

std::string cpus_of(const std::string& unit, const Surface& surface) {
  const auto found = slices_cpus(surface, {unit});
  return found ? found->front().value_or("none") : found.error().text;
}

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
  for (const auto& [unit, cpus] : before) EXPECT_EQ(cpus_of(unit, surface), cpus) << unit;
  ASSERT_TRUE(shield_on(plan(), surface));
  for (const auto& [unit, cpus] : before) EXPECT_EQ(cpus_of(unit, surface), "0-1") << unit;
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  for (const auto& [unit, cpus] : before) EXPECT_EQ(cpus_of(unit, surface), cpus) << unit;
  EXPECT_EQ(box_.text(FakeBox::slice("system.slice")), "(none)");
}

// A defect: they had all CPUs that were not shielded, whichever were to keep house.
TEST_F(ShieldBesideSystemd, ItsSlicesKeepToTheHousekeepingCpusAndToThoseThatOwnersHaveBoundThreadsTo) {
  const ShieldPlan few{.cpus = {3}, .housekeeping = {0, 1}, .journal = plan().journal};
  FakeSurface surface(box_, box_.view({3}, {0, 1}));
  for (const std::string cpus : {"0-1", "0-2"}) {
    if (cpus == "0-2") box_.thread(60, 60, "tracer-daemon", "2", 0, 1);
    ASSERT_TRUE(shield_on(few, surface));
    EXPECT_EQ(cpus_of("init.scope", surface), cpus);
    EXPECT_EQ(cpus_of("user.slice", surface), cpus);
    ASSERT_TRUE(shield_off(few.journal, surface, false));
  }
}

// Notes what systemctl is called with, and refuses to change one unit.
class Counting : public FakeSurface {
 public:
  using FakeSurface::FakeSurface;
  core::Result<std::string> systemctl(std::vector<std::string> arguments) const override {
    asked.push_back(arguments.front());
    for (size_t i = 1; i < arguments.size(); ++i)
      if (!arguments[i].starts_with("--")) asked.back() += " " + arguments[i];
    if (arguments.front() == "set-property" && arguments[2] == refused_unit)
      return core::Error{"systemctl: access denied"};
    return FakeSurface::systemctl(std::move(arguments));
  }
  mutable std::vector<std::string> asked;
  std::string refused_unit;
};

// A defect: each change of one unit asked systemd for all of them.
TEST_F(ShieldBesideSystemd, AChangeAsksSystemdForItsOwnUnit) {
  Counting surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  surface.asked.clear();
  EXPECT_EQ(standing({.kind = Change::Kind::slices, .before = "user.slice=0-2", .wanted = "user.slice=0-1"}, surface),
            Standing::ours);
  EXPECT_THAT(surface.asked, ElementsAre("show user.slice"));
}

// A defect: each unit was looked at, set, reloaded for and looked at twice by itself; off took 26 s in a guest.
TEST_F(ShieldBesideSystemd, IsAskedAndReloadedOnceForAllOfItsUnits) {
  const char *const all = "show init.scope machine.slice system.slice user.slice",
                    *const three = "show init.scope system.slice user.slice";
  Counting surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_THAT(surface.asked,
              ElementsAre(all, "set-property init.scope AllowedCPUs=0-1", "set-property system.slice AllowedCPUs=0-1",
                          "set-property user.slice AllowedCPUs=0-1", three));
  surface.asked.clear();
  ASSERT_TRUE(shield_status(plan().journal, surface));
  EXPECT_THAT(surface.asked, ElementsAre(three));
  surface.asked.clear();
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(surface.asked,
              ElementsAre(three, "set-property init.scope AllowedCPUs=0-3", "set-property system.slice AllowedCPUs=0-2",
                          "set-property user.slice AllowedCPUs=0-2", "daemon-reload", three));
}

TEST_F(ShieldBesideSystemd, AUnitThatCannotBeSetKeepsNoneOfTheOthersFromBeingUndone) {
  const auto before = box_.state();
  Counting surface(box_, box_.view({2, 3}, {0, 1}));
  ASSERT_TRUE(shield_on(plan(), surface));
  surface.refused_unit = "system.slice";
  const auto failed = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->failed, ElementsAre(HasSubstr("access denied")));
  EXPECT_THAT(box_.changed_since(before), ElementsAre(FakeBox::slice("system.slice") + " is new"));
  surface.refused_unit.clear();
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
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
