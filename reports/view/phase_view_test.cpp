// SPDX-License-Identifier: MIT
#include "phase_view.hpp"

#include <gtest/gtest.h>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

TEST(MergeCpus, ConservesCountsAndExtremes) {
  const auto run = test::typical_run();
  for (const auto& phase : run.phases) {
    const auto all = merge_cpus(phase);
    uint64_t samples = 0;
    double max_ns = 0;
    for (const auto& cpu : phase.per_cpu) {
      samples += cpu.samples;
      max_ns = std::max(max_ns, cpu.max_ns);
    }
    EXPECT_EQ(all.samples, samples) << phase.name;
    EXPECT_EQ(test::sum_of(all.bins) + all.overflow_count, samples) << phase.name;
    EXPECT_EQ(all.max_ns, max_ns) << phase.name;
    for (size_t i = 1; i < all.bins.size(); ++i) EXPECT_LE(all.bins[i - 1].low_ns, all.bins[i].low_ns);
  }
}

TEST(UnfitBecause, DoesNotTrustTheStatusAlone) {
  auto phase = test::single_phase_run().phases[0];
  EXPECT_FALSE(unfit_because(phase));
  phase.per_cpu[1].samples = 0;
  EXPECT_TRUE(unfit_because(phase));
  phase.per_cpu.clear();
  EXPECT_TRUE(unfit_because(phase));
  phase.kind = "a kind nobody knows";
  EXPECT_TRUE(unfit_because(phase));
  for (const char* kind : {"preflight", "control", "load", "report"}) {
    phase.kind = kind;
    EXPECT_FALSE(unfit_because(phase)) << kind;
  }
}

TEST(RuleOfThreeTest, KnownAnswer) {
  core::CpuResult cpu;
  cpu.samples = 3'000'000;
  cpu.exposure_s = 60;
  const auto rule = rule_of_three(cpu);
  ASSERT_TRUE(rule);
  EXPECT_DOUBLE_EQ(rule->share, 1e-6);
  EXPECT_DOUBLE_EQ(*rule->every_s, 20);
  cpu.samples = 2;
  EXPECT_FALSE(rule_of_three(cpu));
}

core::Phase cyclictest_with_maxima(double a_ns, double a_s, double b_ns, double b_s) {
  auto a = test::cpu_from_bins(0, {{5000, 6000, 100000}}, 10), b = test::cpu_from_bins(1, {{5000, 6000, 100000}}, 10);
  test::add_stall(a, a_ns, a_s);
  test::add_stall(b, b_ns, b_s);
  return test::phase_of("cyclictest", "cyclictest", 10, {a, b});
}

// The figures of the note: 8.7 and 77 % clean, 428 and 3.6 % spoiled.
TEST(TailHintTest, TellsTheCleanFromTheSpoiledRun) {
  const auto clean = cyclictest_with_maxima(8.7 * 6000, 1, 0.23 * 8.7 * 6000, 2);
  EXPECT_FALSE(tail_hint(PhaseView(clean)));
  const auto spoiled = cyclictest_with_maxima(428 * 6000, 1, 0.964 * 428 * 6000, 5);
  const auto hint = tail_hint(PhaseView(spoiled));
  EXPECT_NEAR(hint.max_to_p99.value(), 428, 0.1);
  EXPECT_NEAR(hint.spread_of_maxima.value(), 0.036, 1e-6);
  EXPECT_TRUE(hint.all_cpus_at_once);
}

TEST(TailHintTest, CoincidenceIsSeenWithoutALongTail) {
  EXPECT_TRUE(tail_hint(PhaseView(cyclictest_with_maxima(50e3, 1.00001, 20e3, 1.0))).all_cpus_at_once);
  EXPECT_FALSE(tail_hint(PhaseView(cyclictest_with_maxima(50e3, 1.1, 20e3, 1.0))).all_cpus_at_once);
}

