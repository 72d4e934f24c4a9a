// SPDX-License-Identifier: MIT
//
// A gate's baseline: what is worse than it, and what does not compare with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/reports/gate.hpp>

#include "../test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using Kind = core::Verdict::Kind;
using ::testing::Contains;
using ::testing::HasSubstr;

core::Verdict judged(const core::RunResult& run, const Gate& gate) {
  return judge(run, gate, "2026-11-25");
}

// A machine with a firmware and a kernel; its largest sample and how long it was watched.
core::RunResult machine_run(double max_ns, double seconds = 10) {
  static int runs = 0;
  auto run = test::single_phase_run();
  run.id = fmt::format("run-{}", ++runs);
  run.machine = {{"firmware", "1", {{"bios_version", "2.3"}}}, {"kernel", "2", {{"release", "6.1"}}}};
  run.phases[0] = test::phase_of("npt", "npt", seconds,
                                 {test::cpu_from_bins(0, {{10e3, 11e3, 9999}, {max_ns - 100, max_ns, 1}}, seconds)});
  return run;
}

Gate against(std::vector<core::RunResult> runs, double ratio = 1.5) {
  Gate gate{.name = "g", .rules = {}, .waivers = {}, .baseline = Baseline{.runs = {}}};
  for (core::RunResult& run : runs)
    gate.baseline->runs.push_back({fmt::format("run{}", gate.baseline->runs.size()), std::move(run)});
  gate.baseline->ratios = {{"max_ns", ratio}};
  return gate;
}

std::string told_of(const core::Verdict& verdict) {
  return verdict.rules.at(0).observed;
}

TEST(Baseline, OfOneRunFailsBeyondTheRatioAndTheStepOfTheHistogram) {
  EXPECT_EQ(judged(machine_run(30e3), against({machine_run(20e3)})).kind, Kind::pass);
  const auto worse = judged(machine_run(31e3), against({machine_run(20e3)}));
  EXPECT_EQ(worse.kind, Kind::fail);
  EXPECT_EQ(worse.rules.at(0).rule, "npt: max_ns (baseline)");
  EXPECT_THAT(worse.rules.at(0).limit, HasSubstr("<= 30000.000 ns (1.5 x 20.0 us, 1 run)"));
  EXPECT_EQ(judged(machine_run(20.1e3), against({machine_run(20e3)}, 1)).kind, Kind::pass) << "one step of the bins";
  EXPECT_EQ(judged(machine_run(20.3e3), against({machine_run(20e3)}, 1)).kind, Kind::fail);
}

// 20, 24 and 40 us: a build with 40 us is no worse than the series was, though it is 1.6 times its median.
TEST(Baseline, OfASeriesKnowsItsNoise) {
  const std::vector<core::RunResult> series = {machine_run(20e3), machine_run(40e3), machine_run(24e3)};
  EXPECT_EQ(judged(machine_run(39e3), against(series, 1.2)).kind, Kind::pass);
  const auto worse = judged(machine_run(41e3), against(series, 1.2));
  EXPECT_EQ(worse.kind, Kind::fail);
  EXPECT_THAT(worse.rules.at(0).limit, HasSubstr("(24.0 us + noise 16.0 us, 3 runs)"));
  const std::vector<core::RunResult> calm = {machine_run(20e3), machine_run(20.1e3), machine_run(20.2e3)};
  EXPECT_EQ(judged(machine_run(24e3), against(calm, 1.2)).kind, Kind::pass) << "beyond the noise, not the ratio";
  EXPECT_EQ(judged(machine_run(25e3), against(calm, 1.2)).kind, Kind::fail);
}

TEST(Baseline, ARunIsNoneOfItselfAndDoesNotRepeatItself) {
  const auto run = machine_run(90e3);
  const auto itself = judged(run, against({machine_run(20e3), run, machine_run(21e3)}));
  EXPECT_EQ(itself.kind, Kind::invalid);
  EXPECT_THAT(told_of(itself), HasSubstr("run1 is the run that is judged"));
  const auto twice = machine_run(20e3);
  EXPECT_THAT(told_of(judged(run, against({twice, twice, twice}))), HasSubstr("run0 and run1 are the same run"));
  auto killed = machine_run(20e3);
  killed.state = core::RunResult::State::running;
  EXPECT_EQ(judged(run, against({killed})).kind, Kind::invalid);
}

