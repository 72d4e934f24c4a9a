// SPDX-License-Identifier: MIT
//
// Each metric of the table that has a way of its own to be missing, or to mislead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <random>
#include <set>

#include "../test/test_runs.hpp"
#include "exceedances.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;
using Seen = core::SettingObservation::Verdict;
using ::testing::HasSubstr;

core::RuleResult judged(const core::RunResult& run, const std::string& phase, const std::string& metric, double limit) {
  const auto rule = make_rule(phase, metric, limit);
  EXPECT_TRUE(rule) << metric;
  return rule ? judge(run, {*rule}).rules.at(0) : core::RuleResult{};
}

// 1000 samples in 1000 s: 990 of 10 us, 9 of 50 to 51 us and one of 80 us.
core::RunResult run_with_a_tail() {
  auto run = test::single_phase_run();
  std::vector<core::Bin> bins = {{10e3, 11e3, 990}, {50e3, 51e3, 9}, {80e3, 81e3, 1}};
  run.phases[0] = test::phase_of("npt", "npt", 1000, {test::cpu_from_bins(3, std::move(bins), 1000)});
  return run;
}

TEST(Metrics, NamesAreUniqueAndHaveHelp) {
  std::set<std::string_view> names;
  for (const MetricDefinition* metric : metric_table()) {
    EXPECT_TRUE(names.insert(metric->name).second) << metric->name;
    EXPECT_FALSE(metric->help.empty()) << metric->name;
    EXPECT_EQ((metric->of_cpu != nullptr) + (metric->of_phase != nullptr) + (metric->of_run != nullptr), 1)
        << metric->name;
  }
}

TEST(MetricRate, CountsWhatLiesAbove) {
  const auto run = run_with_a_tail();
  EXPECT_EQ(judged(run, "npt", "above_51us_per_h", 3.6).outcome, Outcome::invalid)
      << "one in 1000 s, too short to tell";
  EXPECT_EQ(judged(run, "npt", "above_51us_per_h", 3.5).outcome, Outcome::fail);
  EXPECT_EQ(judged(run, "npt", "above_51us_per_h", 17).outcome, Outcome::invalid) << "it may be 4.74 in 1000 s";
  EXPECT_EQ(judged(run, "npt", "above_51us_per_h", 17.1).outcome, Outcome::pass);
  EXPECT_EQ(judged(run, "npt", "above_51us_ppm", 4700).outcome, Outcome::invalid);
  EXPECT_EQ(judged(run, "npt", "above_51us_ppm", 4750).outcome, Outcome::pass);
  EXPECT_EQ(judged(run, "npt", "above_51us_ppm", 999).outcome, Outcome::fail);
  // A sample of [50, 51) may be above 50 us, and none above 49.
  EXPECT_THAT(judged(run, "npt", "above_50us_ppm", 1e6).observed, HasSubstr("10000 (CPU 3; 10 of 1000 samples"));
  EXPECT_THAT(judged(run, "npt", "above_49us_ppm", 1e6).observed, HasSubstr("10 of 1000 samples"));
  EXPECT_THAT(judged(run, "npt", "above_81us_ppm", 1e6).observed, HasSubstr("0 of 1000 samples"));
}

TEST(MetricRate, CountsWhatIsBeyondTheHistogram) {
  auto run = run_with_a_tail();
  core::CpuResult& cpu = run.phases[0].per_cpu[0];
  cpu.overflow_count = 5;
  cpu.samples += 5;
  cpu.max_ns = 1e9;
  EXPECT_THAT(judged(run, "npt", "above_100us_ppm", 1e6).observed, HasSubstr("5 of 1005 samples"));
}

TEST(MetricRate, NothingAboveInAShortRunIsNotShown) {
  const auto run = run_with_a_tail();
  const auto none = judged(run, "npt", "above_1ms_per_h", 1);
  EXPECT_EQ(none.outcome, Outcome::invalid);
  EXPECT_THAT(none.observed, HasSubstr("too short: it shows no rate below 10.8"));
  EXPECT_THAT(judged(run, "npt", "above_1ms_ppm", 0).observed, testing::ContainsRegex("it shows no rate below .* ppm"));
  EXPECT_EQ(judged(run, "npt", "above_1ms_per_h", 0).outcome, Outcome::invalid) << "no run shows that it never happens";
}

