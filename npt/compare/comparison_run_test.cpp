// SPDX-License-Identifier: MIT
// Rounds made up here instead of measured: what counts is which of them are run, kept, dropped, added up and compared.
#include "comparison_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A round of an arm: gaps around 20 ns with the noise of a round, `slower_ns` more for a slow one.
core::Phase measured(std::mt19937_64& random, double slower_ns) {
  const double at = 20 + slower_ns + std::uniform_real_distribution<double>(0, 0.5)(random);
  core::CpuResult cpu;
  cpu.cpu = 1;
  cpu.bins = {{at, at + 1, 1'000'000 + random() % 1000}, {5000 + at, 5100 + at, 1 + random() % 3}};
  core::fill_statistics_from_bins(cpu);
  cpu.exposure_s = 0.5;
  cpu.outliers = {{.t_ns = 17, .latency_ns = cpu.max_ns, .cpu = 1, .cause = {}}};
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  phase.duration_s = 0.5;
  phase.exposure_s = 0.5;
  phase.facts = {{"policy", "SCHED_FIFO 99"},
                 {"page_faults_in_loop", std::to_string(random() % 9)},
                 {"start_monotonic_ns", std::to_string(random())},
                 {"start_realtime_ns", std::to_string(random())}};
  phase.warnings = {"it is warm"};
  phase.per_cpu = {cpu};
  phase.activity = {{.cpu = 1, .switches = 2, .counted = {}}};
  phase.events = core::EventCounts{.produced = 10, .recorded = 9, .lost_full = 1, .lost_wrap = 0, .lost_big = 0};
  return phase;
}

core::Phase ended_with(core::PhaseStatus status, const std::string& reason) {
  core::Phase phase;
  phase.status = status;
  phase.reason = reason;
  return phase;
}

// Arms by their behaviour. Counts its runs; `plan` may say what the n-th run (from 1) of an arm is to be instead.
struct Machine {
  std::mt19937_64 random{7};
  std::map<std::string, double> slower_ns{{"slow", 50}};
  std::map<std::pair<std::string, int>, core::Phase> instead;
  std::map<std::string, int> runs;
  std::vector<std::string> order;
  core::Phase operator()(const std::string& arm) {
    order.push_back(arm);
    const auto planned = instead.find({arm, ++runs[arm]});
    return planned != instead.end() ? planned->second : measured(random, slower_ns[arm]);
  }
};

ComparedArms compare(Machine& machine, std::vector<std::string> arms, unsigned rounds = 8) {
  return compare_arms({.arms = std::move(arms), .rounds = rounds, .seed = 3},
                      [&](const std::string& arm) { return std::vector{machine(arm)}; });
}

TEST(ComparisonRun, FindsTheSlowArmAndNotTheOther) {
  Machine machine;
  const ComparedArms found = compare(machine, {"none", "slow", "none"});
  ASSERT_EQ(found.comparisons.size(), 2u);
  EXPECT_THAT(found.comparisons[0].verdict, StartsWith("slow adds 50"));
  EXPECT_THAT(found.comparisons[1].verdict, StartsWith("no difference found between none (2) and none"));
  EXPECT_EQ(found.comparisons[0].name, "tracers");
  EXPECT_TRUE(found.comparisons[0].measures[0].noise_floor_ns.has_value());
  EXPECT_FALSE(found.interrupted);
}

TEST(ComparisonRun, PhasesAddUpToTheirRounds) {
  Machine machine;
  const ComparedArms found = compare(machine, {"none", "slow"});
  core::RunResult run;
  run.phases = found.phases;
  run.comparisons = found.comparisons;
  EXPECT_TRUE(core::validate(run).ok()) << core::validate(run).error().text;
  ASSERT_EQ(found.phases.size(), 3u);
  EXPECT_EQ(found.phases[1].arm, "none (again)");
  const core::Phase& slow = found.phases[2];
  EXPECT_EQ(slow.name, "tracers: slow");
  EXPECT_EQ(slow.comparison, "tracers");
  ASSERT_EQ(slow.rounds.size(), 8u);
  EXPECT_EQ(slow.rounds[7].round, 8u);
  EXPECT_EQ(slow.rounds[7].events->produced, 10u);
  EXPECT_EQ(slow.events->produced, 80u);
  EXPECT_EQ(slow.events->lost_full, 8u);
  EXPECT_DOUBLE_EQ(slow.exposure_s, 4);
  ASSERT_EQ(slow.activity.size(), 1u);
  EXPECT_EQ(slow.activity[0].switches, 16u);
  EXPECT_EQ(slow.facts.at("policy"), "SCHED_FIFO 99");
  EXPECT_THAT(slow.facts.at("page_faults_in_loop"), testing::ContainsRegex("^[0-8] to [0-8]$"));
  EXPECT_EQ(slow.facts.count("start_monotonic_ns") + slow.facts.count("start_realtime_ns"), 0u);
  EXPECT_THAT(slow.warnings, ElementsAre("round 1: it is warm"));
  EXPECT_THAT(slow.per_cpu[0].outliers[0].cause, StartsWith("round "));
}

