// SPDX-License-Identifier: MIT
//
// A shield that a process holds: whose it is to take off, and that nobody takes it from under its holder unseen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <maxlat/core/sys/text_file.hpp>
#include <optional>

#include "journal/lock.hpp"
#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

class ShieldWithHolder : public ShieldedBox {
 protected:
  ShieldPlan held() const {
    ShieldPlan plan = this->plan();
    plan.held = true;
    return plan;
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldWithHolder, testing::Values(Hierarchy::v2, Hierarchy::none));

// A defect: `off` took the shield from under a run that measured in it, and said nothing.
TEST_P(ShieldWithHolder, OffIsRefusedWhileItsHolderLivesUnlessForced) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto mine = Lock::hold(box_.path());
  ASSERT_TRUE(mine);
  ASSERT_TRUE(shield_on(held(), surface));
  const auto on = box_.state();
  // Locks are a process's: another one has to ask.
  const auto is_refused = [&] {
    const auto refused = shield_off(plan().journal, surface, false);
    ::_exit(!refused && refused.error().text == Lock::held_by(::getppid()).text ? 42 : 1);
  };
  EXPECT_EXIT(is_refused(), testing::ExitedWithCode(42), "");
  EXPECT_THAT(box_.changed_since(on), testing::ElementsAre());
  const auto is_forced = [&] { ::_exit(shield_off(plan().journal, surface, true) ? 42 : 1); };
  EXPECT_EXIT(is_forced(), testing::ExitedWithCode(42), "");
  EXPECT_THAT(box_.changed_since(before), testing::ElementsAre());
}

TEST_P(ShieldWithHolder, OneThatAPersonMadeIsNotTakenFromUnderARunThatUsesIt) {
  FakeSurface surface = this->surface();
  const auto mine = Lock::hold(box_.path());
  ASSERT_TRUE(mine);
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto is_refused = [&] {
    const auto refused = shield_off(plan().journal, surface, false);
    ::_exit(!refused && refused.error().text.find("the shield is in use by process ") == 0 ? 42 : 1);
  };
  EXPECT_EXIT(is_refused(), testing::ExitedWithCode(42), "");
}

// A defect: the end of a holder took off whatever shield was on by then.
TEST_P(ShieldWithHolder, TheEndOfAHolderLeavesTheShieldThatAPersonHasMadeSince) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(held(), surface));
  ASSERT_TRUE(shield_off(plan().journal, surface, true));  // by force, from under the holder
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto on = box_.state();
  const auto ended = shield_off_held(plan().journal, surface);
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->cpus, testing::ElementsAre());
  EXPECT_THAT(box_.changed_since(on), testing::ElementsAre());
  EXPECT_TRUE(shield_status(plan().journal, surface)->on);
}

// "S": it sleeps, "Z": it has ended.
char state_of(pid_t process) {
  const std::string stat = core::read_file(fmt::format("/proc/{}/stat", process)).value_or(") Z");
  return stat.at(stat.rfind(')') + 2);
}

// A defect: it gave up when anybody was at work for a moment just then, and the shield stayed on.
TEST_P(ShieldWithHolder, TheEndOfAHolderWaitsForWhoIsAtWork) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(held(), surface));
  std::optional<core::Result<Lock>> at_work = Lock::take(box_.path());
  ASSERT_TRUE(at_work->ok());
  const pid_t holder = fork();
  if (holder == 0) {
    const auto off = shield_off_held(plan().journal, surface);
    ::_exit(off && !off->cpus.empty() ? 42 : 1);
  }
  for (char state = 'R'; state != 'S' && state != 'Z'; state = state_of(holder)) ::sched_yield();
  at_work.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
  EXPECT_THAT(box_.changed_since(before), testing::ElementsAre());
}

// A defect: a resumed run looked for its CPUs while the shield of the run that was killed kept it off them.
TEST_P(ShieldWithHolder, WhatTheDeadHoldGoesOffAndNothingElse) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  take_off_what_the_dead_hold(plan().journal, surface);
  EXPECT_EQ(surface.changes, 0) << "no shield is on";
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto on = box_.state();
  take_off_what_the_dead_hold(plan().journal, surface);
  EXPECT_THAT(box_.changed_since(on), testing::ElementsAre()) << "a person's shield has no holder";
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  {
    const auto mine = Lock::hold(box_.path());
    ASSERT_TRUE(mine && shield_on(held(), surface));
    const auto of_another = [&] {
      take_off_what_the_dead_hold(plan().journal, surface);
      ::_exit(box_.changed_since(on).empty() ? 42 : 1);
    };
    EXPECT_EXIT(of_another(), testing::ExitedWithCode(42), "") << "its holder lives";
  }
  take_off_what_the_dead_hold(plan().journal, surface);
  EXPECT_THAT(box_.changed_since(before), testing::ElementsAre());
  EXPECT_FALSE(shield_status(plan().journal, surface)->on);
}

// A dead holder is no holder.
TEST_P(ShieldWithHolder, OffTakesWhatADeadHolderHasLeft) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto dies = [&] {
    const auto theirs = Lock::hold(box_.path());
    ::_exit(theirs && shield_on(held(), surface) ? 42 : 1);
  };
  EXPECT_EXIT(dies(), testing::ExitedWithCode(42), "");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), testing::ElementsAre());
}

}  // namespace
}  // namespace maxlat::shield