// A defect: as many as the limit allows were a pass, while plan-length said of the same run that it is not shown.
TEST(MetricRate, AsManyAsTheLimitAllowsDoNotShowIt) {
  auto run = test::single_phase_run();
  run.phases[0] =
      test::phase_of("npt", "npt", 3600, {test::cpu_from_bins(3, {{10e3, 11e3, 9997}, {80e3, 81e3, 3}}, 3600)});
  const auto three = judged(run, "npt", "above_50us_per_h", 3);
  EXPECT_EQ(three.outcome, Outcome::invalid);
  EXPECT_THAT(three.observed, HasSubstr("not shown: 3 (CPU 3; 3 in 3600 s); CPU 3: the run is too short: it shows no "
                                        "rate below 7.754 per hour"));
  EXPECT_EQ(judged(run, "npt", "above_50us_per_h", 7.76).outcome, Outcome::pass);
  EXPECT_EQ(judged(run, "npt", "above_50us_per_h", 2.9).outcome, Outcome::fail);
}

// The same from the other end: 9 of 10^4 samples above are a p99.9 below, and of the box a share of up to 0.157 %.
TEST(MetricQuantile, ThatWouldBeBeyondTheLimitWithALittleMoreIsNotShown) {
  auto run = test::single_phase_run();
  run.phases[0] = test::phase_of("npt", "npt", 10, {test::cpu_from_bins(3, {{10, 11, 9991}, {80, 81, 9}}, 10)});
  const auto nine = judged(run, "npt", "p99.9_ns", 50);
  EXPECT_EQ(nine.outcome, Outcome::invalid);
  EXPECT_THAT(nine.observed, HasSubstr("9 of 10000 samples are above the limit, which shows no share below 0.157"));
  EXPECT_EQ(judged(run, "npt", "p99.9_ns", 100).outcome, Outcome::pass) << "none is above";
  EXPECT_EQ(judged(run, "npt", "p99_ns", 50).outcome, Outcome::pass);
}

// An hour in steps of a second, with a hundred samples above 50 us: one in each of a hundred steps, or in two bursts.
core::RunResult hour_with_a_hundred_above(bool in_bursts) {
  auto run = test::single_phase_run();
  auto cpu = test::cpu_from_bins(3, {{10e3, 11e3, 3'599'900}, {80e3, 81e3, 100}}, 3600);
  cpu.timeline = {.step_s = 1, .kind = core::Timeline::Kind::max, .max_ns = std::vector<double>(3600, 11e3)};
  std::mt19937 random(7);
  for (int i = 0; i < (in_bursts ? 2 : 100); ++i) cpu.timeline.max_ns[random() % 3600] = 81e3;
  run.phases[0] = test::phase_of("npt", "npt", 3600, {std::move(cpu)});
  return run;
}

// A defect: a hundred samples of two disturbances were taken for a hundred, which show a rate below 118 an hour. Two
// may as well have been six.
TEST(MetricRate, SamplesOfOneDisturbanceShowNoMoreThanOne) {
  const auto singly = hour_with_a_hundred_above(false), bursts = hour_with_a_hundred_above(true);
  for (const char* metric : {"above_50us_per_h", "above_50us_ppm"}) {
    const double unit = std::string_view(metric).ends_with("_h") ? 1 : 1 / 3.6;  // 3.6 million samples an hour
    EXPECT_EQ(judged(singly, "npt", metric, 150 * unit).outcome, Outcome::pass) << metric;
    const auto in_bursts = judged(bursts, "npt", metric, 150 * unit);
    EXPECT_EQ(in_bursts.outcome, Outcome::invalid) << metric;
    EXPECT_THAT(in_bursts.observed, HasSubstr(", 99 of which tell as much as one"));
    EXPECT_EQ(judged(bursts, "npt", metric, 99 * 6.3 * unit).outcome, Outcome::pass) << metric;
    EXPECT_EQ(judged(bursts, "npt", metric, 99 * unit).outcome, Outcome::fail) << "as observed, all the same";
  }
  EXPECT_EQ(judged(singly, "npt", "p99.99_ns", 50e3).outcome, Outcome::pass);
  EXPECT_EQ(judged(bursts, "npt", "p99.99_ns", 50e3).outcome, Outcome::invalid) << "a hundred of 360 that it allows";
}

