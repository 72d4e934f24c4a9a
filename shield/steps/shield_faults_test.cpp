// SPDX-License-Identifier: MIT
//
// Whatever happens to a shield while it is made or undone, `off` leaves the box as it was: deaths at random, a journal
// cut at any byte or spoiled, a disk that fills up, a signal in each step, a CPU that goes away.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/test/fake_root.hpp>
#include <random>

#include "change/test_surface.hpp"
#include "journal/journal.hpp"
#include "shield.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Most tests here fork hundreds of times. A fork copies page tables, of which AddressSanitizer's shadow has so many
// that these tests took two minutes of it: there, every seventh of the same places does.
#ifdef __SANITIZE_ADDRESS__
constexpr int kApart = 7;
#else
constexpr int kApart = 1;
#endif

// Calls the hook before change 0, 1, 2, ...
class WatchedSurface : public FakeSurface {
 public:
  WatchedSurface(const FakeBox& box, core::MachineView view, std::function<void(int)> before_change)
      : FakeSurface(box, std::move(view)), before_change_(std::move(before_change)) {}

  core::Status write(const std::string& path, const std::string& value) override {
    before_change_(changes);
    return FakeSurface::write(path, value);
  }
  core::Status make_folder(const std::string& path) override {
    before_change_(changes);
    return FakeSurface::make_folder(path);
  }
  int remove_folder(const std::string& path) override {
    before_change_(changes);
    return FakeSurface::remove_folder(path);
  }
  core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
    before_change_(changes);
    return FakeSurface::set_affinity(task, cpus);
  }

 private:
  std::function<void(int)> before_change_;
};

class ShieldFaults : public testing::TestWithParam<Hierarchy> {
 protected:
  ShieldPlan plan() const {
    return {.cpus = {2, 3}, .housekeeping = {0, 1}, .journal = disk_.path() + "/state/shield.journal"};
  }
  static core::MachineView view_of(const FakeBox& box) { return box.view({2, 3}, {0, 1}); }

  core::Result<UndoReport> off(const FakeBox& box, bool force = false) const {
    FakeSurface surface(box, box.view({}, {}));
    return shield_off(plan().journal, surface, force);
  }
  // In a process of its own, which may die of it. Its status as waitpid(2) has it.
  static int in_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  std::string journal() const { return core::read_file(plan().journal).value_or(""); }
  void spoil(const std::string& what, const std::string& by) const {
    std::string text = journal();
    ASSERT_NE(text.find(what), std::string::npos);
    std::ofstream(plan().journal) << text.replace(text.find(what), what.size(), by);
  }

  test::FakeRoot disk_;  // in memory: hundreds of journals are synced here
};

INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldFaults,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

// 200 kills over the three hierarchies: `on` is killed somewhere, and so are up to three `off` after it.
TEST_P(ShieldFaults, RandomKillsLeaveNothing) {
  std::mt19937 random(12 + static_cast<unsigned>(GetParam()));
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  const auto killed_at = [](const FakeBox& box, int number, const auto& work) {
    return in_child([&] {
      WatchedSurface dying(box, view_of(box), [&](int change) {
        if (change == number) std::raise(SIGKILL);
      });
      return work(dying) ? 0 : 1;
    });
  };
  int kills = 0;
  while (kills < 67 / kApart) {
    FakeBox box(GetParam());
    const auto before = box.state();
    const int on = killed_at(box, below(30), [&](Surface& surface) { return shield_on(plan(), surface).ok(); });
    kills += WIFSIGNALED(on) ? 1 : 0;
    for (int more = below(4); more > 0; --more) {
      const int off =
          killed_at(box, below(15), [&](Surface& surface) { return shield_off(plan().journal, surface, false).ok(); });
      kills += WIFSIGNALED(off) ? 1 : 0;
    }
    const auto undone = off(box);
    ASSERT_TRUE(undone) << undone.error().text;
    ASSERT_THAT(undone->failed, ElementsAre());
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "after " << kills << " kills";
  }
}