// What npt keeps of two CPUs of a calm box: the longest ticks, mostly of both CPUs at once.
core::Phase npt_with_ticks(double both_ns, double both_s) {
  auto a = test::cpu_from_bins(0, {{20, 21, 1000}}, 600), b = test::cpu_from_bins(1, {{20, 21, 1000}}, 600);
  for (int i = 0; i < 24; ++i) {
    const double begin_s = 0.0011 + 0.004 * (1 + 20e-6) * (i * i * 1009 % 149'000);
    for (auto* cpu : {&a, &b}) {
      const double ns = 4000 + 100 * ((i * 7 + (cpu == &a ? 3 : 0)) % 24);
      test::add_stall(*cpu, ns, begin_s + ns / 1e9);
    }
  }
  test::add_stall(a, both_ns, both_s + both_ns / 1e9);
  test::add_stall(b, both_ns * 0.9, both_s + both_ns / 1e9);
  return test::phase_of("npt", "npt", 600, {a, b});
}

// A defect: on a calm box the largest gaps of all CPUs are the same tick, and that was called a stop of all of them.
TEST(TailHintTest, ATickIsNoStopOfAllCpus) {
  const double tick_s = 0.0011 + 0.004 * (1 + 20e-6) * 77'777;
  EXPECT_FALSE(tail_hint(PhaseView(npt_with_ticks(9000, tick_s))).all_cpus_at_once);
  EXPECT_TRUE(tail_hint(PhaseView(npt_with_ticks(9000, tick_s + 0.0013))).all_cpus_at_once) << "between two ticks";
  EXPECT_TRUE(tail_hint(PhaseView(npt_with_ticks(90'000, tick_s))).all_cpus_at_once) << "ten times as long";
}

// A defect: one longer gap of one CPU hid a stop of all.
TEST(TailHintTest, AStopOfAllCpusIsSeenBesideALongerGapOfOne) {
  auto phase = npt_with_ticks(90'000, 300.0013);
  ASSERT_TRUE(tail_hint(PhaseView(phase)).all_cpus_at_once);
  test::add_stall(phase.per_cpu[0], 200'000, 411.7);
  test::add_stall(phase.per_cpu[1], 300'000, 17.3);
  EXPECT_TRUE(tail_hint(PhaseView(phase)).all_cpus_at_once);
  auto apart = npt_with_ticks(9000, 0.0011 + 0.004 * (1 + 20e-6) * 77'777);
  test::add_stall(apart.per_cpu[0], 200'000, 411.7);
  test::add_stall(apart.per_cpu[1], 300'000, 17.3);
  EXPECT_FALSE(tail_hint(PhaseView(apart)).all_cpus_at_once);
}

// Five hundred gaps of 1 ms on each of two CPUs in ten minutes: some meet.
TEST(TailHintTest, GapsThatMeetByChanceAreNoStopOfAllCpus) {
  auto a = test::cpu_from_bins(0, {{20, 21, 1000}}, 600), b = test::cpu_from_bins(1, {{20, 21, 1000}}, 600);
  for (int i = 0; i < 500; ++i) {
    test::add_stall(a, 1e6 + i, 0.7 + std::fmod(i * 0.618'034, 1.0) * 599);
    test::add_stall(b, 1e6 + i, 0.7 + std::fmod(i * 0.414'214, 1.0) * 599);
  }
  test::add_stall(a, 1e6 + 250.5, 300), test::add_stall(b, 1e6 + 250.5, 300.0005);
  EXPECT_FALSE(tail_hint(PhaseView(test::phase_of("npt", "npt", 600, {a, b}))).all_cpus_at_once);
}

TEST(TailHintTest, WhatTheKernelAccountsToTheTimerIsNoStopOfAllCpus) {
  auto phase = npt_with_ticks(9000, 300.0013);
  ASSERT_TRUE(tail_hint(PhaseView(phase)).all_cpus_at_once);
  auto& gap = phase.per_cpu[0].outliers.front();
  gap.accounting = {{core::TimeClass::hrtimer, "tick_nohz_handler", 4000},
                    {core::TimeClass::local_timer, "", 3000},
                    {core::TimeClass::softirq, "SCHED", 2000}};
  EXPECT_FALSE(tail_hint(PhaseView(phase)).all_cpus_at_once);
  gap.accounting = {{core::TimeClass::nothing_seen, "", 9000}};
  EXPECT_TRUE(tail_hint(PhaseView(phase)).all_cpus_at_once);
}

// The p99 of a gap loop is its own pace: 4 ms against 12 ns says nothing.
TEST(TailHintTest, RatioIsNotForGapLoops) {
  EXPECT_FALSE(tail_hint(PhaseView(test::single_phase_run().phases[0])).max_to_p99);
}

TEST(TailHintTest, AStallThatComesEveryHalfMinuteIsNamed) {
  auto cpu = test::cpu_from_bins(0, {{20, 21, 1000}}, 600);
  for (int i = 0; i < 20; ++i) test::add_stall(cpu, 9000 + 10 * i, 30.0 * i + 0.2 * (i % 3));
  const auto hint = tail_hint(PhaseView(test::phase_of("npt", "npt", 600, {cpu})));
  ASSERT_TRUE(hint.period_s);
  EXPECT_NEAR(*hint.period_s, 30, 0.3);
  EXPECT_TRUE(hint);

  auto calm = test::cpu_from_bins(0, {{20, 21, 1000}}, 600);
  for (const double at_s : {3.0, 17.0, 22.0, 80.0, 91.0, 140.0, 260.0, 266.0, 301.0, 377.0, 480.0, 566.0})
    test::add_stall(calm, 9000 + at_s, at_s);
  EXPECT_FALSE(tail_hint(PhaseView(test::phase_of("npt", "npt", 600, {calm}))).period_s);
}

// npt's text and JSON said 20.03 ns, the report 20.4 ns: the upper edge of the bin.
TEST(PhaseView, QuantilesAreTheMetersOwn) {
  core::Phase phase =
      test::phase_of("npt", "npt", 1, {test::cpu_from_bins(0, {{20.03, 20.41, 900}, {30, 31, 100}}, 1)});
  auto& first = phase.per_cpu[0];
  first.quantiles_ns = {{"p50", 20.03}, {"p90", 20.03}, {"p99", 30.5}};
  EXPECT_EQ(core::measured_quantile(first, 0.5), 20.03);
  EXPECT_EQ(core::measured_quantile(PhaseView(phase).all, 0.5), 20.03);
  EXPECT_EQ(core::measured_quantile(PhaseView(phase).all, 0.99), 30.5);
  phase.per_cpu.push_back(first);
  phase.per_cpu[1].cpu = 1;
  phase.per_cpu[1].quantiles_ns[0].second = 20.02;
  const auto of_both = core::measured_quantile(PhaseView(phase).all, 0.5);
  EXPECT_GE(*of_both, 20.02);
  EXPECT_LE(*of_both, 20.03);
}

// cyclictest tells its maximum and not when it was; it was missing among the largest samples.
TEST(PhaseView, TheMaximumIsAmongTheLargestSamples) {
  auto run = test::typical_run();
  auto& phase = run.phases[2];
  for (auto& cpu : phase.per_cpu) cpu.outliers.clear();
  const auto samples = largest_samples(phase);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].latency_ns, worst_cpu(phase)->max_ns);
  EXPECT_EQ(samples[0].outlier, nullptr);
  for (const auto& one : run.phases) {
    if (const auto* worst = worst_cpu(one)) {
      EXPECT_EQ(largest_samples(one).at(0).latency_ns, worst->max_ns) << one.name;
    }
  }
}

}  // namespace
}  // namespace maxlat::reports
