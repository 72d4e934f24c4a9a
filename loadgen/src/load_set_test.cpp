// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <string>
#include <thread>

#include "test_process_watching.hpp"

namespace maxlat::loadgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

core::CpuList first_cpu() {
  return {core::allowed_cpus()->front()};
}

core::CpuList affinity_of(pid_t pid) {
  cpu_set_t mask;
  sched_getaffinity(pid, sizeof mask, &mask);
  core::CpuList cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  return cpus;
}

bool sampled_dead(LoadSet& loads) {
  loads.sample();
  return !loads.all_alive();
}

TEST(LoadSet, EachWorkerIsBoundToItsCpuAndIsNoRealTimeProcess) {
  const core::CpuList cpus = *core::allowed_cpus();
  core::Result<LoadSet> loads = LoadSet::start({"cpu"}, {});
  ASSERT_TRUE(loads) << loads.error().text;
  const std::vector<pid_t> workers = children_of(getpid());
  ASSERT_THAT(workers, SizeIs(cpus.size()));
  core::CpuList bound;
  for (const pid_t worker : workers) {
    EXPECT_EQ(sched_getscheduler(worker), SCHED_OTHER);
    ASSERT_THAT(affinity_of(worker), SizeIs(1));
    bound.push_back(affinity_of(worker).front());
  }
  std::sort(bound.begin(), bound.end());
  EXPECT_EQ(bound, cpus);
}

TEST(LoadSet, AForeignCommandRunsOnItsCpusOnly) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sleep 1000"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  for (const pid_t pid : descendants_of(getpid())) EXPECT_EQ(affinity_of(pid), first_cpu());
}

TEST(LoadSet, StopReapsEverythingAndTellsWhatRan) {
  core::Result<LoadSet> loads = LoadSet::start({"cpu", "command:sh -c 'while :; do :; done'"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  ASSERT_TRUE(eventually([&] {
    loads->sample();
    const std::vector<LoadProgress> latest = loads->latest();
    return latest[0].rate > 0 && latest[1].rate > 0;
  }));
  const std::vector<ProcessHandle> processes = handles_of(descendants_of(getpid()));
  EXPECT_GE(processes.size(), 3u);  // worker, keeper, shell

  const std::vector<core::LoadResult> results = loads->stop();
  for (const ProcessHandle& process : processes) EXPECT_TRUE(process.ended());
  EXPECT_THAT(children_of(getpid()), IsEmpty());
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].name, "cpu");
  EXPECT_EQ(results[0].command, "built-in");
  EXPECT_EQ(results[1].command, "sh -c 'while :; do :; done'");
  EXPECT_EQ(results[1].unit, "CPU-s/s");
  for (const core::LoadResult& load : results) {
    EXPECT_TRUE(load.alive) << load.reason;
    EXPECT_GT(*std::max_element(load.progress.begin(), load.progress.end()), 0);
  }
  // A command that spins on one CPU cannot have used more than one second of CPU time in a second (and a tick).
  EXPECT_LE(results[1].progress.front(), 1.1);
}

TEST(LoadSet, AWorkerKilledFromOutsideIsNoticedAndNamed) {
  core::Result<LoadSet> loads = LoadSet::start({"cpu", "timers"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  std::vector<pid_t> workers = children_of(getpid());
  ASSERT_THAT(workers, SizeIs(2));
  std::sort(workers.begin(), workers.end());  // "timers" was started last
  kill(workers.back(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return sampled_dead(*loads); }));
  const std::vector<core::LoadResult> results = loads->stop();
  EXPECT_TRUE(results[0].alive);
  EXPECT_FALSE(results[1].alive);
  EXPECT_EQ(results[1].reason,
            "worker on CPU " + std::to_string(first_cpu().front()) + " was killed by signal 9 (Killed)");
}

TEST(LoadSet, AForeignCommandKilledFromOutsideIsNoticedAndNamed) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sleep 1000"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  const std::vector<pid_t> keepers = children_of(getpid());
  ASSERT_THAT(keepers, SizeIs(1));
  // The keeper's children are the command and core::Child's guard; the command was started first.
  std::vector<pid_t> started = children_of(keepers.front());
  ASSERT_FALSE(started.empty());
  kill(*std::min_element(started.begin(), started.end()), SIGKILL);
  ASSERT_TRUE(eventually([&] { return sampled_dead(*loads); }));
  EXPECT_EQ(loads->stop().front().reason, "sleep was killed by signal 9 (Killed)");
}

