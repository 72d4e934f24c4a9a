// SPDX-License-Identifier: MIT
//
// Processes that are sent into a shield that is on. What a real kernel makes of it: tests/guest/shield_on_off.guest.sh.
#include "shield_move.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <utility>

#include "steps/test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

// A process of two threads, which the shield has to keep off CPUs 2 and 3, and which is then sent there.
class ShieldMove : public ShieldedBox {
 protected:
  ShieldMove() {
    box_.thread(70, 70, "loop", "0-3", 0, 1);
    box_.thread(70, 71, "loop-helper", "1-2", 0, 1);
    if (has_groups()) box_.file(mount() + list(), "1\n40\n41\n70\n71\n");
  }
  static bool has_groups() { return GetParam() != Hierarchy::none; }
  static bool is_v1() { return GetParam() == Hierarchy::v1; }
  static std::string mount() { return is_v1() ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup"; }
  static std::string list() { return is_v1() ? "/tasks" : "/cgroup.threads"; }
  // Below the mount: "/maxlat-shield"; without groups always the same.
  std::string group_of(int pid, int tid) const {
    const std::string text = box_.text(fmt::format("/proc/{}/task/{}/cgroup", pid, tid));
    return text.substr(text.rfind(':') + 1);
  }
  bool is_inside(int pid, int tid) const {
    const auto cpus = core::parse_cpu_list(box_.cpus_of(pid, tid));
    return cpus && core::difference(*cpus, {2, 3}).empty() && (!has_groups() || group_of(pid, tid) == "/maxlat-shield");
  }
  // A thread that one inside begins.
  void begins_inside(int pid, int tid, int parent) {
    box_.thread(pid, tid, fmt::format("child-{}", tid), "2-3", 0, parent);
    if (!has_groups()) return;
    const std::string threads = mount() + "/maxlat-shield" + list();
    box_.file(threads, box_.text(threads) + "\n" + std::to_string(tid) + "\n");
    box_.tell_group(pid, tid, "/maxlat-shield");
  }
  std::string refusal_of(pid_t process, Surface& surface) const {
    const auto refused = shield_move_in(plan().journal, {process}, surface);
    return refused ? "it was moved" : refused.error().text;
  }
  // As status names them. (This box lists each thread as a process, too.)
  std::set<std::string> moved_in(FakeSurface& surface) const {
    const auto status = shield_status(plan().journal, surface);
    return {status->moved_in.begin(), status->moved_in.end()};
  }
  void stands_whole(FakeSurface& surface) const {
    const auto status = shield_status(plan().journal, surface);
    ASSERT_TRUE(status);
    EXPECT_THAT(status->drifted, ElementsAre());
    EXPECT_THAT(status->newcomers, ElementsAre());
    EXPECT_EQ(status->standing, status->changes);
    EXPECT_TRUE(status->is_complete);
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldMove,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

class ShieldMoveWithGroups : public ShieldMove {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldMoveWithGroups, testing::Values(Hierarchy::v2, Hierarchy::v1));

class ShieldMoveByMask : public ShieldMove {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldMoveByMask, testing::Values(Hierarchy::none));

class ShieldMoveOfV2 : public ShieldMove {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldMoveOfV2, testing::Values(Hierarchy::v2));

TEST_P(ShieldMove, AProcessIsInsideWithAllItsThreadsUntilOffBringsItBack) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const auto moved = shield_move_in(plan().journal, {70}, surface);
  ASSERT_TRUE(moved) << moved.error().text;
  EXPECT_TRUE(moved->is_whole());
  EXPECT_EQ(moved->processes.front().threads, 2u);
  EXPECT_TRUE(is_inside(70, 70));
  EXPECT_TRUE(is_inside(70, 71));
  stands_whole(surface);
  EXPECT_EQ(shield_status(plan().journal, surface)->changes, on->changes + 2);
  EXPECT_THAT(moved_in(surface), ElementsAre("loop", "loop-helper"));
  EXPECT_EQ(shield_move_in(plan().journal, {70}, surface)->processes.front().threads, 0u) << "it is there already";
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_THAT(off->left, ElementsAre());
  EXPECT_THAT(off->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(ShieldMove, TheSameShieldOnceMoreLeavesItInside) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  const auto again = shield_on(plan(), surface);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->lost, 0u);
  EXPECT_TRUE(is_inside(70, 70));
  EXPECT_TRUE(is_inside(70, 71));
  stands_whole(surface);
}

TEST_P(ShieldMove, WhatItBeginsInsideBelongsThereAndComesBackWithIt) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  begins_inside(70, 72, 1);
  begins_inside(80, 80, 70);
  begins_inside(81, 81, 80);
  stands_whole(surface);
  EXPECT_THAT(moved_in(surface), ElementsAre("child-72", "child-80", "child-81", "loop", "loop-helper"));
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  for (const auto& [pid, tid] : {std::pair(70, 72), std::pair(80, 80), std::pair(81, 81)}) {
    // Where a partition stood the kernel gives its CPUs to all, which this box does not do.
    EXPECT_EQ(box_.cpus_of(pid, tid), has_groups() && !is_v1() ? "0-1" : "0-3") << tid;
    EXPECT_EQ(group_of(pid, tid), group_of(1, 1)) << tid;
  }
}

TEST_P(ShieldMove, OutOfTheShieldItIsWhereItWasAndKeptOffAgain) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const auto shielded = box_.state();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
    ASSERT_TRUE(is_inside(70, 71));
    stands_whole(surface);
    const auto out = shield_move_out(plan().journal, {70}, surface);
    ASSERT_TRUE(out) << out.error().text;
    EXPECT_TRUE(out->is_whole());
    EXPECT_EQ(out->processes.front().threads, 2u);
    EXPECT_THAT(box_.changed_since(shielded), ElementsAre());
    stands_whole(surface);
    EXPECT_EQ(shield_status(plan().journal, surface)->changes, on->changes);
    EXPECT_THAT(moved_in(surface), ElementsAre());
  }
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_FALSE(is_inside(70, 70)) << "the next on does not bring it in again";
  EXPECT_EQ(shield_move_out(plan().journal, {70}, surface).error().text, "loop (70) was not moved into the shield");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: what it had begun stayed inside, and was nobody's from then on.
