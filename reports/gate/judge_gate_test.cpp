// SPDX-License-Identifier: MIT
//
// What a gate file adds to plain limits: soft ones and waivers. Its baseline: judge_baseline_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/reports/gate.hpp>

#include "../test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using Kind = core::Verdict::Kind;
using Outcome = core::RuleResult::Outcome;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToday = "2026-11-25";

Rule max_limit(double limit_ns) {
  return {.phase = "npt", .metric = "max_ns", .limit = limit_ns};
}
Rule soft_limit(double limit_ns, std::optional<double> cpus_over = {}) {
  return {.phase = "npt", .metric = "max_ns", .limit = limit_ns, .soft = true, .cpus_over = cpus_over};
}

// Twenty CPUs whose maximum is 20 us, `bad` of them with one of 60 us.
core::RunResult twenty_cpus(unsigned bad) {
  auto run = test::single_phase_run();
  std::vector<core::CpuResult> cpus;
  for (unsigned cpu = 0; cpu < 20; ++cpu)
    cpus.push_back(
        test::cpu_from_bins(cpu, {{10e3, 11e3, 999}, {cpu < bad ? 60e3 : 20e3, cpu < bad ? 61e3 : 21e3, 1}}, 1));
  run.phases[0] = test::phase_of("npt", "npt", 10, std::move(cpus));
  return run;
}

core::Verdict judged(const core::RunResult& run, Gate gate) {
  return judge(run, gate, kToday);
}
core::Verdict judged(const core::RunResult& run, std::vector<Rule> rules) {
  return judged(run, Gate{.name = "g", .rules = std::move(rules)});
}

TEST(SoftLimit, OneBadCpuIsAWarningManyAreAFailure) {
  const auto outcome = [](unsigned bad) { return judged(twenty_cpus(bad), {soft_limit(50e3, 0.05)}).rules.at(0); };
  EXPECT_EQ(outcome(0).outcome, Outcome::pass);
  EXPECT_EQ(outcome(1).outcome, Outcome::warning) << "5 % of them";
  EXPECT_EQ(outcome(1).note, "1 of 20 CPUs are over the soft limit");
  EXPECT_EQ(outcome(2).outcome, Outcome::fail);
  EXPECT_EQ(outcome(2).rule, "npt: max_ns (soft)");
}

// Firmware that stops the box is one cause, however many CPUs it has.
TEST(SoftLimit, SaysThatAllCpusWereStoppedAtOnce) {
  auto run = twenty_cpus(20);
  const auto note = [&] { return judged(run, {soft_limit(50e3, 0.05)}).rules.at(0).note; };
  EXPECT_EQ(note(), "20 of 20 CPUs are over the soft limit");
  for (core::CpuResult& cpu : run.phases[0].per_cpu) cpu.outliers = {{5e9, 60e3, cpu.cpu, ""}};
  EXPECT_EQ(note(), "20 of 20 CPUs are over the soft limit; all of them were stopped at once, which may be one event");
  EXPECT_EQ(judged(run, {soft_limit(50e3, 0.05)}).rules.at(0).outcome, Outcome::fail) << "all the same";
  const Rule exposure{.phase = "npt", .metric = "exposure_s", .limit = 1e6, .soft = true};
  EXPECT_EQ(judged(run, {exposure}).rules.at(0).note, "misses the soft limit") << "it is too little, of no CPU";
}

TEST(SoftLimit, WithoutAShareIsNeverMoreThanAWarning) {
  const auto verdict = judged(twenty_cpus(20), {soft_limit(50e3)});
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_EQ(exit_status(verdict), core::Exit::pass);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("warning: npt: max_ns (soft) is 61000 ns")));
}

TEST(SoftLimit, TheHardLimitHoldsAllTheSame) {
  EXPECT_EQ(judged(twenty_cpus(1), {soft_limit(50e3, 0.05), max_limit(60e3)}).kind, Kind::fail);
  EXPECT_EQ(judged(twenty_cpus(1), {soft_limit(50e3, 0.05), max_limit(61e3)}).kind, Kind::pass);
}

TEST(SoftLimit, WhatIsNotMeasuredIsNoWarning) {
  auto run = twenty_cpus(0);
  run.phases[0].per_cpu[3] = test::cpu_without_samples(3);
  EXPECT_EQ(judged(run, {soft_limit(50e3, 0.05)}).kind, Kind::invalid);
}

