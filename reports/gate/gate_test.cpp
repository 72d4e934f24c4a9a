// SPDX-License-Identifier: MIT
//
// Each trap that a gate can fall into has a test here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/reports/gate.hpp>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using Kind = core::Verdict::Kind;
using Outcome = core::RuleResult::Outcome;
using ::testing::HasSubstr;

Rule rule(const std::string& phase, const std::string& metric, double limit) {
  auto made = make_rule(phase, metric, limit);
  EXPECT_TRUE(made) << metric;
  return made ? *made : Rule{};
}

Kind kind_of(const core::RunResult& run, const std::vector<Rule>& rules) {
  return judge(run, rules).kind;
}

// Largest sample 22 us on CPU 0, 19 us on CPU 1.
core::RunResult good_run() {
  return test::single_phase_run();
}
std::vector<Rule> usual_rules() {
  return {rule("*", "max_ns", 50e3), rule("*", "p99.99_ns", 20e3), rule("*", "exposure_s", 10)};
}

TEST(Gate, PassesAGoodRun) {
  const auto verdict = judge(good_run(), usual_rules());
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_EQ(verdict.rules.size(), 3u);
  EXPECT_EQ(exit_status(verdict), core::Exit::pass);
}

TEST(Gate, ABrokenPreemptionFailsWithoutARule) {
  auto run = good_run();
  core::PolicyPair pair{.cpu = 1,
                        .running = "SCHED_OTHER",
                        .woken = "SCHED_FIFO 95",
                        .promise = core::PolicyPair::Promise::must,
                        .rounds = 100,
                        .waited = 100,
                        .latency = {}};
  run.phases[0].pairs = {pair, pair};
  const auto verdict = judge(run, {});
  EXPECT_EQ(verdict.kind, Kind::fail);
  EXPECT_THAT(verdict.reasons.front(),
              HasSubstr("CPU 1: SCHED_FIFO 95 over SCHED_OTHER: must preempt, and did not in 100 of "
                        "100 rounds, and 1 further pairs"));
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::fail);
  run.phases[0].status = core::PhaseStatus::invalid;
  EXPECT_EQ(kind_of(run, {}), Kind::fail) << "what was seen to break is broken, whatever else could not be shown";
}

TEST(Gate, APreemptionThatIsAsItMustBeJudgesNothingElse) {
  auto run = good_run();
  run.phases[0].pairs = {{.cpu = 1,
                          .running = "SCHED_FIFO 95",
                          .woken = "SCHED_OTHER",
                          .promise = core::PolicyPair::Promise::must_not,
                          .rounds = 100,
                          .waited = 100,
                          .latency = {}}};
  EXPECT_EQ(kind_of(run, {}), Kind::not_gated);
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::pass);
}

TEST(Gate, FailsAWorseTail) {
  auto run = good_run();
  test::add_stall(run.phases[0].per_cpu[1], 51e3, 3);
  const auto verdict = judge(run, usual_rules());
  EXPECT_EQ(verdict.kind, Kind::fail);
  EXPECT_EQ(exit_status(verdict), core::Exit::limit_exceeded);
  EXPECT_THAT(verdict.reasons.front(), HasSubstr("CPU 1"));
}

TEST(Gate, FailsAWorseTailBehindABetterMean) {
  auto run = good_run();
  for (auto& cpu : run.phases[0].per_cpu) {
    cpu.bins.front().count += 100 * cpu.samples;  // a hundred times as many samples at the minimum
    test::add_stall(cpu, 51e3, 3);
  }
  const auto before = good_run();
  ASSERT_LT(run.phases[0].per_cpu[0].mean_ns, before.phases[0].per_cpu[0].mean_ns);
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::fail);
}

TEST(Gate, LooksAtTheWorstCpuNotAtAllTogether) {
  auto run = good_run();
  auto& bad = run.phases[0].per_cpu[1];
  bad.bins.push_back({30e3, 30.01e3, bad.samples / 5000});  // beyond p99.99 of CPU 1
  bad.max_ns = 30.01e3;
  run.phases[0].per_cpu[0].bins.front().count *= 1000;  // drowned in the samples of CPU 0
  for (auto& cpu : run.phases[0].per_cpu) core::fill_statistics_from_bins(cpu);
  EXPECT_EQ(kind_of(run, {rule("npt", "p99.99_ns", 20e3)}), Kind::fail);
}