TEST(Baseline, OfAnotherMachineIsNeverAPass) {
  auto other = machine_run(20e3);
  other.machine[0].values[0].second = "2.4";
  const auto verdict = judged(machine_run(20e3), against({other}));
  EXPECT_EQ(exit_status(verdict), core::Exit::invalid);
  EXPECT_THAT(told_of(verdict), HasSubstr("firmware: bios_version is 2.3, was 2.4"));
  Gate allowed = against({other});
  allowed.baseline->may_differ = {"firmware"};
  const auto told = judged(machine_run(20e3), allowed);
  EXPECT_EQ(told.kind, Kind::pass);
  EXPECT_THAT(told.reasons, Contains(HasSubstr("differs from run0: firmware: bios_version")));
}

// A defect: of several groups and runs that differ, the first value of the first was told.
TEST(Baseline, EveryGroupThatDiffersIsToldWithItsValuesForAllRuns) {
  const auto with = [](const char* bios, const char* date, const char* model) {
    auto run = machine_run(20e3);
    run.machine[0].values = {{"bios_version", bios}, {"bios_date", date}};
    run.machine.push_back({"cpu", "3", {{"model name", model}}});
    return run;
  };
  auto untold = machine_run(20e3);
  untold.machine.clear();
  const auto verdict =
      judged(with("2.3", "May", "A"),
             against({with("2.4", "June", "A"), with("2.3", "May", "B"), with("2.4", "June", "A"), untold}));
  EXPECT_EQ(told_of(verdict),
            "not comparable with the baseline: run0, run2: another machine or setting: firmware: bios_version is "
            "2.3, was 2.4; bios_date is May, was June; run1: another machine or setting: cpu: model name is A, was B; "
            "run3: its machine is not told");
}

TEST(Baseline, AnotherKernelIsWhatIsAskedAndIsTold) {
  auto other = machine_run(20e3);
  other.machine[1].values[0].second = "6.12";
  const auto verdict = judged(machine_run(20e3), against({other}));
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_THAT(verdict.reasons, Contains("differs from run0: kernel: release is 6.1, was 6.12"));
  const auto series = judged(machine_run(20e3), against({other, other, machine_run(20e3)}));
  EXPECT_THAT(series.reasons, Contains("differs from 2 runs of the baseline: kernel: release is 6.1, was 6.12"));
}

TEST(Baseline, AMachineThatIsNotToldIsNotComparable) {
  auto untold = machine_run(20e3);
  untold.machine.clear();
  EXPECT_EQ(judged(machine_run(20e3), against({untold})).kind, Kind::invalid);
  EXPECT_EQ(judged(untold, against({machine_run(20e3)})).kind, Kind::invalid);
}

TEST(Baseline, WhatWasMeasuredOtherwiseIsNotComparable) {
  const auto against_changed = [](const auto& change) {
    auto other = machine_run(20e3);
    change(other.phases[0]);
    const auto verdict = judged(machine_run(20e3), against({other}));
    EXPECT_EQ(verdict.kind, Kind::invalid);
    return told_of(verdict);
  };
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.name = "other"; }), HasSubstr("no such phase"));
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.per_cpu[0].cpu = 1; }), HasSubstr("CPUs: \"0\""));
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.load = {test::load_of("cpu", "x", 1, 10)}; }),
              HasSubstr("loads: \"no load\", the baseline's \"cpu\""));
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.arm = "maxlat:timer"; }), HasSubstr("arm: "));
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.exposure_s = 21; }),
              HasSubstr("maxima of such times do not compare"));
  EXPECT_THAT(against_changed([](core::Phase& phase) { phase.status = core::PhaseStatus::invalid; }),
              HasSubstr("not measured there"));
}

TEST(Baseline, AMeterThatFoundNoStallIsNoBaseline) {
  auto blind = machine_run(20e3);
  blind.phases.push_back(test::control_phase("control"));
  EXPECT_EQ(judged(machine_run(20e3), against({blind})).kind, Kind::pass);
  for (auto& stall : blind.phases.back().control->stalls) stall.found = false, stall.found_ns = 0;
  const auto verdict = judged(machine_run(20e3), against({blind}));
  EXPECT_EQ(verdict.kind, Kind::invalid);
  EXPECT_THAT(told_of(verdict), HasSubstr("run0: control: npt loop: 0 of 3 planted stalls found, 3 missed"));
}

