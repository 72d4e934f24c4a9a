// SPDX-License-Identifier: MIT
//
// What on, status and off say of one shield agrees, also of what was refused and of what somebody else has changed.
#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <optional>
#include <string>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShieldCounts : public ShieldedBox {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldCounts,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

// A defect: the first off() forgot what it had left, so that --force found nothing to do.
TEST_P(ShieldCounts, WhatWasLeftCanStillBeForced) {
  const auto before = box_.state();
  const std::string governor = "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor";
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file(governor, "schedutil\n");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_FALSE(shield_status(plan().journal, surface)->on);
  EXPECT_THAT(shield_off(plan().journal, surface, false)->cpus, ElementsAre()) << "no shield is on";
  const auto forced = shield_off(plan().journal, surface, true);
  ASSERT_TRUE(forced) << forced.error().text;
  EXPECT_EQ(forced->undone, 1u);
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
  EXPECT_THAT(shield_off(plan().journal, surface, true)->cpus, ElementsAre()) << "once";

  // The next shield finds it so, and what was before is what it found.
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file(governor, "schedutil\n");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  ASSERT_TRUE(shield_off(plan().journal, surface, true));
  EXPECT_EQ(box_.text(governor), "schedutil");
}

// A defect: --force widened whoever has the masks that the shield gave: what was left does not tell whose they were.
TEST_P(ShieldCounts, ForceOnWhatWasLeftWidensNobody) {
  box_.thread(60, 60, "pinned-by-owner", "0-1", 0, 1);
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n");
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  ASSERT_EQ(off->left.size(), 1u);
  box_.thread(61, 61, "pinned-since", "0-1", 0, 1);
  ASSERT_TRUE(shield_off(plan().journal, surface, true));
  EXPECT_EQ(box_.cpus_of(60, 60), "0-1");
  EXPECT_EQ(box_.cpus_of(61, 61), "0-1");
}

// A defect: --force wrote old values under the next shield, whose journal is elsewhere.
TEST_P(ShieldCounts, WhatWasLeftIsNotForcedUnderAnotherShield) {
  const std::string governor = "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor";
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file(governor, "schedutil\n");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  ShieldPlan elsewhere = plan();
  elsewhere.journal = folder_ / "elsewhere/shield.journal";
  ASSERT_TRUE(shield_on(elsewhere, surface));
  const auto on = box_.state();
  const auto refused = shield_off(plan().journal, surface, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a shield of CPU 2-3 is on, whose journal is " + elsewhere.journal);
  EXPECT_THAT(box_.changed_since(on), ElementsAre());
  ASSERT_TRUE(shield_off(elsewhere.journal, surface, false));
  ASSERT_TRUE(shield_off(plan().journal, surface, true));
  EXPECT_EQ(box_.text(governor), "powersave");
}

// A defect: with the shield on, they said that none is when they were asked with another journal.
TEST_P(ShieldCounts, StatusAndOffNameTheShieldWhoseJournalIsElsewhere) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const std::string other = folder_ / "other.journal", is_on = "a shield of CPU 2-3 is on, whose journal is ";
  const auto status = shield_status(other, surface);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text, is_on + plan().journal);
  EXPECT_EQ(status.error().hint, "maxlat shield off --journal " + plan().journal + " takes that one off");
  const auto off = shield_off(other, surface, false);
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().text, is_on + plan().journal);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_FALSE(shield_status(other, surface)->on);
  EXPECT_THAT(shield_off(other, surface, false)->cpus, ElementsAre());
}

// A journal that could not be removed when its shield went off, or that a reboot has left. Defects: under the next
// shield, whose journal is elsewhere, its changes passed for those of the shield that is on, or off said that none is.
TEST_P(ShieldCounts, AJournalThatHasServedIsNotThatOfTheNextShield) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const std::optional<std::string> served = core::read_file(plan().journal);
  ASSERT_TRUE(served);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  ShieldPlan elsewhere = plan();
  elsewhere.journal = folder_ / "elsewhere/shield.journal";
  for (const char* boot : {"", "boot-two\n"}) {
    if (*boot != 0) box_.file("/proc/sys/kernel/random/boot_id", boot);
    ASSERT_TRUE(core::write_atomically(plan().journal, *served));
    ASSERT_TRUE(shield_on(elsewhere, surface));
    const auto on = box_.state();
    const std::string is_on = "a shield of CPU 2-3 is on, whose journal is " + elsewhere.journal;
    for (const bool force : {false, true}) {
      const auto off = shield_off(plan().journal, surface, force);
      ASSERT_FALSE(off);
      EXPECT_EQ(off.error().text, is_on);
    }
    const auto status = shield_status(plan().journal, surface);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().text, is_on);
    EXPECT_THAT(box_.changed_since(on), ElementsAre());
    ASSERT_TRUE(shield_off(elsewhere.journal, surface, false));
  }
}

// A defect: on, status and off each counted other things of the same shield.
TEST_P(ShieldCounts, OnStatusAndOffCountTheSame) {
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_GT(on->changes, 10u);
  const auto status = shield_status(plan().journal, surface);
  EXPECT_EQ(status->changes, on->changes);
  EXPECT_EQ(status->standing, on->changes);
  const auto again = shield_on(plan(), surface);
  EXPECT_EQ(again->changes, on->changes);
  EXPECT_EQ(again->steps.back().text, fmt::format("{0} of {0} changes stand as they were made", on->changes));
  box_.file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n");
  const auto off = shield_off(plan().journal, surface, false);
  EXPECT_EQ(off->undone + off->already + off->gone + off->left.size() + off->failed.size(), on->changes);
}

// A defect: of two interrupts one could not be moved, and the step was called done; status then called it drifted.
TEST_P(ShieldCounts, AnInterruptThatStaysIsNoStepThatIsDone) {
  box_.file("/proc/irq/26/smp_affinity_list", "0-3\n");
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  surface.refused = {"/proc/irq/26/smp_affinity_list"};
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const auto interrupts = std::find_if(on->steps.begin(), on->steps.end(),
                                       [](const StepReport& step) { return step.step == "IRQ affinity"; });
  ASSERT_NE(interrupts, on->steps.end());
  EXPECT_EQ(interrupts->outcome, StepReport::Outcome::not_possible);
  EXPECT_THAT(interrupts->text, testing::StartsWith("1 of 2 files written; "));
  EXPECT_THAT(interrupts->text, HasSubstr("cannot write /proc/irq/26/smp_affinity_list"));
  const auto status = shield_status(plan().journal, surface);
  EXPECT_THAT(status->drifted, ElementsAre()) << "it never was ours";
  EXPECT_EQ(status->standing, on->changes);
  const auto off = shield_off(plan().journal, surface, false);
  EXPECT_EQ(off->undone + off->already, on->changes);
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

}  // namespace
}  // namespace maxlat::shield
