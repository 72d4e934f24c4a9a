// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

CpuResult hundred_samples() {  // 1..100 ns, one in each bin [n, n+1)
  CpuResult cpu;
  for (int n = 1; n <= 100; ++n) cpu.bins.push_back({double(n), double(n + 1), 1});
  cpu.min_ns = 1;
  cpu.max_ns = 100;
  return cpu;
}

TEST(QuantileOf, IsTheUpperEdgeAndNeverBeyondTheMaximum) {
  CpuResult cpu = hundred_samples();
  cpu.samples = 100;
  EXPECT_EQ(quantile_of(cpu, 0.5), 51);    // the 50th smallest is in [50, 51)
  EXPECT_EQ(quantile_of(cpu, 0.07), 8);    // 0.07 * 100 is a little above 7 in floating point
  EXPECT_EQ(quantile_of(cpu, 0.901), 92);  // the 91st
  EXPECT_EQ(quantile_of(cpu, 1), 100);
  EXPECT_EQ(quantile_of(cpu, 0), 2);
}

TEST(QuantileOf, IsTheMaximumAmongTheOverflow) {
  CpuResult cpu = hundred_samples();
  cpu.overflow_count = 100;
  cpu.samples = 200;
  cpu.max_ns = 1e12;
  EXPECT_EQ(quantile_of(cpu, 0.5), 101);
  EXPECT_EQ(quantile_of(cpu, 0.51), 1e12);
}

TEST(FillStatisticsFromBins, KnownAnswers) {
  CpuResult cpu = hundred_samples();
  fill_statistics_from_bins(cpu);
  EXPECT_EQ(cpu.samples, 100u);
  EXPECT_EQ(cpu.max_ns, 100);         // the meter's own
  EXPECT_DOUBLE_EQ(cpu.mean_ns, 51);  // of the middles 1.5 .. 100.5
  EXPECT_NEAR(cpu.stddev_ns, std::sqrt(9999.0 / 12), 1e-9);
  ASSERT_EQ(cpu.quantiles_ns.size(), 3u);  // of a hundred samples none lies beyond 99.9 %
  EXPECT_EQ(cpu.quantiles_ns[0], (std::pair<std::string, double>{"p50", 51}));
  EXPECT_EQ(cpu.quantiles_ns.back(), (std::pair<std::string, double>{"p99", 100}));
}

