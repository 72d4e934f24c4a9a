// SPDX-License-Identifier: MIT
#include "lock.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::shield {
namespace {

using testing::HasSubstr;

class LockOfABox : public testing::Test {
 protected:
  const std::string& root() const { return root_.path(); }
  // Locks are a process's: another one has to ask.
  template <class Question>
  static void expect_in_another(const Question& question) {
    EXPECT_EXIT(::_exit(question() ? 42 : 1), testing::ExitedWithCode(42), "");
  }

  test::FakeRoot root_;
};

TEST_F(LockOfABox, OneIsAtWork) {
  const auto mine = Lock::take(root());
  ASSERT_TRUE(mine) << mine.error().text;
  const std::string refusal = "another maxlat shield is at work (process " + std::to_string(::getpid()) + ")";
  expect_in_another([&] {
    const auto theirs = Lock::take(root());
    return !theirs && theirs.error().text == refusal;
  });
}

TEST_F(LockOfABox, OneHoldsAndHoldingIsNotChanging) {
  const auto mine = Lock::hold(root());
  ASSERT_TRUE(mine);
  expect_in_another([&] {
    const auto theirs = Lock::hold(root());
    const auto holder = Lock::holder(root());
    return holder == ::getppid() && !theirs && theirs.error().text == Lock::held_by(*holder).text &&
           theirs.error().text.find("goes off when its holder ends (process ") != std::string::npos;
  });
  EXPECT_TRUE(Lock::take(root()));
}

TEST_F(LockOfABox, WithoutAHolderThereIsNone) {
  EXPECT_FALSE(Lock::holder(root()));
  { ASSERT_TRUE(Lock::hold(root())); }
  EXPECT_FALSE(Lock::holder(root())) << "it has let go";
}

// A defect: who has a folder in the way could have root open what he liked.
TEST_F(LockOfABox, ALinkIsNotFollowed) {
  root_.file("/theirs", "");
  root_.directory("/run/maxlat");
  for (const char* name : {"shield.lock", "shield.holder"})
    std::filesystem::create_symlink(root() + "/theirs", root() + "/run/maxlat/" + name);
  EXPECT_FALSE(Lock::take(root()));
  EXPECT_FALSE(Lock::hold(root()));
}

TEST_F(LockOfABox, WhereItsFolderCannotBeNoShieldCanRun) {
  root_.file("/run", "no folder");
  const auto none = Lock::take(root());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(none.error().text, HasSubstr(root() + "/run"));
}

TEST_F(LockOfABox, KnowsTheJournalOfTheLastShield) {
  EXPECT_EQ(last_journal(root()), "");
  const auto mine = Lock::take(root());
  ASSERT_TRUE(note_journal(root(), "/some/shield.journal"));
  EXPECT_EQ(last_journal(root()), "/some/shield.journal");
  ASSERT_TRUE(note_journal(root(), "here.journal"));
  EXPECT_EQ(last_journal(root()), std::filesystem::current_path() / "here.journal");
}

}  // namespace
}  // namespace maxlat::shield