Gate with_waiver(const std::string& until, const std::string& phase = "npt") {
  return {.name = "g",
          .rules = {max_limit(50e3)},
          .waivers = {{.phase = phase, .metric = "max_ns", .reason = "ticket 4711", .until = until}}};
}

TEST(Waiver, AWaivedFailurePassesAndIsSaid) {
  for (const char* until : {"2026-12-31", kToday}) {
    const auto verdict = judged(twenty_cpus(1), with_waiver(until));
    EXPECT_EQ(exit_status(verdict), core::Exit::pass) << until;
    EXPECT_EQ(verdict.rules.at(0).outcome, Outcome::waived);
    EXPECT_EQ(verdict.rules.at(0).note, fmt::format("waived until {}: ticket 4711", until));
    EXPECT_THAT(verdict.reasons, Contains(HasSubstr("npt: max_ns is 61000 ns (61.0 us, CPU 0), limit <= 50000 ns")));
  }
}

TEST(Waiver, OneThatHasEndedCountsNoMoreAndIsNamed) {
  const auto verdict = judged(twenty_cpus(1), with_waiver("2026-11-24"));
  EXPECT_EQ(exit_status(verdict), core::Exit::limit_exceeded);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("a waiver ended on 2026-11-24 and counts no more: max_ns of npt")));
}

TEST(Waiver, OneThatIsNotNeededIsNamed) {
  const auto verdict = judged(twenty_cpus(0), with_waiver("2026-12-31"));
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("a waiver is not needed: max_ns of npt: ticket 4711")));
}

// A defect: a typing error was told as "not needed", and in may_be_invalid not at all.
TEST(Waiver, APhaseThatTheRunDoesNotHaveIsNamed) {
  Gate gate = with_waiver("2026-12-31", "nptt");
  gate.may_be_invalid = {"hwlt", "npt"};
  const auto verdict = judged(twenty_cpus(0), gate);
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("a waiver is of 'nptt', no such phase in the run; it has npt")));
  EXPECT_THAT(verdict.reasons,
              Contains(HasSubstr("may_be_invalid names 'hwlt', no such phase in the run; it has npt")));
  EXPECT_THAT(verdict.reasons, Not(Contains(HasSubstr("not needed"))));
  EXPECT_THAT(verdict.reasons, Not(Contains(HasSubstr("names 'npt'"))));
}

TEST(Waiver, IsOfItsPhaseAndMetricAlone) {
  EXPECT_EQ(judged(twenty_cpus(1), with_waiver("2026-12-31", "npt under load")).kind, Kind::fail);
  EXPECT_EQ(judged(twenty_cpus(1), with_waiver("2026-12-31", "*")).kind, Kind::pass);
  Gate gate = with_waiver("2026-12-31");
  gate.rules.push_back({.phase = "npt", .metric = "mean_ns", .limit = 1});
  EXPECT_EQ(judged(twenty_cpus(1), gate).kind, Kind::fail);
}

TEST(Waiver, WhatWasNotMeasuredCannotBeWaived) {
  auto run = twenty_cpus(1);
  run.phases[0].status = core::PhaseStatus::invalid;
  EXPECT_EQ(exit_status(judged(run, with_waiver("2026-12-31", "*"))), core::Exit::invalid);
}

// 10^6 samples show p99.99 of CPU 0, ten samples show nothing of CPU 1, though its maximum is smaller.
TEST(Gate, ACpuThatDoesNotShowItsLimitIsNotHiddenByAnother) {
  auto run = test::single_phase_run();
  run.phases[0] = test::phase_of(
      "npt", "npt", 10,
      {test::cpu_from_bins(0, {{200, 210, 1'000'000}}, 10), test::cpu_from_bins(1, {{100, 110, 10}}, 10)});
  Gate gate{.name = "g", .rules = {{.phase = "npt", .metric = "p99.99_ns", .limit = 1000}}};
  const auto verdict = judged(run, gate);
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_THAT(verdict.rules.at(0).observed, HasSubstr("CPU 1: 10 samples are too few to show it, 30000 may"));
}