TEST(ComparisonRun, LossIsToldWithTheVerdict) {
  Machine machine;
  EXPECT_THAT(compare(machine, {"none", "slow"}).comparisons[0].verdict, HasSubstr("it lost 10 % of its events"));
}

TEST(ComparisonRun, OrderComesFromTheSeed) {
  Machine one, other;
  compare(one, {"none", "slow", "b"});
  compare(other, {"none", "slow", "b"});
  EXPECT_EQ(one.order, other.order);
  EXPECT_EQ(one.order.size(), 8u * 4u);
  std::vector<std::string> first(one.order.begin(), one.order.begin() + 4),
      second(one.order.begin() + 4, one.order.begin() + 8);
  EXPECT_NE(first, second);  // of this seed
}

TEST(ComparisonRun, SkippedArmIsSeenAndTheOthersGoOn) {
  Machine machine;
  machine.instead[{"systemtap", 1}] = ended_with(core::PhaseStatus::skipped, "stap is not installed");
  const ComparedArms found = compare(machine, {"none", "systemtap", "slow"});
  EXPECT_EQ(machine.runs["systemtap"], 1);
  EXPECT_EQ(found.phases[2].status, core::PhaseStatus::skipped);
  EXPECT_EQ(found.phases[2].reason, "stap is not installed");
  ASSERT_EQ(found.comparisons.size(), 1u);
  EXPECT_EQ(found.comparisons[0].arm, "slow");
  EXPECT_EQ(found.complete_rounds, 8u);
}

TEST(ComparisonRun, NothingLeftToCompareEndsIt) {
  Machine machine;
  machine.instead[{"systemtap", 1}] = ended_with(core::PhaseStatus::skipped, "stap is not installed");
  const ComparedArms found = compare(machine, {"none", "systemtap"});
  EXPECT_LE(machine.order.size(), 3u);
  EXPECT_THAT(found.comparisons, IsEmpty());
  EXPECT_FALSE(found.interrupted);
  EXPECT_EQ(found.phases[0].status, core::PhaseStatus::skipped);
}

TEST(ComparisonRun, OneInvalidRoundMakesTheArmInvalid) {
  Machine machine;
  core::Phase round = measured(machine.random, 50);
  round.status = core::PhaseStatus::invalid;
  round.reason = "the scheduler stopped the loop";
  machine.instead[{"slow", 5}] = round;
  const ComparedArms found = compare(machine, {"none", "slow", "b"});
  EXPECT_EQ(machine.runs["slow"], 5);
  EXPECT_EQ(found.phases[2].status, core::PhaseStatus::invalid);
  EXPECT_EQ(found.phases[2].reason, "round 5: the scheduler stopped the loop");
  EXPECT_THAT(found.phases[2].per_cpu, IsEmpty());
  EXPECT_FALSE(found.phases[2].events.has_value());
  EXPECT_EQ(found.phases[2].facts.at("policy"), "SCHED_FIFO 99");  // how it ran may tell why
  ASSERT_EQ(found.comparisons.size(), 1u);
  EXPECT_EQ(found.comparisons[0].arm, "b");
  EXPECT_EQ(found.comparisons[0].rounds, 8u);
}