TEST(LoadSet, AKilledKeeperTakesItsCommandAlong) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sh -c 'sleep 1000; true'"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  const pid_t keeper = children_of(getpid()).front();
  const std::vector<ProcessHandle> below = handles_of(descendants_of(keeper));
  EXPECT_GE(below.size(), 2u);
  kill(keeper, SIGKILL);
  ASSERT_TRUE(eventually([&] { return sampled_dead(*loads); }));
  for (const ProcessHandle& process : below) EXPECT_TRUE(process.ended(5s));
}

TEST(LoadSet, ACommandThatFailsAtOnceIsAnErrorWithItsLastWords) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sh -c 'echo no such luck >&2; exit 3'"}, first_cpu());
  ASSERT_FALSE(loads);
  EXPECT_EQ(loads.error().text, "load 'command' ended at once: sh ended with exit status 3: no such luck");
  EXPECT_THAT(children_of(getpid()), IsEmpty());
}

TEST(LoadSet, ACommandThatFailsLaterIsDead) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sh -c 'sleep 1.5; exit 4'"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  EXPECT_TRUE(loads->all_alive());
  ASSERT_TRUE(eventually([&] { return sampled_dead(*loads); }));
  EXPECT_EQ(loads->stop().front().reason, "sh ended with exit status 4");
}

TEST(LoadSet, ACommandThatDoesNothingIsDeadAtTheEnd) {
  core::Result<LoadSet> loads = LoadSet::start({"cpu", "command:sleep 1000"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  std::this_thread::sleep_for(1s);
  loads->sample();
  EXPECT_TRUE(loads->all_alive());
  std::this_thread::sleep_for(
      3200ms);  // on a slow machine its start was work; that it does none since is judged after 3 s
  const std::vector<core::LoadResult> results = loads->stop();
  EXPECT_TRUE(results[0].alive) << results[0].reason;
  EXPECT_FALSE(results[1].alive);
  EXPECT_THAT(results[1].reason, HasSubstr("no progress for the last "));
  EXPECT_FALSE(loads->all_alive());
  EXPECT_THAT(children_of(getpid()), IsEmpty());
}

TEST(LoadSet, RoundsThatEndWellAreStartedAgain) {
  core::Result<LoadSet> loads = LoadSet::start({"command:sleep 0.01"}, first_cpu());
  ASSERT_TRUE(loads) << loads.error().text;
  EXPECT_TRUE(eventually([&] {
    loads->sample();
    return loads->latest().front().rounds >= 5;
  }));
  EXPECT_TRUE(loads->stop().front().alive);
}

TEST(LoadSet, AMistakeInTheLastLoadStartsNothing) {
  EXPECT_FALSE(LoadSet::start({"cpu", "cpuu"}, first_cpu()));
  EXPECT_FALSE(LoadSet::start({"cpu", "kernel:/no/such/tree"}, first_cpu()));
  EXPECT_THAT(children_of(getpid()), IsEmpty());
}

TEST(LoadSet, ACpuThatDoesNotExistIsAnError) {
  core::Result<LoadSet> loads = LoadSet::start({"cpu"}, {65'000});
  ASSERT_FALSE(loads);
  EXPECT_THAT(loads.error().text, HasSubstr("65000"));
}

// The orchestrator is killed with SIGKILL, so no code of it runs: the loads must end by themselves, and with them a
// process that has left its process group and session.
TEST(LoadSet, NothingIsLeftWhenTheSupervisorIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    core::Result<LoadSet> loads =
        LoadSet::start({"cpu", "fork", "command:sh -c 'setsid sleep 1000 & sleep 1000'"}, first_cpu());
    if (write(ready[1], loads ? "y" : "n", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ready[1]);
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  close(ready[0]);
  ASSERT_EQ(answer, 'y');
  const std::vector<ProcessHandle> processes = handles_of(descendants_of(supervisor));
  EXPECT_GE(processes.size(), 6u);  // two workers, keeper, shell, two sleeps
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  for (const ProcessHandle& process : processes) EXPECT_TRUE(process.ended(10s));
}

}  // namespace
}  // namespace maxlat::loadgen