// A defect: "not valid: npt, not shown: 0 (CPU 0; 0 in 10 s)" named neither the rule nor, of its rate, the unit.
TEST(Gate, WhatIsNotShownNamesItsRule) {
  auto run = test::single_phase_run();
  run.phases[0] = test::phase_of("npt", "npt", 10, {test::cpu_from_bins(0, {{200, 210, 1'000'000}}, 10)});
  const auto verdict = judged(run, {{.phase = "npt", .metric = "above_10ms_per_h", .limit = 1}});
  EXPECT_THAT(verdict.reasons, Contains("not valid: npt: above_10ms_per_h, not shown: 0 (CPU 0; 0 in 10 s); CPU 0: the "
                                        "run is too short: it shows no rate below 1080 per hour"));
}

TEST(Gate, AShareOfCpusIsNotAQuestionOfRounding) {
  auto run = test::single_phase_run();
  std::vector<core::CpuResult> cpus;
  for (unsigned cpu = 0; cpu < 100; ++cpu)
    cpus.push_back(test::cpu_from_bins(cpu, {{100, cpu < 29 ? 2000.0 : 200.0, 100}}, 10));
  run.phases[0] = test::phase_of("npt", "npt", 10, std::move(cpus));
  Rule rule{.phase = "npt", .metric = "max_ns", .limit = 1000};
  rule.soft = true;
  rule.cpus_over = 0.29;
  EXPECT_EQ(judged(run, {.name = "g", .rules = {rule}}).kind, Kind::pass) << "29 of 100 are not more than 29 %";
  rule.cpus_over = 0.28;
  EXPECT_EQ(judged(run, {.name = "g", .rules = {rule}}).kind, Kind::fail);
}