TEST(Gate, ValueEqualToItsLimitPasses) {
  const auto run = good_run();
  EXPECT_EQ(kind_of(run, {rule("*", "max_ns", 22e3)}), Kind::pass);
  EXPECT_EQ(kind_of(run, {rule("*", "max_ns", 22e3 - 0.001)}), Kind::fail);
  EXPECT_EQ(kind_of(run, {rule("*", "exposure_s", 20)}), Kind::pass);
  EXPECT_EQ(kind_of(run, {rule("*", "exposure_s", 20.001)}), Kind::fail);
}

TEST(Gate, AnyQuantileIsAMetric) {
  const auto run = good_run();
  for (const auto& [name, level] : {std::pair{"p12.5_ns", 0.125}, {"p99.995_ns", 0.99995}, {"p100_ns", 1.0}}) {
    double worst = 0;
    for (const auto& one : run.phases[0].per_cpu) worst = std::max(worst, core::quantile_of(one, level));
    EXPECT_EQ(kind_of(run, {rule("*", name, worst)}), Kind::pass) << name;
    EXPECT_EQ(kind_of(run, {rule("*", name, worst * 0.999)}), Kind::fail) << name;
  }
}

// Nobody has seen the quantile of too few samples: below the limit it is not shown, above it is exceeded.
TEST(Gate, TooFewSamplesForAQuantileAreNoPass) {
  const auto run = good_run();
  const auto observed = [&](const char* metric) { return judge(run, {rule("*", metric, 1e9)}).rules.at(0).observed; };
  EXPECT_THAT(observed("p99.999999999_ns"), HasSubstr("not shown: 22000 ns (22.0 us, CPU 0; the maximum: too few"));
  EXPECT_EQ(kind_of(run, {rule("*", "p99.999999999_ns", 1e9)}), Kind::invalid);
  EXPECT_EQ(kind_of(run, {rule("*", "p99.999999999_ns", 21e3)}), Kind::fail);
  for (const char* metric : {"p99.9_ns", "p100_ns", "max_ns", "mean_ns"})
    EXPECT_THAT(observed(metric), ::testing::Not(HasSubstr("the maximum"))) << metric;
}

// A defect: p99.99 <= 50 ns passed on 10 001 samples. The same question as a rate, 100 of a million above 50 ns, was
// not shown.
TEST(Gate, AQuantileAsksForAsManySamplesAsTheSameQuestionAsARate) {
  auto run = good_run();
  const auto with_samples = [&](uint64_t samples, const char* metric, double limit) {
    run.phases[0] = test::phase_of("npt", "npt", 10, {test::cpu_from_bins(0, {{40, 41, samples}}, 10)});
    return kind_of(run, {rule("npt", metric, limit)});
  };
  for (const uint64_t samples : {10'001U, 29'999U, 30'000U, 36'887U}) {
    const Kind expected = samples < 30'000 ? Kind::invalid : Kind::pass;
    EXPECT_EQ(with_samples(samples, "p99.99_ns", 50), expected) << samples;
    EXPECT_EQ(with_samples(samples, "above_50ns_ppm", 100), expected) << samples;
    EXPECT_EQ(with_samples(samples, "p99.99_ns", 39), Kind::fail) << "beyond the limit is beyond it";
  }
  EXPECT_EQ(with_samples(5, "p50_ns", 50), Kind::invalid);
  EXPECT_EQ(with_samples(6, "p50_ns", 50), Kind::pass);
  EXPECT_EQ(with_samples(2'999'999, "p99.9999_ns", 50), Kind::invalid);
  EXPECT_EQ(with_samples(3'000'000, "p99.9999_ns", 50), Kind::pass);
  EXPECT_EQ(with_samples(1, "p100_ns", 50), Kind::pass) << "the largest sample is what it is";
}

TEST(Gate, SaysThatAValueIsAnUpperBoundAndJudgesItAllTheSame) {
  auto run = good_run();
  const auto observed = [&](double limit_ns) { return judge(run, {rule("npt", "max_ns", limit_ns)}).rules.front(); };
  EXPECT_THAT(observed(21e3).observed, HasSubstr(", CPU 0)"));
  run.phases[0].facts[core::fact::kBound] = "upper bound: interrupts and scheduling are included";
  EXPECT_THAT(observed(21e3).observed, HasSubstr(", CPU 0, an upper bound)"));
  EXPECT_EQ(observed(21e3).outcome, Outcome::fail);
  EXPECT_EQ(observed(22e3).outcome, Outcome::pass);
}