TEST(MeasuredQuantile, HasASampleBeyondIt) {
  EXPECT_TRUE(is_measured(0.9999, 10'000));
  EXPECT_FALSE(is_measured(0.9999, 9'999));
  EXPECT_TRUE(is_measured(0.999999, 1'000'000));
  EXPECT_FALSE(is_measured(0.5, 1));
  EXPECT_FALSE(is_measured(0.5, 0));
  CpuResult cpu = hundred_samples();
  cpu.samples = 100;
  EXPECT_EQ(measured_quantile(cpu, 0.99), 100);
  EXPECT_FALSE(measured_quantile(cpu, 0.999).has_value());
}

TEST(FillStatisticsFromBins, EdgesStandInForAnUnknownMinimumAndMaximum) {
  CpuResult cpu = hundred_samples();
  cpu.min_ns = cpu.max_ns = 0;
  fill_statistics_from_bins(cpu);
  EXPECT_EQ(cpu.min_ns, 1);
  EXPECT_EQ(cpu.max_ns, 101);
}

TEST(FillStatisticsFromBins, NothingMeasuredHasNoQuantiles) {
  CpuResult cpu;
  fill_statistics_from_bins(cpu);
  EXPECT_EQ(cpu.samples, 0u);
  EXPECT_TRUE(cpu.quantiles_ns.empty());
}

// A defect: cyclictest's status lines tell minimum, average and maximum, and the table had the maximum for p50.
TEST(MeasuredQuantile, IsOfValuesAndNotOfCountsAlone) {
  CpuResult cpu;
  cpu.overflow_count = 1000;
  cpu.max_ns = 5000;
  fill_statistics_from_bins(cpu);
  EXPECT_EQ(cpu.samples, 1000u);
  EXPECT_TRUE(cpu.quantiles_ns.empty());
  EXPECT_FALSE(measured_quantile(cpu, 0.5).has_value());
  EXPECT_EQ(quantile_of(cpu, 0.5), 5000);  // for a limit: never understated
}

TEST(CpuResultFrom, AgreesWithTheSamplesThemselves) {
  const base::CounterClock clock = base::clock_with_rate(2.5);
  base::Histogram histogram;
  std::mt19937_64 random(3);
  std::vector<double> ns;
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t ticks = 20 + random() % (1u << (random() % 30));
    histogram.record(ticks);
    ns.push_back(static_cast<double>(ticks) / 2.5);
  }
  std::sort(ns.begin(), ns.end());
  const CpuResult cpu = cpu_result_from(7, histogram, clock);
  EXPECT_EQ(cpu.cpu, 7u);
  EXPECT_EQ(cpu.samples, ns.size());
  EXPECT_DOUBLE_EQ(cpu.min_ns, ns.front());
  EXPECT_DOUBLE_EQ(cpu.max_ns, ns.back());
  double sum = 0;
  for (double value : ns) sum += value;
  const double mean = sum / static_cast<double>(ns.size());
  EXPECT_NEAR(cpu.mean_ns / mean, 1, 1e-9);
  double squares = 0;
  for (double value : ns) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(cpu.stddev_ns / std::sqrt(squares / static_cast<double>(ns.size())), 1, 1e-9);

  ASSERT_EQ(cpu.quantiles_ns.size(), kQuantileLevels.size() - 1);  // 99.9999 % is not measured by so many
  for (size_t i = 0; i < cpu.quantiles_ns.size(); ++i) {
    const double level = kQuantileLevels[i].level;
    const double exact = ns[static_cast<size_t>(std::ceil(level * 100'000 - 1e-6)) - 1];
    EXPECT_GE(cpu.quantiles_ns[i].second, exact) << level;
    EXPECT_LE(cpu.quantiles_ns[i].second, exact * 1.001) << level;
    EXPECT_GE(quantile_of(cpu, level), exact) << level;
    EXPECT_LE(quantile_of(cpu, level), exact * 1.001 + 0.4) << level;  // 0.4 ns: one tick, the width of the first bins
  }

  // Every sample lies in the bin that counts it, and none is lost.
  size_t next = 0;
  for (const Bin& bin : cpu.bins) {
    ASSERT_GE(ns[next], bin.low_ns);
    next += bin.count;
    ASSERT_LE(next, ns.size());
    ASSERT_LT(ns[next - 1], bin.high_ns);
  }
  EXPECT_EQ(next, ns.size());
}

TEST(CpuResultFrom, OverflowKeepsValueAndTimeSinceTheStart) {
  const base::CounterClock clock = base::clock_with_rate(2);
  base::Histogram histogram;
  histogram.record(100);
  for (int i = 0; i < 20; ++i) histogram.record(1ull << 41, 5000 + 10 * static_cast<uint64_t>(i));
  const CpuResult cpu = cpu_result_from(0, histogram, clock, 4000);
  EXPECT_EQ(cpu.samples, 21u);
  EXPECT_EQ(cpu.overflow_count, 20u);
  ASSERT_EQ(cpu.overflow.size(), size_t{MAXLAT_HISTOGRAM_OVERFLOWS});
  EXPECT_DOUBLE_EQ(cpu.overflow[1].t_ns, (5010 - 4000) / 2.0);
  EXPECT_DOUBLE_EQ(cpu.overflow[1].latency_ns, static_cast<double>(1ull << 40));
  Phase phase;
  phase.status = PhaseStatus::ok;
  phase.kind = kNptKind.name;
  phase.per_cpu = {cpu};
  RunResult run;
  run.phases = {phase};
  EXPECT_TRUE(validate(run).ok());
}

TEST(CpuResultFrom, OfNothingIsNothing) {
  const CpuResult cpu = cpu_result_from(3, base::Histogram(), base::clock_with_rate(1));
  EXPECT_EQ(cpu.samples, 0u);
  EXPECT_TRUE(cpu.bins.empty());
  EXPECT_TRUE(cpu.quantiles_ns.empty());
}

TEST(Names, AreThoseOfTheFile) {
  EXPECT_STREQ(to_string(PhaseStatus::interrupted), "interrupted");
  EXPECT_STREQ(to_string(Verdict::Kind::not_gated), "not-gated");
  EXPECT_STREQ(to_string(SettingObservation::Verdict::unknown), "unknown");
  EXPECT_STREQ(to_string(RuleResult::Outcome::invalid), "invalid");
  EXPECT_STREQ(to_string(RunResult::State::complete), "complete");
}

}  // namespace
}  // namespace maxlat::core