TEST(Baseline, AnInvalidRunIsNeverAPass) {
  auto run = machine_run(20e3);
  run.phases[0].status = core::PhaseStatus::invalid;
  EXPECT_EQ(judged(run, against({machine_run(20e3)})).kind, Kind::invalid);
  Gate gate = against({machine_run(20e3)});
  gate.baseline->phases = {"cyclictest"};
  EXPECT_EQ(judged(machine_run(20e3), gate).kind, Kind::invalid);
}

// The kernel's tracer, of a CPU without a stall above `threshold_ns`, or with one.
core::RunResult traced_run(double threshold_ns, double stall_ns = 0) {
  auto run = machine_run(20e3);
  std::vector<core::Bin> bins{{0, threshold_ns, 12}};
  if (stall_ns > 0) bins.push_back({stall_ns - 1000, stall_ns, 1});
  run.phases.push_back(test::phase_of("hwlat", "hwlat", 12, {test::cpu_from_bins(0, std::move(bins), 12)}));
  run.phases.back().facts[core::fact::kThreshold] = fmt::format("{} us", threshold_ns / 1e3);
  run.phases.back().facts[core::fact::kBelowThreshold] = "not known";
  return run;
}

// A defect: a healthy box, on which the tracer found nothing, never passed a baseline over all phases.
TEST(Baseline, NothingAboveTheTracersThresholdIsNoWorseThanNothing) {
  const auto quiet = judged(traced_run(10e3), against({traced_run(10e3)}));
  EXPECT_EQ(quiet.kind, Kind::pass);
  ASSERT_EQ(quiet.rules.size(), 2U);
  EXPECT_EQ(quiet.rules[1].rule, "hwlat: max_ns (baseline)");
  EXPECT_EQ(quiet.rules[1].observed, "10000 ns (10.0 us, CPU 0; nothing was found above it)");
  EXPECT_EQ(judged(traced_run(10e3, 90e3), against({traced_run(10e3)})).kind, Kind::fail);
  EXPECT_EQ(judged(traced_run(10e3), against({traced_run(10e3, 90e3)})).kind, Kind::pass);
  const auto finer = judged(traced_run(10e3), against({traced_run(5e3)}));
  EXPECT_EQ(finer.kind, Kind::invalid);
  EXPECT_THAT(finer.rules[1].observed, HasSubstr("threshold: \"10 us\", the baseline's \"5 us\""));
}

TEST(Baseline, IsAboutThePhasesThatItNames) {
  Gate gate = against({traced_run(10e3)});
  gate.baseline->ratios = {{"p99.9_ns", 1.5}};
  EXPECT_EQ(judged(traced_run(10e3), gate).kind, Kind::invalid) << "twelve windows show no p99.9 of the tracer";
  gate.baseline->phases = {"npt"};
  EXPECT_EQ(judged(traced_run(10e3), gate).kind, Kind::pass);
  gate.baseline->ratios = {{"max_ns", 1.5}};
  gate.baseline->phases = {"npt", "hwlat", "npt"};
  EXPECT_EQ(judged(traced_run(10e3), gate).rules.size(), 2U) << "each once";
  gate.baseline->phases = {"npt", "cyclictest"};
  const auto missing = judged(traced_run(10e3), gate);
  EXPECT_EQ(missing.kind, Kind::invalid);
  EXPECT_EQ(missing.rules[1].rule, "cyclictest: max_ns (baseline)");
}

TEST(Baseline, AFailureAgainstItCanBeWaived) {
  Gate gate = against({machine_run(20e3)});
  gate.waivers = {{.phase = "npt", .metric = "max_ns", .reason = "new NIC", .until = "2026-12-31"}};
  EXPECT_EQ(judged(machine_run(90e3), gate).kind, Kind::pass);
  gate.waivers[0].up_to = 80e3;
  EXPECT_EQ(judged(machine_run(70e3), gate).kind, Kind::pass);
  EXPECT_EQ(judged(machine_run(90e3), gate).kind, Kind::fail);
}

TEST(Baseline, ARunThatWasToEndAtALimitIsNone) {
  for (const char* fact : {core::fact::kLimit, core::fact::kBreak}) {
    auto ended = machine_run(20e3);
    ended.phases[0].facts[fact] = "50.0 us";
    const auto verdict = judged(machine_run(20e3), against({ended}));
    EXPECT_EQ(verdict.kind, Kind::invalid) << fact;
    EXPECT_THAT(told_of(verdict), HasSubstr("run0: it was to end at the first sample above ")) << fact;
  }
}

}  // namespace
}  // namespace maxlat::reports