// The journal may grow to `limit` bytes. With the signal's default the process dies in the middle of a line, and
// otherwise it finds the disk full.
struct Limited {
  size_t limit;
  void (*on_limit)(int);
};
int on_with_limit(const Limited& limited, const ShieldPlan& plan, Surface& surface) {
  const rlimit none{0, 0}, small{limited.limit, limited.limit};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &small);
  std::signal(SIGXFSZ, limited.on_limit);
  return shield_on(plan, surface) ? 0 : 1;
}

// Every 59th byte: lines are longer, so each is cut, and in other places than the last.
TEST_P(ShieldFaults, AJournalCutAtEvery59thByteIsUndone) {
  bool finished = false, saw_torn = false;
  for (size_t limit = 1; !finished; limit += 59 * kApart) {
    FakeBox box(GetParam());
    const auto before = box.state();
    const int status = in_child([&] {
      FakeSurface surface(box, view_of(box));
      return on_with_limit({limit, SIG_DFL}, plan(), surface);
    });
    finished = WIFEXITED(status);
    const auto undone = off(box);
    ASSERT_TRUE(undone) << undone.error().text << " after " << limit << " bytes";
    saw_torn = saw_torn || undone->torn;
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "after " << limit << " bytes";
  }
  EXPECT_TRUE(saw_torn);
}

TEST_P(ShieldFaults, ADiskThatIsFullAtEvery131stByteLeavesEverythingAsItWas) {
  bool finished = false;
  for (size_t limit = 1; !finished; limit += 131 * kApart) {
    FakeBox box(GetParam());
    const auto before = box.state();
    const int status = in_child([&] {
      FakeSurface surface(box, view_of(box));
      return on_with_limit({limit, SIG_IGN}, plan(), surface);
    });
    finished = WEXITSTATUS(status) == 0;
    if (finished) break;
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "full after " << limit << " bytes";
    ASSERT_FALSE(std::filesystem::exists(plan().journal)) << "full after " << limit << " bytes";
  }
}

TEST_P(ShieldFaults, ASignalInEachStepUndoesWhatWasDone) {
  bool finished = false;
  int signals = 0;
  for (; !finished; ++signals) {
    FakeBox box(GetParam());
    const auto before = box.state();
    const int status = in_child([&] {
      core::catch_stop_signals();
      bool sent = false;
      WatchedSurface surface(box, view_of(box), [&](int change) {
        if (change < signals || std::exchange(sent, true)) return;
        std::raise(SIGINT);
      });
      const auto report = shield_on(plan(), surface);
      if (report) return sent ? 2 : 0;
      return report.error().text == "stopped; everything is as it was before" ? 1 : 3;
    });
    ASSERT_TRUE(WIFEXITED(status));
    finished = WEXITSTATUS(status) == 0;
    if (finished) break;
    ASSERT_EQ(WEXITSTATUS(status), 1) << "SIGINT before change " << signals;
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << "SIGINT before change " << signals;
    ASSERT_FALSE(std::filesystem::exists(plan().journal));
  }
  EXPECT_GT(signals, 12) << "so many changes does this box need at least";
}

// A defect: a signal ended an off in the middle, and so did a second ^C one that followed a first.
TEST_P(ShieldFaults, NoSignalEndsAnOffBeforeAllIsUndone) {
  FakeBox box(GetParam());
  const auto before = box.state();
  FakeSurface surface(box, view_of(box));
  ASSERT_TRUE(shield_on(plan(), surface));
  const int status = in_child([&] {
    WatchedSurface pressed(box, view_of(box), [](int) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::raise(number);
    });
    return shield_off(plan().journal, pressed, false) && box.changed_since(before).empty() ? 42 : 1;
  });
  ASSERT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