// The kernel's tracer tells nothing below its threshold: a quiet run is one bin up to it.
TEST(Gate, AMeterThatFoundNothingHasNotMeasuredWhatIsBelowItsThreshold) {
  auto run = test::single_phase_run();
  run.phases[0] = test::phase_of("hwlat", "hwlat", 10, {test::cpu_from_bins(0, {{0, 10'000, 10}}, 10)});
  for (const char* metric : {"max_ns", "hardware_max_ns"}) {
    const auto gate = [&](double limit) {
      return Gate{.name = "g", .rules = {{.phase = "hwlat", .metric = metric, .limit = limit}}};
    };
    EXPECT_EQ(judged(run, gate(5000)).kind, Kind::invalid) << metric;
    EXPECT_EQ(judged(run, gate(10'000)).kind, Kind::pass) << metric;
  }
}

// sysjitter's file has only what was longer than a threshold: four of four above 1 us are no rate above 1 us.
TEST(Gate, AMeterThatTellsOnlyLongSamplesMeasuresNoQuantileAndNoRateBelow) {
  auto run = test::single_phase_run();
  run.phases[0] = test::phase_of("sysjitter", "npt", 3600, {test::cpu_from_bins(0, {{70'000, 71'000, 4}}, 3600)});
  run.phases[0].facts[core::fact::kOnlyAbove] = "60000ns";
  const auto kind = [&](const char* metric, double limit) {
    return judged(run, {.name = "g", .rules = {{.phase = "sysjitter", .metric = metric, .limit = limit}}}).kind;
  };
  EXPECT_EQ(kind("above_1us_per_h", 100), Kind::invalid);
  EXPECT_EQ(kind("above_60us_per_h", 100), Kind::pass);
  EXPECT_EQ(kind("above_60us_per_h", 3), Kind::fail);
  EXPECT_EQ(kind("p50_ns", 1e6), Kind::invalid);
  EXPECT_EQ(kind("mean_ns", 1e6), Kind::invalid);
  EXPECT_EQ(kind("above_60us_ppm", 1e6), Kind::invalid);
  EXPECT_EQ(kind("max_ns", 1e6), Kind::pass);
  run.phases[0].facts[core::fact::kNotKept] = "426";
  EXPECT_EQ(kind("above_60us_per_h", 100), Kind::invalid) << "no count of them is whole";
  EXPECT_EQ(kind("max_ns", 1e6), Kind::pass) << "the largest are kept";
}

// A defect: `maxlat npt -b 50us` that had ended with 2, and after a second, passed a gate that asked for an exposure.
TEST(Gate, ARunThatWasToEndAtALimitOfItsOwnSaysNothingOfTheBoxBelowIt) {
  auto run = test::single_phase_run();
  core::Phase& phase = run.phases[0];
  const auto judged_by = [&](const char* metric, double limit) {
    return judged(run, {{.phase = phase.name, .metric = metric, .limit = limit}});
  };
  const auto kind = [&](const char* metric, double limit = 1e6) { return judged_by(metric, limit).kind; };
  ASSERT_EQ(kind("p50_ns"), Kind::pass);
  phase.facts[core::fact::kLimit] = "50.0 us";
  for (const char* metric : {"p50_ns", "mean_ns", "above_10us_per_h", "above_10us_ppm"}) {
    EXPECT_EQ(kind(metric), Kind::invalid) << metric;
    EXPECT_EQ(judged_by(metric, 1e6).rules.at(0).observed,
              "not measured: it was to end at the first sample above 50.0 us");
  }
  EXPECT_EQ(kind("max_ns"), Kind::pass) << "no sample was above";
  phase.facts[core::fact::kBreak] = "a gap of 61.0 us on CPU 1, 1.000000 s after the start";
  const auto verdict = judged_by("exposure_s", 1);
  EXPECT_EQ(exit_status(verdict), core::Exit::limit_exceeded);
  EXPECT_THAT(verdict.reasons, Contains("limit exceeded: " + phase.name +
                                        ": limit of its own is a gap of 61.0 us on CPU 1, 1.000000 s after the start, "
                                        "limit <= 50.0 us"));
  EXPECT_EQ(judged(run, Gate{.name = "g", .rules = {}}).kind, Kind::fail) << "nobody has to ask for it";
  phase.status = core::PhaseStatus::invalid;
  EXPECT_EQ(kind("exposure_s", 1), Kind::invalid) << "what starved tells of its scheduling";
  const auto nobody_asked = judged(run, Gate{.name = "g", .rules = {}});
  EXPECT_THAT(nobody_asked.rules.at(0).observed, HasSubstr("not measured: ")) << "a limit that is told stays a rule";
}

// A defect: `maxlat hwlat --stop 50us` that had ended after a second passed a limit above what it had ended at.
TEST(Gate, AMaximumOfWhatALargeSampleEndedDoesNotShowALimit) {
  auto run = test::single_phase_run();
  core::Phase& phase = run.phases[0];
  phase.facts[core::fact::kLimit] = "50.0 us";
  phase.facts[core::fact::kEndedBy] = "a gap of 61.0 us, above --stop";
  const auto judged_by = [&](const char* metric, double limit) {
    return judged(run, {{.phase = phase.name, .metric = metric, .limit = limit}});
  };
  const auto verdict = judged_by("max_ns", 1e9);
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_THAT(verdict.rules.at(0).observed, HasSubstr("it was ended by a gap of 61.0 us, above --stop"));
  EXPECT_EQ(judged_by("max_ns", 1).kind, Kind::fail) << "what is above the limit is above it";
  EXPECT_EQ(judged_by("exposure_s", 1e-9).kind, Kind::pass) << "so long it did watch";
}

// A defect: what `maxlat hwlat --hardlimit` had judged fail passed any limit that it was held against later.
TEST(Gate, AnEarlierVerdictThatCannotBeReachedAgainStands) {
  auto run = test::single_phase_run();
  run.tool = "maxlat 0.1.0";
  run.verdict.kind = Kind::fail;
  run.verdict.reasons = {"a gap of 61.0 us is above --hardlimit 50.0 us"};
  const Gate gate{.name = "g", .rules = {max_limit(1e6)}, .waivers = with_waiver("2026-12-31", "*").waivers};
  for (const char* time : {"once", "twice"}) {
    run.verdict = judged(run, gate);
    EXPECT_EQ(run.verdict.kind, Kind::fail) << time;
    ASSERT_EQ(run.verdict.rules.size(), 2U) << time;
    EXPECT_EQ(run.verdict.rules[1].observed, "fail, by maxlat 0.1.0: a gap of 61.0 us is above --hardlimit 50.0 us");
    run.gate_text = "what it was judged by is kept from now on";
  }
  run.verdict = {};
  run.verdict.kind = Kind::fail;
  EXPECT_EQ(judged(run, gate).kind, Kind::pass) << "its gate can judge again";
}

// A defect: cyclictest died, and a gate on npt passed without a word of it.
TEST(Gate, APhaseThatIsNotValidAndThatNoRuleIsAboutIsNoPass) {
  auto run = test::typical_run();
  auto& dead = *std::find_if(run.phases.begin(), run.phases.end(),
                             [](const core::Phase& phase) { return phase.kind == "cyclictest"; });
  Gate gate{.name = "g", .rules = {{.phase = "npt", .metric = "max_ns", .limit = 1e9}}};
  ASSERT_EQ(judged(run, gate).kind, Kind::pass);
  dead.status = core::PhaseStatus::failed;
  dead.reason = "killed by signal 9";
  const auto verdict = judged(run, gate);
  EXPECT_EQ(exit_status(verdict), core::Exit::invalid);
  EXPECT_EQ(verdict.rules.back().rule, dead.name + ": is valid") << "a row, so that every format has it";
  EXPECT_THAT(verdict.reasons, Contains("not valid: " + dead.name + ", not measured: failed: killed by signal 9"));
  for (const std::string& name : {dead.name, dead.kind}) {
    gate.may_be_invalid = {name};
    const auto let = judged(run, gate);
    EXPECT_EQ(let.kind, Kind::pass) << name;
    EXPECT_THAT(let.reasons, Contains(HasSubstr("warning: " + dead.name +
                                                ": is valid is not measured: failed: killed by "
                                                "signal 9, limit valid: the gate lets it be invalid")));
  }
  gate.may_be_invalid = {};
  dead.status = core::PhaseStatus::skipped;
  EXPECT_EQ(judged(run, gate).kind, Kind::pass) << "what cannot run here says nothing of the box";
}

TEST(Gate, ALimitOfAllPhasesDoesWithoutThoseThatMayBeInvalid) {
  auto run = test::typical_run();
  auto& dead = *std::find_if(run.phases.begin(), run.phases.end(),
                             [](const core::Phase& phase) { return phase.kind == "cyclictest"; });
  dead.reason = "hackbench is not installed";
  Gate gate{.name = "g", .rules = {{.phase = "*", .metric = "max_ns", .limit = 1e9}}};
  for (const auto status : {core::PhaseStatus::failed, core::PhaseStatus::skipped}) {
    dead.status = status;
    gate.may_be_invalid = {};
    EXPECT_EQ(judged(run, gate).kind, Kind::invalid);
    gate.may_be_invalid = {dead.kind};
    const auto let = judged(run, gate);
    EXPECT_EQ(let.kind, Kind::pass);
    EXPECT_THAT(let.reasons, Contains(AllOf(HasSubstr("warning: " + dead.name + ": max_ns is not measured"),
                                            HasSubstr("the gate lets it be invalid"))));
    gate.rules[0].phase = dead.name;
    EXPECT_EQ(judged(run, gate).kind, Kind::invalid) << "a limit of its own";
    gate.rules[0].phase = "*";
  }
  run.phases = {core::Phase(dead)};
  EXPECT_EQ(judged(run, gate).rules.at(0).outcome, Outcome::invalid) << "a limit that nothing has to keep";
}

TEST(Gate, ATracersArmThatIsNotValidIsAWarning) {
  auto run = test::typical_run();
  auto& arm = *std::find_if(run.phases.begin(), run.phases.end(),
                            [](const core::Phase& phase) { return phase.kind == "tracer"; });
  arm.status = core::PhaseStatus::invalid;
  arm.reason = "its books do not balance";
  const auto verdict = judged(run, {{.phase = "*", .metric = "max_ns", .limit = 1e9}});
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_EQ(verdict.rules.back().outcome, Outcome::warning);
  EXPECT_EQ(verdict.rules.back().note, "no rule is about this tracer");
}

TEST(Waiver, CountsUpToItsCeiling) {
  Gate gate = with_waiver("2026-12-31");
  gate.waivers[0].up_to = 61e3;
  EXPECT_EQ(judged(twenty_cpus(1), gate).kind, Kind::pass) << "the same passes, as with any limit";
  gate.waivers[0].up_to = 60e3;
  const auto verdict = judged(twenty_cpus(1), gate);
  EXPECT_EQ(exit_status(verdict), core::Exit::limit_exceeded);
  EXPECT_THAT(verdict.reasons, Contains("a waiver counts up to 60000 ns (60.0 us) only: npt: max_ns is 61000 ns (61.0 "
                                        "us, CPU 0): max_ns of npt: ticket 4711"));
}

}  // namespace
}  // namespace maxlat::reports
