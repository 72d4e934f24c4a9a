// SPDX-License-Identifier: MIT
//
// A journal that is damaged, or that others may have written: it is said, and neither believed nor thrown away.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <maxlat/core/sys/text_file.hpp>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShieldDamage : public ShieldedBox {
 protected:
  std::string journal() const { return core::read_file(plan().journal).value_or(""); }
  void spoil(const std::string& what, const std::string& by) const {
    std::string text = journal();
    ASSERT_NE(text.find(what), std::string::npos);
    std::ofstream(plan().journal) << text.replace(text.find(what), what.size(), by);
  }
  // Every line but the first.
  void spoil_all_changes() const {
    std::string text = journal();
    for (size_t at = 0; (at = text.find("{\"change\"", at)) != std::string::npos; ++at) text[at] = '[';
    std::ofstream(plan().journal) << text;
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldDamage, testing::Values(Hierarchy::v2, Hierarchy::v1, Hierarchy::none));

TEST_P(ShieldDamage, IsSaidAndForceUndoesTheRest) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  spoil("\"/proc/sys/kernel/nmi_watchdog\",\"before\":\"1\"", "\"/proc/sys/kernel/nmi_watchdog\",\"before\":\"7\"");
  box_.thread(60, 60, "bound", "0-1", 0, 1);  // it may be in a damaged line, as one that was so before
  box_.file("/proc/irq/26/smp_affinity_list", "0-1\n");
  const auto state = box_.state();
  const auto refused = shield_off(plan().journal, surface, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("shield.journal is damaged in line "));
  EXPECT_THAT(refused.error().hint, HasSubstr("--force undoes the others"));
  EXPECT_THAT(box_.changed_since(state), ElementsAre());
  const auto forced = shield_off(plan().journal, surface, true);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->inherited + forced->interrupts, 0u);
  for (const char* folder : {"/proc/60", "/proc/irq/26"}) box_.remove(folder);
  EXPECT_THAT(box_.changed_since(before), ElementsAre("/proc/sys/kernel/nmi_watchdog: 1, now 0"))
      << "what it was before, the journal does not tell any more";
}

// A defect: of a journal that off() refused, status said that all of it stands, and on() used its shield.
TEST_P(ShieldDamage, IsSaidByStatusAndByOn) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(shield_status(plan().journal, surface)->damage, "");
  spoil("\"/proc/sys/kernel/nmi_watchdog\"", "\"/proc/sys/kernel/nmi_watchdig\"");
  EXPECT_THAT(shield_status(plan().journal, surface)->damage, HasSubstr("shield.journal is damaged in line "));
  const auto again = shield_on(plan(), surface);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("shield.journal is damaged in line "));
}

// A defect: with all of its changes damaged it was taken for one without any, and removed by the next shield.
TEST_P(ShieldDamage, OfAllChangesIsNoReasonToThrowTheJournalAway) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  spoil_all_changes();
  const std::string damaged = journal();
  const auto status = shield_status(plan().journal, surface);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->on);
  EXPECT_FALSE(status->is_complete);
  EXPECT_THAT(status->damage, HasSubstr("is damaged in line 2 and "));
  EXPECT_THAT(shield_on(plan(), surface).error().text, HasSubstr("is damaged in line 2 and "));
  EXPECT_EQ(journal(), damaged);
}

// A defect: the next `on` wrote behind half a line. The two were one damaged line then, and the mask that a thread had
// before was lost with it.
TEST_P(ShieldDamage, AJournalThatEndsWithinALineIsNotGoneOnWith) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  std::ofstream(plan().journal, std::ios::app) << "{";
  const std::string torn = journal();
  box_.thread(60, 60, "newcomer", "1-3", 0, 1);
  EXPECT_FALSE(shield_status(plan().journal, surface)->is_complete);
  const auto again = shield_on(plan(), surface);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().text, "there is a shield that did not come to its end");
  EXPECT_EQ(journal(), torn);
  EXPECT_EQ(box_.cpus_of(60, 60), "1-3");
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off) << off.error().text;
  EXPECT_TRUE(off->torn);
  EXPECT_EQ(box_.cpus_of(40, 40), "0-3");
}

// A defect: whoever could write the journal could have root write any file.
TEST_P(ShieldDamage, AJournalThatOthersMayWriteIsNotBelieved) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto on = box_.state();
  for (const mode_t mode : {mode_t{0666}, mode_t{0620}}) {
    ASSERT_EQ(::chmod(plan().journal.c_str(), mode), 0);
    for (const bool force : {false, true}) {
      const auto refused = shield_off(plan().journal, surface, force);
      ASSERT_FALSE(refused);
      EXPECT_THAT(refused.error().text, HasSubstr("others than root may write "));
    }
    EXPECT_THAT(shield_on(plan(), surface).error().text, HasSubstr("others than root may write "));
  }
  EXPECT_THAT(box_.changed_since(on), ElementsAre());
  ASSERT_EQ(::chmod(plan().journal.c_str(), 0600), 0);
  EXPECT_TRUE(shield_off(plan().journal, surface, false));
}

}  // namespace
}  // namespace maxlat::shield