TEST(ComparisonRun, WithoutABaseThereIsNoComparison) {
  Machine machine;
  machine.instead[{"none", 4}] = ended_with(core::PhaseStatus::invalid, "the scheduler stopped the loop");
  const ComparedArms found = compare(machine, {"none", "slow"});
  EXPECT_EQ(machine.runs["none"], 4);  // it ended there
  EXPECT_THAT(found.comparisons, IsEmpty());
  for (const core::Phase& phase : found.phases)
    if (phase.arm == "slow") {
      EXPECT_THAT(phase.reason, HasSubstr("nothing was left to compare it with; none"));
      EXPECT_THAT(phase.reason, HasSubstr(": the scheduler stopped the loop"));
    }
}

TEST(ComparisonRun, InterruptedRoundIsDroppedForEveryArm) {
  Machine machine;
  machine.instead[{"slow", 6}] = ended_with(core::PhaseStatus::interrupted, "stopped by a signal");
  const ComparedArms found = compare(machine, {"none", "slow"}, 12);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.complete_rounds, 5u);
  for (const core::Phase& phase : found.phases) {
    EXPECT_EQ(phase.status, core::PhaseStatus::interrupted) << phase.arm;
    EXPECT_EQ(phase.rounds.size(), 5u) << phase.arm;
    EXPECT_EQ(phase.reason, "5 of 12 rounds are complete");
  }
  ASSERT_EQ(found.comparisons.size(), 1u);
  EXPECT_THAT(found.comparisons[0].verdict, HasSubstr("5 rounds, 8 are needed"));
}

// A run looked at in several ways: further phases of it, as a process with windows and a limited rate leaves them.
std::vector<core::Phase> looked_at(std::mt19937_64& random, const std::string& arm,
                                   const std::vector<std::pair<std::string, double>>& looks) {
  std::vector<core::Phase> phases;
  for (const auto& [gaps, slower_ns] : looks) {
    core::Phase& phase = phases.emplace_back(measured(random, slower_ns));
    phase.arm = arm;
    phase.gaps = gaps;
    if (phases.size() > 1) phase.events.reset();
  }
  return phases;
}

std::vector<std::string> names_of(const std::vector<core::Phase>& phases) {
  std::vector<std::string> names;
  for (const core::Phase& phase : phases) names.push_back(phase.name);
  return names;
}

core::Status valid(const ComparedArms& found) {
  core::RunResult run;
  run.phases = found.phases;
  run.comparisons = found.comparisons;
  return core::validate(run);
}