TEST_P(ShieldMove, WhatItHasBegunInsideGoesOutWithIt) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {40, 70}, surface));
  begins_inside(70, 72, 1);
  begins_inside(80, 80, 70);
  begins_inside(81, 81, 80);
  begins_inside(90, 90, 40);
  const auto out = shield_move_out(plan().journal, {70}, surface);
  ASSERT_TRUE(out) << out.error().text;
  EXPECT_TRUE(out->is_whole());
  for (const auto& [pid, tid] : {std::pair(70, 72), std::pair(80, 80), std::pair(81, 81)}) {
    EXPECT_EQ(box_.cpus_of(pid, tid), "0-1") << tid;
    EXPECT_EQ(group_of(pid, tid), group_of(70, 70)) << tid;
  }
  EXPECT_TRUE(is_inside(90, 90)) << "another's";
  EXPECT_THAT(moved_in(surface), ElementsAre("child-90", "daemon", "daemon-worker"));
  stands_whole(surface);
}

// A name is the process's own choice, and is the first line of its status.
TEST_P(ShieldMove, ANameIsNoField) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  begins_inside(80, 80, 1);
  for (const std::string& status : {"/proc/80/status"s, "/proc/80/task/80/status"s})
    box_.file(status, "Name:\tPPid:70\n" + box_.text(status) + "\n");
  EXPECT_THAT(moved_in(surface), ElementsAre("loop", "loop-helper"));
  box_.file("/proc/40/task/40/status", "Name:\tTgid:1\n" + box_.text("/proc/40/task/40/status") + "\n");
  EXPECT_EQ(refusal_of(40, surface), "it was moved");
}

// A defect: it lost that with the others, which had been kept off these CPUs.
TEST_P(ShieldMoveByMask, AThreadThatItsOwnerHasBoundThereKeepsItsMask) {
  box_.thread(70, 73, "bound", "2-3", 0, 1);
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  ASSERT_TRUE(shield_move_out(plan().journal, {70}, surface));
  EXPECT_EQ(box_.cpus_of(70, 73), "2-3");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(70, 73), "2-3");
}

TEST_P(ShieldMove, WhoLeavesTheShieldByOtherMeansIsSeenAndBroughtInAgain) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  const std::string outside = is_v1() ? "/maxlat-system" : "";
  if (has_groups()) {
    ASSERT_TRUE(surface.write(mount() + outside + "/cgroup.procs", "70"));
  } else {
    for (const int thread : {70, 71}) ASSERT_TRUE(surface.set_affinity(thread, {0, 1}));
  }
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted,
              ElementsAre("loop (thread 70) is not in the shield any more",
                          "loop-helper (thread 71) is not in the shield any more"));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_TRUE(is_inside(70, 70));
  EXPECT_TRUE(is_inside(70, 71));
  stands_whole(surface);
}

// A real-time loop binds itself to the one CPU that it wants.
TEST_P(ShieldMove, WhatItChoosesInsideIsItsOwn) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
  ASSERT_TRUE(surface.set_affinity(70, {3}));
  stands_whole(surface);
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(box_.cpus_of(70, 70), "3");
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(70, 70), "3");
  EXPECT_EQ(box_.cpus_of(70, 71), "1-2");
}

