// SPDX-License-Identifier: MIT
#include "tracer_meter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_bench.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::ElementsAre;

core::Phase step(core::PhaseStatus status) {
  core::Phase phase;
  phase.name = "my tracers";
  phase.kind = "tracer";
  phase.status = status;
  phase.reason = status == core::PhaseStatus::ok ? "" : "load 'cpu' died";
  phase.command = "maxlat npt --compare ...";
  phase.facts = {{"CPUs", "1"}};
  phase.warnings = {"no CPU is left for the loads"};
  phase.load = {{.name = "cpu", .command = {}, .unit = {}, .alive = true, .reason = {}, .progress = {}}};
  phase.kernel_messages = core::KernelMessages{.count = 3, .kept = {}};
  return phase;
}

class ArmsOfStep : public testing::Test {
 protected:
  StepResult result_of(core::PhaseStatus status) {
    EXPECT_TRUE(core::write_run(path_, test::arms_result()).ok());
    return arms_of_step(step(status), path_);
  }
  test::TemporaryFolder temporary_;
  const std::string path_ = temporary_ / "arms.json";
};

TEST_F(ArmsOfStep, AreNamedAfterItAndHaveWhatItHad) {
  const StepResult result = result_of(core::PhaseStatus::ok);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[1].name, "my tracers: maxlat:timer");
  EXPECT_EQ(result.phases[1].comparison, "my tracers");
  EXPECT_EQ(result.phases[1].facts.at("CPUs"), "1");
  EXPECT_THAT(result.phases[0].warnings, ElementsAre("round 1: it is warm", "no CPU is left for the loads"));
  ASSERT_TRUE(result.phases[0].kernel_messages) << "what the kernel said in the step, it said in each arm";
  EXPECT_EQ(result.phases[0].kernel_messages->count, 3u);
  EXPECT_EQ(result.phases[0].load.size(), 1u);
  ASSERT_EQ(result.comparisons.size(), 1u);
  EXPECT_EQ(result.comparisons[0].name, "my tracers");
  core::RunResult run;
  run.phases = result.phases;
  run.comparisons = result.comparisons;
  EXPECT_TRUE(core::validate(run).ok()) << core::validate(run).error().text;
}

// With windows an arm has a phase for each kind of them, and their names must stay apart.
TEST_F(ArmsOfStep, KeepEachKindOfGaps) {
  core::RunResult run = test::arms_result();
  for (const size_t i : {0u, 1u}) {
    core::Phase waiting = run.phases[i];
    waiting.gaps = "waiting windows";
    waiting.name += " (waiting windows)";
    run.phases.push_back(waiting);
  }
  ASSERT_TRUE(core::write_run(path_, run).ok());
  const StepResult result = arms_of_step(step(core::PhaseStatus::ok), path_);
  ASSERT_EQ(result.phases.size(), 4u);
  EXPECT_EQ(result.phases[3].name, "my tracers: maxlat:timer (waiting windows)");
  core::RunResult stored;
  stored.phases = result.phases;
  stored.comparisons = result.comparisons;
  EXPECT_TRUE(core::validate(stored).ok()) << core::validate(stored).error().text;
}

TEST_F(ArmsOfStep, ALoadThatDiedSpoilsEveryArm) {
  for (const core::Phase& phase : result_of(core::PhaseStatus::invalid).phases) {
    EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
    EXPECT_EQ(phase.reason, "load 'cpu' died");
  }
}

TEST_F(ArmsOfStep, WithoutAFileTheStepIsAllThereIs) {
  const StepResult result = arms_of_step(step(core::PhaseStatus::failed), temporary_ / "nothing");
  ASSERT_EQ(result.phases.size(), 1u);
  EXPECT_EQ(result.phases[0].name, "my tracers");
  EXPECT_TRUE(result.comparisons.empty());
}

TEST(TracerMeter, ComparesOnTheJobsCpuWithItsSeed) {
  const MeterJob job{.cpus = {3},
                     .duration_ns = 30'000'000'000,
                     .control = false,
                     .everywhere = false,
                     .json_path = "r.json",
                     .arguments = {"--counter", "plain"},
                     .arms = {"none", "maxlat:timer"},
                     .rounds = 9,
                     .round_ns = 500'000'000,
                     .seed = 77};
  const auto spec = TracerMeter("/usr/bin/maxlat").command(job);
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(spec->argv, ElementsAre("/usr/bin/maxlat", "npt", "--compare", "none,maxlat:timer", "--rounds", "9",
                                      "--seed", "77", "-a", "3", "-D", "500000000ns", "-p", "95", "-i", "-q", "--json",
                                      "r.json", "--counter", "plain"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