// An hour of disturbances that begin at any time. Each holds `size` samples above 50 us on average, geometric.
core::CpuResult disturbed_hour(std::mt19937_64& random, double disturbances, double size) {
  core::CpuResult cpu;
  cpu.timeline = {.step_s = 1, .kind = core::Timeline::Kind::max, .max_ns = std::vector<double>(3600, 10.5e3)};
  uint64_t above = 0;
  for (uint64_t i = std::poisson_distribution<uint64_t>(disturbances)(random); i > 0; --i) {
    above += 1 + std::geometric_distribution<uint64_t>(1 / size)(random);
    cpu.timeline.max_ns[random() % 3600] = 80.5e3;
  }
  cpu.bins = {{10e3, 11e3, 3'600'000 - above}};
  if (above > 0) cpu.bins.push_back({80e3, 81e3, above});
  cpu.exposure_s = 3600;
  core::fill_statistics_from_bins(cpu);
  return cpu;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kHours = 40;
#else
constexpr int kHours = 400;
#endif

// What docs/gate.md promises of a rate and a share: in 95 of 100 runs the bound is above what the box has. It is not,
// where samples that come together are taken as independent.
TEST(Exceedances, AtMostCoversWhatItPromisesWhereSamplesComeTogether) {
  std::mt19937_64 random(2026);
  const double least = 0.95 * kHours - 3 * std::sqrt(0.95 * 0.05 * kHours);  // three standard deviations
  for (const double disturbances : {5.0, 20.0, 100.0}) {
    for (const double size : {1.0, 4.0, 30.0}) {
      int rates = 0, shares = 0, as_independent = 0;
      for (int hour = 0; hour < kHours; ++hour) {
        const Exceedances above = exceedances_of(disturbed_hour(random, disturbances, size), 50e3);
        const double truth = disturbances * size;
        rates += truth < above.at_most();
        shares += truth / 3.6e6 < above.share_at_most();
        as_independent += truth < Exceedances{.samples = above.samples, .of = above.of}.at_most();
      }
      std::printf("%3.0f disturbances an hour of %2.0f samples: of 100 bounds hold %5.1f, as independent %5.1f\n",
                  disturbances, size, 100.0 * rates / kHours, 100.0 * as_independent / kHours);
      EXPECT_GE(rates, least) << disturbances << " of " << size;
      EXPECT_GE(shares, least) << disturbances << " of " << size;
      if (size > 20) {
        EXPECT_LT(as_independent, least) << disturbances << " of " << size;
      }
    }
  }
}

TEST(MetricRate, AMeterThatToldNoTimeHasNoRate) {
  auto run = run_with_a_tail();
  run.phases[0].per_cpu[0].exposure_s = 0;
  EXPECT_THAT(judged(run, "npt", "above_1ms_per_h", 100).observed, HasSubstr("not measured: "));
}

TEST(MetricHardware, AnUpperBoundNeverPassesNorFails) {
  auto run = test::typical_run();
  const auto bound = judged(run, "*", "hardware_max_ns", 1e9);
  EXPECT_EQ(bound.outcome, Outcome::invalid);
  EXPECT_THAT(bound.observed, HasSubstr("not of the hardware alone: upper bound: interrupts and scheduling"));
  EXPECT_EQ(judged(run, "*", "hardware_max_ns", 1).outcome, Outcome::invalid);
  run.phases[1].facts.erase(core::fact::kBound);
  EXPECT_EQ(judged(run, "*", "hardware_max_ns", 31e3).outcome, Outcome::pass);
  EXPECT_THAT(judged(run, "*", "hardware_max_ns", 30e3).observed, HasSubstr("31000 ns (31.0 us; CPU 0)"));
}

TEST(MetricHardware, IsOfHwlatAlone) {
  EXPECT_EQ(judged(test::single_phase_run(), "*", "hardware_max_ns", 1e9).outcome, Outcome::invalid);
  EXPECT_THAT(judged(test::single_phase_run(), "npt", "hardware_max_ns", 1e9).observed,
              HasSubstr("a npt phase is not of the hardware"));
}

TEST(MetricPreflight, BadFailsAndUnknownIsInvalid) {
  auto run = test::typical_run();
  const auto bad = judged(run, "*", "preflight_ok", 1);
  EXPECT_EQ(bad.outcome, Outcome::fail);
  EXPECT_THAT(bad.observed, HasSubstr("preemption (PREEMPT_VOLUNTARY), virtualisation (kvm)"));
  for (auto& row : run.preflight)
    if (row.verdict == Seen::bad) row.verdict = Seen::ok;
  const auto unknown = judged(run, "*", "preflight_ok", 1);
  EXPECT_EQ(unknown.outcome, Outcome::invalid);
  EXPECT_THAT(unknown.observed, HasSubstr("unknown: nmi_watchdog"));
  for (auto& row : run.preflight)
    if (row.verdict == Seen::unknown) row.verdict = Seen::ok;
  EXPECT_EQ(judged(run, "*", "preflight_ok", 1).outcome, Outcome::pass);
  run.preflight.clear();
  EXPECT_EQ(judged(run, "*", "preflight_ok", 1).outcome, Outcome::invalid);
}

TEST(MetricPreflight, OneSetting) {
  auto run = test::typical_run();
  run.preflight = {{Seen::bad, "governor", "cpu", "powersave", "performance", "", ""}};
  EXPECT_EQ(judged(run, "*", "setting governor", 1).outcome, Outcome::fail);
  EXPECT_THAT(judged(run, "*", "setting governor", 1).observed, HasSubstr("powersave, expected performance"));
  run.preflight[0].verdict = Seen::unknown;
  EXPECT_EQ(judged(run, "*", "setting governor", 1).outcome, Outcome::invalid);
  run.preflight[0].verdict = Seen::ok;
  EXPECT_EQ(judged(run, "*", "setting governor", 1).outcome, Outcome::pass);
  run.preflight[0].name = "other";
  EXPECT_EQ(judged(run, "*", "setting governor", 1).outcome, Outcome::invalid);
}

// The mean of maxlat:timer differs from that of the base by 12 ns, 11 to 13 at 95 %.
TEST(MetricAdded, TheWholeIntervalDecides) {
  const auto run = test::tracer_run();
  const auto added = [&](double limit) { return judged(run, "tracers: maxlat:timer", "added_mean_ns", limit); };
  EXPECT_EQ(added(13).outcome, Outcome::pass);
  EXPECT_EQ(added(12).outcome, Outcome::invalid) << "it may be 13";
  EXPECT_EQ(added(11).outcome, Outcome::invalid) << "it may be 11";
  EXPECT_EQ(added(10.9).outcome, Outcome::fail);
  EXPECT_THAT(added(13).observed, HasSubstr("12 ns (11 ns to 13 ns at 95 %, over none)"));
}

// A defect: the lower end of the interval was compared.
TEST(MetricAdded, AWaiverCountsUpToTheUpperEndOfTheInterval) {
  Gate gate{.name = "g", .rules = {*make_rule("tracers: maxlat:timer", "added_mean_ns", 5)}};
  gate.waivers = {{.phase = "*", .metric = "added_mean_ns", .reason = "known", .until = "2026-12-31", .up_to = 12.5}};
  EXPECT_EQ(judge(test::tracer_run(), gate, "2026-11-26").rules.at(0).outcome, Outcome::fail) << "it may be 13";
  gate.waivers[0].up_to = 13;
  EXPECT_EQ(judge(test::tracer_run(), gate, "2026-11-26").rules.at(0).outcome, Outcome::waived);
}

TEST(MetricAdded, WhatTheComparisonDoesNotHaveIsNotMeasured) {
  auto run = test::tracer_run();
  const auto of = [&](const char* phase, const char* metric) { return judged(run, phase, metric, 1e9).observed; };
  EXPECT_THAT(of("tracers: maxlat:timer", "added_p99.99_ns"), HasSubstr("the comparison has no p99.99"));
  EXPECT_THAT(of("tracers: none", "added_max_ns"), HasSubstr("no arm that is compared"));
  EXPECT_EQ(judge(run, {*make_rule("*", "added_max_ns", 1e9)}).rules.size(), 2u) << "each arm that is compared";
  run.comparisons[0].measures[1].verdict = core::MeasureDifference::Verdict::undecided;
  EXPECT_THAT(of("tracers: maxlat:timer", "added_max_ns"), HasSubstr("not measured: 8 rounds, 8 are needed"));
  EXPECT_EQ(judged(test::single_phase_run(), "*", "added_max_ns", 1e9).outcome, Outcome::invalid);
}

}  // namespace
}  // namespace maxlat::reports
