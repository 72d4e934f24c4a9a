// SPDX-License-Identifier: MIT
//
// The disk of the journal turns read-only, or fills up, while a shield is on: it goes off all the same.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A real disk, in memory and small, in a namespace of mounts that ends with this process.
class ShieldOnDisk : public ShieldedBox {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(disk());
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("none", disk().c_str(), "tmpfs", 0, "size=256k") == 0;
    if (!mounted) GTEST_SKIP() << "no disk can be mounted here: " << std::generic_category().message(errno);
  }
  void TearDown() override { ::umount2(disk().c_str(), MNT_DETACH); }

  std::string disk() const { return std::filesystem::path(plan().journal).parent_path(); }
  void becomes_writable(bool writable) const {
    ASSERT_EQ(::mount(nullptr, disk().c_str(), nullptr, MS_REMOUNT | (writable ? 0 : MS_RDONLY), nullptr), 0);
  }
  void fill() const {
    std::ofstream file(disk() + "/filler");
    while (file.put('x').flush()) {
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldOnDisk, testing::Values(Hierarchy::v2, Hierarchy::v1, Hierarchy::none));

// A defect: the lock was beside the journal, and nothing was undone, not by force either.
TEST_P(ShieldOnDisk, OffUndoesEverythingAlthoughTheDiskIsReadOnly) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  for (const bool force : {false, true}) {
    ASSERT_TRUE(shield_on(plan(), surface));
    becomes_writable(false);
    const auto off = shield_off(plan().journal, surface, force);
    ASSERT_TRUE(off) << off.error().text;
    EXPECT_THAT(off->failed, ElementsAre());
    EXPECT_EQ(off->journal_stays, "cannot remove " + plan().journal + ": read-only file system");
    EXPECT_THAT(box_.changed_since(before), ElementsAre());
    EXPECT_FALSE(shield_status(plan().journal, surface)->on);
    becomes_writable(true);
    box_.thread(60, 60, "bound-since", "0-1", 0, 1);
    box_.file("/proc/irq/26/smp_affinity_list", "0-1\n");
    const auto again = shield_off(plan().journal, surface, force);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->undone, 0u);
    EXPECT_EQ(again->inherited + again->interrupts, 0u) << "a defect: what its owner has bound since was widened";
    EXPECT_EQ(again->journal_stays, "");
    EXPECT_FALSE(std::filesystem::exists(plan().journal));
    for (const char* folder : {"/proc/60", "/proc/irq/26"}) box_.remove(folder);
  }
}

TEST_P(ShieldOnDisk, TheEndOfARunUndoesEverythingAlthoughTheDiskIsReadOnly) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ShieldPlan held = plan();
  held.held = true;
  ASSERT_TRUE(shield_on(held, surface));
  becomes_writable(false);
  const auto off = shield_off_held(held.journal, surface);
  ASSERT_TRUE(off) << off.error().text;
  EXPECT_THAT(off->journal_stays, HasSubstr("read-only file system"));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// Other CPUs, too: the journal that stayed is not that of a shield.
TEST_P(ShieldOnDisk, TheNextShieldBeginsAnewWhenTheDiskCanBeWrittenAgain) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  becomes_writable(false);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  ShieldPlan other = plan();
  other.cpus = {3}, other.housekeeping = {0, 1, 2};
  FakeSurface of_other(box_, box_.view(other.cpus, other.housekeeping));
  const auto refused = shield_on(other, of_other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("read-only file system"));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
  becomes_writable(true);
  const auto on = shield_on(other, of_other);
  ASSERT_TRUE(on) << on.error().text;
  EXPECT_EQ(shield_status(other.journal, of_other)->cpus, other.cpus);
  ASSERT_TRUE(shield_off(other.journal, of_other, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: what was left could not be written down, and so no `off` came to its end.
TEST_P(ShieldOnDisk, WhatIsLeftIsKeptForForceAlthoughTheDiskIsFull) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file("/proc/sys/kernel/nmi_watchdog", "7\n");
  fill();
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off) << off.error().text;
  EXPECT_THAT(off->left, ElementsAre(HasSubstr("nmi_watchdog: was 1, was made 0")));
  EXPECT_EQ(off->journal_stays, "");
  EXPECT_FALSE(shield_status(plan().journal, surface)->on);
  EXPECT_THAT(box_.changed_since(before), ElementsAre("/proc/sys/kernel/nmi_watchdog: 1, now 7"));
  ASSERT_TRUE(shield_off(plan().journal, surface, true));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

}  // namespace
}  // namespace maxlat::shield