// Only the first phase of each process was kept: what the windows are for was thrown away.
TEST(ComparisonRun, BothKindsOfWindowsAreCarriedThrough) {
  std::mt19937_64 random(5);
  const ComparedArms found =
      compare_arms({.arms = {"none", "slow"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        return looked_at(random, arm, {{"traced windows", arm == "slow" ? 50 : 0}, {"waiting windows", 0}});
      });
  EXPECT_THAT(names_of(found.phases),
              ElementsAre("tracers: none (traced windows)", "tracers: none (again) (traced windows)",
                          "tracers: slow (traced windows)", "tracers: none (waiting windows)",
                          "tracers: none (again) (waiting windows)", "tracers: slow (waiting windows)"));
  EXPECT_TRUE(valid(found).ok()) << valid(found).error().text;
  for (const core::Phase& phase : found.phases) EXPECT_EQ(phase.rounds.size(), 8u) << phase.name;
  ASSERT_EQ(found.comparisons.size(), 2u);
  EXPECT_THAT(found.comparisons[0].verdict, testing::ContainsRegex("^slow adds (49|50)"));
  EXPECT_THAT(found.comparisons[0].verdict, HasSubstr("(8 rounds, traced windows)"));
  EXPECT_FALSE(found.comparisons[0].beside);
  EXPECT_THAT(found.comparisons[1].verdict, StartsWith("no difference found"));
  EXPECT_TRUE(found.comparisons[1].beside);
  EXPECT_THAT(found.comparisons[0].verdict, HasSubstr("what dropping costs"));
  EXPECT_THAT(found.comparisons[1].verdict, Not(HasSubstr("what dropping costs")));  // nothing is dropped there
  EXPECT_EQ(found.phases[3].gaps, "waiting windows");
}

TEST(ComparisonRun, TheVerdictIsOfTheGapsWithATracepoint) {
  std::mt19937_64 random(6);
  const ComparedArms found =
      compare_arms({.arms = {"none", "delay:50ns"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        // Most gaps have no tracepoint: in all of them together nothing is to be seen.
        return looked_at(random, arm, {{"", 0}, {"gaps with a tracepoint", arm == "none" ? 0 : 50}});
      });
  ASSERT_EQ(found.comparisons.size(), 2u);
  EXPECT_EQ(found.comparisons[0].gaps, "gaps with a tracepoint");
  EXPECT_THAT(found.comparisons[0].verdict, testing::ContainsRegex("^delay:50ns adds (49|50)"));
  EXPECT_THAT(found.comparisons[0].verdict, HasSubstr("it lost 10 % of its events"));
  EXPECT_EQ(found.comparisons[1].gaps, "all gaps");
  EXPECT_TRUE(found.comparisons[1].beside);
  EXPECT_THAT(names_of(found.phases), testing::Contains("tracers: delay:50ns (gaps with a tracepoint)"));
  EXPECT_TRUE(valid(found).ok()) << valid(found).error().text;
}

TEST(ComparisonRun, ALookThatARoundDoesNotHaveIsNotComparedAndTold) {
  std::mt19937_64 random(7);
  int runs = 0;
  const ComparedArms found =
      compare_arms({.arms = {"none", "slow"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        if (arm == "slow" && ++runs == 3) return looked_at(random, arm, {{"traced windows", 50}});
        return looked_at(random, arm, {{"traced windows", 50}, {"waiting windows", 0}});
      });
  EXPECT_EQ(found.comparisons.size(), 1u);
  EXPECT_THAT(found.phases[2].warnings,
              testing::Contains("1 of 8 rounds have no waiting windows: they are not compared"));
  EXPECT_EQ(found.phases.size(), 5u);  // the base's waiting windows are shown
}

// It was failed, without a reason; the warning stood in a phase further down.
TEST(ComparisonRun, AnArmWithoutTheFirstLookIsSkippedWithTheReason) {
  std::mt19937_64 random(9);
  int runs = 0;
  const ComparedArms found =
      compare_arms({.arms = {"none", "slow", "b"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        if (arm == "slow" && ++runs > 5) return looked_at(random, arm, {{"", 0}});
        return looked_at(random, arm, {{"", 0}, {"gaps with a tracepoint", 0}});
      });
  EXPECT_EQ(found.phases[2].status, core::PhaseStatus::skipped);
  EXPECT_EQ(found.phases[2].reason, "3 of 8 rounds have no gaps with a tracepoint: they are not compared");
  EXPECT_THAT(found.phases[2].warnings, IsEmpty());
  ASSERT_EQ(found.comparisons.size(), 3u);  // b of both looks, slow of all gaps
  EXPECT_EQ(found.comparisons[0].arm, "b");
  EXPECT_TRUE(valid(found).ok()) << valid(found).error().text;
}

TEST(ComparisonRun, ALookThatTheBaseNeverHasIsTold) {
  std::mt19937_64 random(10);
  const ComparedArms found =
      compare_arms({.arms = {"none", "slow"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        if (arm == "none") return looked_at(random, arm, {{"traced windows", 0}});
        return looked_at(random, arm, {{"traced windows", 0}, {"waiting windows", 0}});
      });
  EXPECT_THAT(found.phases[0].warnings,
              testing::Contains("8 of 8 rounds have no waiting windows: they are not compared"));
}

TEST(ComparisonRun, OneLookThatIsNotValidPutsTheArmOut) {
  std::mt19937_64 random(8);
  const ComparedArms found =
      compare_arms({.arms = {"none", "slow"}, .rounds = 8, .seed = 3}, [&](const std::string& arm) {
        auto phases = looked_at(random, arm, {{"traced windows", 0}, {"waiting windows", 0}});
        if (arm == "slow") phases[1].status = core::PhaseStatus::invalid;
        return phases;
      });
  EXPECT_EQ(found.phases[2].status, core::PhaseStatus::invalid);
  EXPECT_THAT(found.comparisons, IsEmpty());
}

TEST(ComparisonRun, LabelsAreUnique) {
  EXPECT_THAT(arm_labels({"none", "none", "a", "none"}),
              ElementsAre("none", "none (again)", "none (2)", "a", "none (3)"));
}

}  // namespace
}  // namespace maxlat::npt
