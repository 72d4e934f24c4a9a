// SPDX-License-Identifier: MIT
//
// Real measurements, short ones, by what must hold on any machine: books, counts, effects on the thread. Those that
// need a privilege skip without it; no test passes or fails by a latency.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/npt/measure.hpp>
#include <numeric>

namespace maxlat::npt {
namespace {

Options without_privileges() {
  Options options;
  options.cpus = {core::allowed_cpus()->front()};
  options.loops = 50'000;
  options.scheduling.policy = core::Policy::other;
  options.lock_memory = false;
  options.allow_interrupts = true;
  return options;
}

uint64_t sum_of_bins(const core::CpuResult& cpu) {
  return std::accumulate(cpu.bins.begin(), cpu.bins.end(), cpu.overflow_count,
                         [](uint64_t sum, const core::Bin& bin) { return sum + bin.count; });
}

core::RunResult as_run(const core::Phase& phase) {
  core::RunResult run;
  run.phases.push_back(phase);
  return run;
}

TEST(Measure, EveryWayToReadTheCounterKeepsTheBooks) {
  for (const CounterRead counter :
       {CounterRead::fenced, CounterRead::plain, CounterRead::ordered, CounterRead::raw_clock}) {
    Options options = without_privileges();
    options.counter = counter;
    const auto m = measure(options);
    ASSERT_TRUE(m.ok()) << m.error().text;
    const core::CpuResult& cpu = m->phase.per_cpu.at(0);
    EXPECT_EQ(cpu.samples, 50'000u);
    EXPECT_EQ(sum_of_bins(cpu), 50'000u);
    EXPECT_NEAR(cpu.exposure_s, cpu.mean_ns * 50'000 / 1e9, 1e-9) << "the gaps are the time watched, whole";
    EXPECT_EQ(m->phase.status, core::PhaseStatus::ok);
    EXPECT_EQ(m->phase.facts.at("counter"), to_string(counter));
    EXPECT_TRUE(core::validate(as_run(m->phase)).ok());
  }
}

TEST(Measure, ResultsAreUnderTheCpusNumbersNotTheirIndices) {
  Options options = without_privileges();
  options.cpus = *core::allowed_cpus();
  if (options.cpus.size() < 2) GTEST_SKIP() << "one CPU only";
  options.cpus = {options.cpus.back()};
  const auto last = measure(options);
  ASSERT_TRUE(last.ok()) << last.error().text;
  EXPECT_EQ(last->phase.per_cpu.at(0).cpu, options.cpus.back());
  EXPECT_NE(last->phase.per_cpu.at(0).cpu, 0u);
  options.cpus = *core::allowed_cpus();
  const auto all = measure(options);
  ASSERT_TRUE(all.ok()) << all.error().text;
  for (size_t i = 0; i < options.cpus.size(); ++i) EXPECT_EQ(all->phase.per_cpu.at(i).cpu, options.cpus[i]);
}

TEST(Measure, TheDurationIsWallTime) {
  Options options = without_privileges();
  options.loops = 0;
  options.duration_ns = 150'000'000;
  const auto m = measure(options);
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_GE(m->phase.duration_s, 0.15);
  // No rest was asked for, so all of it was watched; less what may come between the clock and the first read.
  EXPECT_LE(m->phase.exposure_s, m->phase.duration_s);
  EXPECT_GE(m->phase.exposure_s, 0.9 * m->phase.duration_s);
  EXPECT_EQ(m->phase.per_cpu.at(0).timeline.max_ns.size(), 1u);
  EXPECT_DOUBLE_EQ(m->phase.per_cpu.at(0).timeline.max_ns.at(0), m->phase.per_cpu.at(0).max_ns);
}

TEST(Measure, OutliersAreTheLargestGapsInOrderWithinTheRun) {
  Options options = without_privileges();
  options.outliers = 7;
  const auto m = measure(options);
  ASSERT_TRUE(m.ok()) << m.error().text;
  const auto& outliers = m->phase.per_cpu.at(0).outliers;
  ASSERT_EQ(outliers.size(), 7u);
  EXPECT_TRUE(
      std::is_sorted(outliers.begin(), outliers.end(), [](auto& a, auto& b) { return a.latency_ns > b.latency_ns; }));
  EXPECT_DOUBLE_EQ(outliers.front().latency_ns, m->phase.per_cpu.at(0).max_ns);
  for (const core::Outlier& outlier : outliers) EXPECT_LE(outlier.t_ns, m->phase.duration_s * 1e9 + 1);
}

TEST(Measure, ABreakLimitEndsItAndSaysWhere) {
  Options options = without_privileges();
  options.cpus = *core::allowed_cpus();
  options.loops = 0;
  options.duration_ns = 60'000'000'000;
  options.break_above_ns = 1;  // the very first gap
  const auto m = measure(options);
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_TRUE(m->limit_exceeded);
  EXPECT_LT(m->phase.duration_s, 30);
  EXPECT_THAT(m->phase.facts.at("break"), testing::HasSubstr("on CPU"));
  for (const core::CpuResult& cpu : m->phase.per_cpu) EXPECT_EQ(sum_of_bins(cpu), cpu.samples);
}

TEST(Measure, ASnapshotIsAValidResultWhileTheLoopRuns) {
  Options options = without_privileges();
  if (core::allowed_cpus()->size() < 2) GTEST_SKIP() << "needs a CPU that is not measured";
  options.loops = 0;
  options.snapshot_period_ns = 50'000'000;
  std::vector<core::Phase> snapshots;
  Observer observer;
  observer.on_snapshot = [&](const core::Phase& phase) { snapshots.push_back(phase); };
  // On a busy machine the thread that takes snapshots may not come to run within a short measurement: then a longer
  // one.
  options.duration_ns = 400'000'000;
  auto m = measure(options, observer);
  while (m.ok() && snapshots.empty() && options.duration_ns < 20'000'000'000) {
    options.duration_ns *= 2;
    m = measure(options, observer);
  }
  ASSERT_TRUE(m.ok()) << m.error().text;
  ASSERT_FALSE(snapshots.empty());
  uint64_t before = 0;
  for (const core::Phase& phase : snapshots) {
    EXPECT_EQ(phase.status, core::PhaseStatus::interrupted);
    const core::Status valid = core::validate(as_run(phase));
    EXPECT_TRUE(valid.ok()) << valid.error().text;
    if (phase.per_cpu.empty()) continue;
    EXPECT_GE(phase.per_cpu.at(0).samples, before);
    before = phase.per_cpu.at(0).samples;
  }
  EXPECT_GT(before, 0u);
  EXPECT_LE(before, m->phase.per_cpu.at(0).samples);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kShadowMemory = true;  // the sanitizer's own, touched as the loop goes
#else
constexpr bool kShadowMemory = false;
#endif

// Without mlockall: what the loop uses was touched before, so locking has nothing left to do but to keep it.
// Pages are touched, not locked, so the kernel may move one meanwhile: not in each of three runs.
TEST(Measure, TheLoopTakesNoPageFault) {
  Options options = without_privileges();
  options.loops = 2'000'000;
  std::string faults;
  for (int run = 0; run < 3 && faults != "0"; ++run) {
    const auto m = measure(options);
    ASSERT_TRUE(m.ok()) << m.error().text;
    EXPECT_EQ(sum_of_bins(m->phase.per_cpu.at(0)), options.loops);
    faults = m->phase.facts.at("page_faults_in_loop");
  }
  if (!kShadowMemory) {
    EXPECT_EQ(faults, "0");
  }
}

TEST(Measure, TheCostOfTheLoopIsMeasured) {
  const auto m = measure(without_privileges());
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_GT(m->cost.bare_read_ns, 0);
  EXPECT_GT(m->cost.loop_ns, 0);
}

TEST(Measure, WhatCannotBeIsAnErrorBeforeAnythingRuns) {
  Options options = without_privileges();
  options.cpus = {4095};
  const auto nowhere = measure(options);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().text, testing::HasSubstr("4095"));
  options = without_privileges();
  options.rest_ns = 1'000'000'000;
  EXPECT_FALSE(measure(options).ok());
}

TEST(Measure, TheCallersAffinityIsWhatItWasBefore) {
  const core::CpuList before = *core::allowed_cpus();
  ASSERT_TRUE(measure(without_privileges()).ok());
  EXPECT_EQ(*core::allowed_cpus(), before);
}

}  // namespace
}  // namespace maxlat::npt