TEST(Gate, UnknownMetricsAndLimitsAreErrors) {
  for (const char* metric : {"", "max", "min_ns", "p_ns", "p0_ns", "p101_ns", "p99,9_ns", "p-1_ns", "pinf_ns",
                             "p1e1_ns", "p99.9", "p99.9x_ns"})
    EXPECT_FALSE(make_rule("*", metric, 1)) << metric;
  EXPECT_FALSE(make_rule("*", "max_ns", -1));
  EXPECT_FALSE(make_rule("*", "max_ns", std::nan("")));
  EXPECT_FALSE(make_rule("*", "max_ns", INFINITY));
  EXPECT_FALSE(make_rule("", "max_ns", 1));
}

TEST(Gate, DeadLoadIsInvalid) {
  auto run = good_run();
  run.phases[0].load.push_back(test::load_of("hackbench", "rounds/s", 3, 10));
  ASSERT_EQ(kind_of(run, {rule("*", "max_ns", 50e3), rule("*", "load_alive", 1)}), Kind::pass);
  run.phases[0].load[0].alive = false;
  run.phases[0].load[0].reason = "exit status 1";
  EXPECT_EQ(kind_of(run, {rule("*", "load_alive", 1)}), Kind::invalid);
  const auto verdict = judge(run, {rule("*", "max_ns", 50e3)});  // also when no rule asks for it
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_EQ(exit_status(verdict), core::Exit::invalid);
  EXPECT_THAT(verdict.reasons.front(), HasSubstr("hackbench"));
}

TEST(Gate, LoadAliveWithoutALoadIsInvalid) {
  EXPECT_EQ(kind_of(good_run(), {rule("*", "load_alive", 1)}), Kind::invalid);
}

TEST(Gate, EmptyIsInvalidNeverPass) {
  const core::RunResult nothing;
  EXPECT_EQ(kind_of(nothing, usual_rules()), Kind::invalid);
  EXPECT_EQ(kind_of(nothing, {}), Kind::invalid);

  auto run = good_run();
  run.phases[0].per_cpu.clear();
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::invalid);
  EXPECT_EQ(kind_of(run, {}), Kind::invalid);
}

// hwlatdetect looked at one CPU and reported on the box.
TEST(Gate, ACpuWithoutSamplesIsInvalid) {
  auto run = good_run();
  run.phases[0].per_cpu[1] = test::cpu_without_samples(1);
  const auto verdict = judge(run, usual_rules());
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_THAT(verdict.reasons.front(), HasSubstr("CPU 1 has no samples"));
}

TEST(Gate, EveryStatusButOkIsInvalid) {
  for (const auto status : {core::PhaseStatus::invalid, core::PhaseStatus::skipped, core::PhaseStatus::failed,
                            core::PhaseStatus::interrupted}) {
    auto run = good_run();
    run.phases[0].status = status;
    run.phases[0].reason = "RT throttling";
    for (const char* metric : {"max_ns", "mean_ns", "p99.9_ns", "exposure_s", "load_alive"})
      EXPECT_EQ(kind_of(run, {rule("npt", metric, 0)}), Kind::invalid) << metric;
  }
}

// A killed run passed a gate by the phases that it had come to.
TEST(Gate, ARunThatIsNotCompleteDoesNotPass) {
  using State = core::RunResult::State;
  for (const auto& [state, words] :
       {std::pair{State::interrupted, "the run was interrupted"}, {State::running, "still running, or was killed"}}) {
    auto run = good_run();
    run.state = state;
    const auto verdict = judge(run, usual_rules());
    EXPECT_EQ(exit_status(verdict), core::Exit::invalid) << words;
    EXPECT_THAT(verdict.reasons.front(), HasSubstr(words));
    EXPECT_EQ(kind_of(run, {}), Kind::invalid) << words;
    EXPECT_EQ(kind_of(run, {rule("npt", "max_ns", 1)}), Kind::fail) << words;  // what it measured exceeds the limit
  }
}

TEST(Gate, MissingPhaseIsInvalid) {
  const auto verdict = judge(good_run(), {rule("cyclictest", "max_ns", 50e3)});
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_EQ(verdict.rules.at(0).outcome, Outcome::invalid);
}

TEST(Gate, FailIsStrongerThanInvalid) {
  EXPECT_EQ(kind_of(good_run(), {rule("cyclictest", "max_ns", 50e3), rule("npt", "max_ns", 1)}), Kind::fail);
}