// The kernel takes a CPU's files away with it, and makes new ones when it comes back. A defect: a thread that might use
// a CPU that was offline when the shield came might not use it after the shield.
TEST_P(ShieldFaults, ACpuThatGoesAwayMeanwhileTakesItsFilesAndNoMore) {
  const std::string files_of_cpu = "/sys/devices/system/cpu/cpu3";
  const auto away = [&](FakeBox& box) {
    box.remove(files_of_cpu);
    box.file("/sys/devices/system/cpu/online", "0-2\n");
  };
  int changes = 1;  // as many as `on` makes: known after the first round, in which the CPU goes when all are made
  for (int gone_before = 1000; gone_before != changes; gone_before = gone_before == 1000 ? 0 : gone_before + 1) {
    FakeBox box(GetParam());
    const auto before = box.state();
    WatchedSurface surface(box, view_of(box), [&](int change) {
      if (change == gone_before) away(box);
    });
    ASSERT_TRUE(shield_on(plan(), surface)) << gone_before;
    if (gone_before == 1000) changes = surface.changes;
    away(box);
    const auto undone = off(box);
    ASSERT_TRUE(undone) << undone.error().text;
    ASSERT_THAT(undone->failed, ElementsAre()) << gone_before;
    box.file("/sys/devices/system/cpu/online", "0-3\n");
    box.file(files_of_cpu + "/cpufreq/scaling_governor", "powersave\n");
    ASSERT_THAT(box.changed_since(before), ElementsAre()) << gone_before;
  }
}

TEST_P(ShieldFaults, AJournalOfAnotherVersionIsNeitherUndoneNorWrittenOver) {
  FakeBox box(GetParam());
  FakeSurface surface(box, view_of(box));
  ASSERT_TRUE(shield_on(plan(), surface));
  spoil("\"maxlat-shield\":1", "\"maxlat-shield\":2");
  const std::string journal_before = journal();
  const auto state = box.state();
  EXPECT_THAT(shield_on(plan(), surface).error().text, HasSubstr("written by another version of maxlat"));
  EXPECT_THAT(shield_status(plan().journal, surface).error().text, HasSubstr("written by another version"));
  for (const bool force : {false, true})
    EXPECT_THAT(off(box, force).error().text, HasSubstr("written by another version of maxlat"));
  EXPECT_THAT(box.changed_since(state), ElementsAre());
  EXPECT_EQ(journal(), journal_before);
}

// A build beside it: what has ended holds its group until its parent has waited for it.
TEST_P(ShieldFaults, AGroupThatIsBusyForAWhileIsRemovedAllTheSame) {
  FakeBox box(GetParam());
  FakeSurface surface(box, view_of(box));
  ASSERT_TRUE(shield_on(plan(), surface));
  surface.zombies = 3;
  const auto undone = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(undone) << undone.error().text;
  EXPECT_THAT(undone->failed, testing::IsEmpty());
  if (GetParam() != Hierarchy::none) {
    EXPECT_EQ(surface.zombies, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(plan().journal));
}

// What a command of `exec` leaves behind is in the shield's group, or on its CPUs alone.
TEST_P(ShieldFaults, ADaemonLeftInTheShieldComesOut) {
  FakeBox box(GetParam());
  FakeSurface surface(box, view_of(box));
  ASSERT_TRUE(shield_on(plan(), surface));
  box.thread(70, 70, "left-behind", "2-3", 0, 1);
  const std::string group = GetParam() == Hierarchy::v2   ? "/sys/fs/cgroup/maxlat-shield/cgroup.threads"
                            : GetParam() == Hierarchy::v1 ? "/sys/fs/cgroup/cpuset/maxlat-shield/tasks"
                                                          : "";
  if (!group.empty()) box.file(group, "70\n");
  const auto undone = off(box);
  ASSERT_TRUE(undone) << undone.error().text;
  EXPECT_THAT(undone->failed, ElementsAre());
  if (GetParam() == Hierarchy::v2) {
    EXPECT_EQ(box.text("/sys/fs/cgroup/cgroup.threads"), "1\n40\n41\n70");
  }
  if (GetParam() == Hierarchy::v1) {
    EXPECT_EQ(box.text("/sys/fs/cgroup/cpuset/tasks"), "1\n40\n41\n70");
  }
}

}  // namespace
}  // namespace maxlat::shield