TEST_P(ShieldMove, WhatCannotGoInIsToldAndNothingIsChanged) {
  FakeSurface surface = this->surface();
  EXPECT_EQ(refusal_of(70, surface), "no shield is on");
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(21, 21, "irq/24-eth0", "0-1", FakeBox::kOfTheKernel, 0);
  const auto before = box_.state();
  EXPECT_EQ(refusal_of(4711, surface), "there is no process 4711");
  EXPECT_EQ(refusal_of(71, surface), "71 is a thread of process 70");
  EXPECT_THAT(refusal_of(1, surface), HasSubstr("process 1 stays outside"));
  EXPECT_EQ(refusal_of(20, surface),
            "migration/2 (20) is a thread of the kernel, which binds it to CPUs of its choice");
  EXPECT_EQ(refusal_of(21, surface), "irq/24-eth0 (21) is the thread of an interrupt, and goes where that goes");
  EXPECT_FALSE(shield_move_in(plan().journal, {70, 20}, surface)) << "all of them, or none";
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(ShieldMove, AShieldThatIsHeldTakesNobodyIn) {
  FakeSurface surface = this->surface();
  ShieldPlan held = plan();
  held.held = true;
  ASSERT_TRUE(shield_on(held, surface));
  EXPECT_THAT(refusal_of(70, surface), HasSubstr("is a run's or a command's own"));
}

// Not one leftover, whatever write the last one was.
TEST_P(ShieldMove, KilledBetweenAnyTwoChangesItIsUndoneByOff) {
  const auto before = box_.state();
  for (const bool in_off : {false, true})
    for (int last = 0; last < 200; ++last) {
      FakeSurface surface = this->surface();
      ASSERT_TRUE(shield_on(plan(), surface));
      if (in_off) {
        ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
      }
      const pid_t child = ::fork();
      if (child == 0) {
        FakeSurface dying = this->surface();
        dying.dies_before = last;
        if (in_off)
          static_cast<void>(shield_off(plan().journal, dying, false));
        else
          static_cast<void>(shield_move_in(plan().journal, {70}, dying));
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      const auto off = shield_off(plan().journal, surface, false);
      ASSERT_TRUE(off) << off.error().text;
      ASSERT_THAT(box_.changed_since(before), ElementsAre())
          << (in_off ? "off" : "move") << " was killed before its change " << last;
      if (WEXITSTATUS(status) == 0) break;
      ASSERT_LT(last, 199);
    }
}

// A defect: whoever sent a thread in through the group's file had drifted, and the next `on` wanted it out.
TEST_P(ShieldMoveWithGroups, AThreadThatWasSentInByOtherMeansIsWantedThere) {
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(surface.write(mount() + "/maxlat-shield" + list(), "71"));
  stands_whole(surface);
  EXPECT_EQ(shield_on(plan(), surface)->lost, 0u);
  EXPECT_TRUE(is_inside(70, 71));
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(ShieldMoveWithGroups, WhatTheKernelDoesNotTakeStaysWhereItIs) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  const auto before = box_.state();
  surface.refused = {mount() + "/maxlat-shield/cgroup.procs"};
  const auto moved = shield_move_in(plan().journal, {70}, surface);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->is_whole());
  EXPECT_THAT(moved->processes.front().refused, Contains(HasSubstr("input/output error")));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
  stands_whole(surface);
}

TEST_P(ShieldMoveOfV2, ItComesBackToItsGroupAndToTheRootWhereThatIsGone) {
  const std::string scope = mount() + "/user.slice/session.scope";
  for (const bool is_gone : {false, true}) {
    box_.file(scope + "/cgroup.threads", "70\n71\n");
    for (const int thread : {70, 71}) box_.tell_group(70, thread, "/user.slice/session.scope");
    FakeSurface surface = this->surface();
    ASSERT_TRUE(shield_on(plan(), surface));
    ASSERT_TRUE(shield_move_in(plan().journal, {70}, surface));
    EXPECT_TRUE(is_inside(70, 71));
    begins_inside(80, 80, 70);
    if (is_gone) box_.remove(scope);
    const auto off = shield_off(plan().journal, surface, false);
    ASSERT_TRUE(off);
    EXPECT_THAT(off->failed, ElementsAre());
    EXPECT_THAT(off->left, ElementsAre());
    for (const auto& [pid, tid] : {std::pair(70, 70), std::pair(70, 71), std::pair(80, 80)})
      EXPECT_EQ(group_of(pid, tid), is_gone ? "/" : "/user.slice/session.scope") << tid;
    EXPECT_EQ(box_.cpus_of(70, 70), "0-3");
    EXPECT_EQ(box_.cpus_of(70, 71), "1-2");
    box_.remove("/proc/80");
  }
}

TEST_P(ShieldMoveOfV2, ThreadsOfSeveralGroupsStay) {
  box_.file(mount() + "/threads/cgroup.threads", "71\n");
  box_.tell_group(70, 71, "/threads");
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_EQ(refusal_of(70, surface),
            "the threads of loop (70) are in several groups: /sys/fs/cgroup and /sys/fs/cgroup/threads");
  box_.tell_group(70, 70, "/../elsewhere");
  box_.tell_group(70, 71, "/../elsewhere");
  EXPECT_EQ(refusal_of(70, surface), "loop (70) is in /sys/fs/cgroup/../elsewhere, which is not seen from here");
}

}  // namespace
}  // namespace maxlat::shield