TEST(Gate, RulesAreByNameKindOrAll) {
  const auto run = test::typical_run();
  EXPECT_EQ(judge(run, {rule("npt", "max_ns", 1e9)}).rules.size(), 2u);             // both npt phases
  EXPECT_EQ(judge(run, {rule("npt under load", "max_ns", 1e9)}).rules.size(), 1u);  // one of them
  EXPECT_EQ(judge(run, {rule("*", "max_ns", 1e9)}).rules.size(), 4u);               // neither controls nor tracers
  EXPECT_EQ(judge(run, {rule("*", "load_alive", 1)}).rules.size(), 2u);             // those under load
}

// A fresh box has no LTTng, and its gate could never pass.
TEST(Gate, AnArmOfATracerIsNoPhaseOfTheBox) {
  auto run = test::typical_run();
  const auto& arm = run.phases[5];
  ASSERT_EQ(arm.kind, "tracer");
  ASSERT_EQ(arm.status, core::PhaseStatus::skipped);
  EXPECT_EQ(kind_of(run, {rule("*", "max_ns", 1e9), rule("*", "exposure_s", 1)}), Kind::pass);
  EXPECT_EQ(kind_of(run, {rule(arm.name, "max_ns", 1e9)}), Kind::invalid);  // asked for by name
  EXPECT_EQ(kind_of(run, {rule("tracer", "max_ns", 1e9)}), Kind::invalid);  // or by kind
  EXPECT_EQ(kind_of(test::tracer_run(), {rule("*", "max_ns", 1e9)}), Kind::invalid);
  EXPECT_EQ(kind_of(test::tracer_run(), {rule("tracers: maxlat:timer", "max_ns", 1e9)}), Kind::pass);
}

// maxlat npt --arm maxlat:timer is of kind npt, and what it measures is the tracer.
TEST(Gate, ATracedArmIsNoPhaseOfTheBoxWhateverItsKind) {
  auto run = good_run();
  run.phases[0].arm = "none";
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::pass);
  run.phases[0].arm = "maxlat:timer";
  EXPECT_EQ(kind_of(run, usual_rules()), Kind::invalid);
  EXPECT_EQ(kind_of(run, {rule("npt", "max_ns", 50e3)}), Kind::pass);  // asked for
}

TEST(Gate, NoLimitsIsNotGated) {
  const auto verdict = judge(test::typical_run(), {});
  EXPECT_EQ(verdict.kind, Kind::not_gated);
  EXPECT_EQ(exit_status(verdict), core::Exit::pass);
  EXPECT_FALSE(verdict.reasons.empty());
  EXPECT_FALSE(verdict.not_comparable.empty());  // carried over
}

TEST(Gate, NoLimitsAndAnInvalidPhaseIsInvalid) {
  auto run = test::typical_run();
  run.phases[2].status = core::PhaseStatus::invalid;
  EXPECT_EQ(kind_of(run, {}), Kind::invalid);
}

// Which control passed is core's to say (core::passed); that a failed one spoils every verdict is said here.
TEST(Gate, AControlThatFailedSpoilsEveryRule) {
  auto run = test::typical_run();
  const std::vector<Rule> rules = {rule("npt idle", "max_ns", 50e3)};
  auto& stalls = run.phases.back().control->stalls;
  stalls.assign(3, stalls[0]);
  ASSERT_EQ(kind_of(run, rules), Kind::pass);
  stalls[1].found = false;  // found, too long: the machine itself stalled over it
  EXPECT_EQ(kind_of(run, rules), Kind::pass);
  stalls[2].found = false;  // most of them: the meter is wrong
  EXPECT_EQ(kind_of(run, rules), Kind::invalid);
  stalls[2].found = true;
  stalls[1].found_ns = 0;  // one left no trace: the meter does not see
  EXPECT_EQ(kind_of(run, rules), Kind::invalid);
}

TEST(Gate, AControlThatWasLeftOutIsSaid) {
  auto run = good_run();
  core::Phase control;
  control.name = "control (npt)";
  control.kind = "control";
  control.status = core::PhaseStatus::skipped;
  control.reason = "left out by --skip";
  control.control = core::ControlResult{.meter = "npt", .stated_error_ns = 0, .stalls = {}};
  run.phases.push_back(control);
  control.name = "control (hwlat)";  // which measured nothing in this run
  control.control->meter = "hwlat";
  run.phases.push_back(control);
  const auto verdict = judge(run, usual_rules());
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_THAT(verdict.reasons,
              ::testing::ElementsAre("not controlled: control (npt): left out by --skip", "3 rules met"));
  EXPECT_EQ(judge(run, {}).kind, Kind::not_gated);
}

}  // namespace
}  // namespace maxlat::reports
