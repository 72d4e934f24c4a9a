// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/shield/held_shield.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <set>

#include "change/test_surface.hpp"
#include "journal/lock.hpp"
#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShieldPreview : public ShieldedBox {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldPreview, testing::Values(Hierarchy::v2, Hierarchy::v1, Hierarchy::none));

// What it says before is counted after, in the journal of the shield.
TEST_P(ShieldPreview, SaysWhatIsDoneThenAndChangesNothing) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const std::string would = would_do(plan(), surface);
  EXPECT_EQ(surface.changes, 0);
  EXPECT_THAT(box_.changed_since(before), ElementsAre());

  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report) << report.error().text;
  const auto journal = read_journal(plan().journal);
  ASSERT_TRUE(journal && *journal);
  const auto number_of = [&](Change::Kind kind) {
    return std::count_if((*journal)->changes.begin(), (*journal)->changes.end(), [&](const Change& change) {
      const bool is_of_a_group = change.path.starts_with(FakeBox::kCgroups);  // no setting
      return change.kind == kind && change.before != change.wanted && !is_of_a_group;
    });
  };
  const char* means = GetParam() == Hierarchy::v2   ? "by a cpuset of cgroup v2"
                      : GetParam() == Hierarchy::v1 ? "by cpusets of cgroup v1"
                                                    : "by its affinity alone";
  EXPECT_THAT(would, HasSubstr(fmt::format(" settings right ({} files)", number_of(Change::Kind::file))));
  EXPECT_THAT(would, HasSubstr(fmt::format("keep {} threads off {}", number_of(Change::Kind::affinity), means)));
  const auto made = std::count_if(report->steps.begin(), report->steps.end(), [](const StepReport& step) {
    static const std::set<std::string> no_settings{"cpuset", "affinity", "idle latency", "systemd"};
    return step.outcome == StepReport::Outcome::done && !no_settings.contains(step.step);
  });
  EXPECT_THAT(would, HasSubstr(fmt::format("make {} settings right", made)));
}

TEST_P(ShieldPreview, OfABoxThatIsRightHasNothingToSet) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_THAT(would_do(plan(), surface), testing::StartsWith("keep 0 threads off"));
}

// A defect: it saw none of these, and promised what was then refused.
TEST_P(ShieldPreview, SeesTheShieldThatIsThere) {
  FakeSurface surface = this->surface();
  ShieldPlan held = plan();
  held.held = true;
  EXPECT_THAT(*preview_on(held, surface), testing::EndsWith(", and undo all of it at the end"));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(*preview_on(held, surface), "use the shield that is on, and leave it on");
  ShieldPlan elsewhere = held;
  elsewhere.housekeeping = {0};
  EXPECT_EQ(preview_on(elsewhere, surface).error().text, "a shield of CPU 2-3 is on, with the system on CPU 0-1");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));

  ASSERT_TRUE(shield_on(held, surface));  // and its holder is killed
  EXPECT_EQ(*preview_on(held, surface), "use the shield whose holder has died, and undo all of it at the end");
  const auto mine = Lock::hold(box_.path());
  ASSERT_TRUE(mine);
  const auto in_another = [&] {
    const auto refused = preview_on(held, surface);
    ::_exit(!refused && refused.error().text == Lock::held_by(::getppid()).text ? 42 : 1);
  };
  EXPECT_EXIT(in_another(), testing::ExitedWithCode(42), "");
}

TEST_P(ShieldPreview, SeesAShieldThatDidNotComeToItsEnd) {
  const auto dies = [&] {
    FakeSurface surface = this->surface();
    surface.dies_before = 3;
    static_cast<void>(shield_on(plan(), surface));
  };
  EXPECT_EXIT(dies(), testing::ExitedWithCode(9), "");
  ShieldPlan held = plan();
  held.held = true;
  FakeSurface surface = this->surface();
  EXPECT_EQ(preview_on(held, surface).error().text, "there is a shield that did not come to its end");
  EXPECT_FALSE(shield_status(plan().journal, surface)->is_complete);
}

TEST(ShieldPreviewOfThisMachine, IsRefusedAsTheShieldWouldBe) {
  const auto all = core::online_cpus();
  ASSERT_TRUE(all);
  const auto refused = preview_of_shield({.cpus = *all});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "no CPU is left for the rest of the system");
}

}  // namespace
}  // namespace maxlat::shield
