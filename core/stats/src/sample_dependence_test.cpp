// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <maxlat/core/result/merge.hpp>
#include <maxlat/core/stats/quantile_interval.hpp>
#include <maxlat/core/stats/sample_dependence.hpp>
#include <random>
#include <vector>

namespace maxlat::core {
namespace {

constexpr std::size_t kSteps = 600, kInStep = 100;

// What a run keeps of these samples: bins of 1 %, and the largest of each step.
CpuResult kept(const std::vector<double>& samples) {
  CpuResult cpu;
  std::map<int, std::uint64_t> counts;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ++counts[static_cast<int>(std::floor(std::log(samples[i]) * 100))];
    if (i % kInStep == 0) cpu.timeline.max_ns.push_back(0);
    cpu.timeline.max_ns.back() = std::max(cpu.timeline.max_ns.back(), samples[i]);
  }
  for (const auto& [bin, count] : counts) cpu.bins.push_back({std::exp(0.01 * bin), std::exp(0.01 * (bin + 1)), count});
  cpu.max_ns = *std::max_element(samples.begin(), samples.end());
  fill_statistics_from_bins(cpu);
  return cpu;
}

// Latencies whose logarithm is normal, and `times` that of the sample before it, and something new.
std::vector<double> latencies(std::mt19937_64& random, double times) {
  std::normal_distribution<> news(0, std::sqrt(1 - times * times));
  double value = std::normal_distribution<>()(random);
  std::vector<double> samples;
  for (std::size_t i = 0; i < kSteps * kInStep; ++i) {
    samples.push_back(1000 * std::exp(value));
    value = times * value + news(random);
  }
  return samples;
}

struct Coverage {
  int of = 0, taken_as_independent = 0, by_blocks = 0;
};

#ifdef __SANITIZE_ADDRESS__
constexpr int kRuns = 20;
#else
constexpr int kRuns = 100;
#endif

// Of the intervals of the p99.9 at 95 %, how many hold it. A bootstrap of single samples has the ranks of those that
// are taken as independent: how many it draws from beyond the quantile is binomial.
Coverage coverage(double times) {
  std::mt19937_64 random(2026);
  const double truth = 1000 * std::exp(3.0902323);  // that quantile of the normal distribution
  Coverage coverage;
  for (; coverage.of < kRuns; ++coverage.of) {
    const CpuResult cpu = kept(latencies(random, times));
    const SampleDependence dependence = dependence_beyond(cpu, {&cpu, 1}, measured_quantile(cpu, 0.999).value());
    EXPECT_EQ(dependence.assumed_because, "");
    const auto covers = [&](double samples_for_one) {
      const QuantileInterval interval = quantile_interval(cpu, 0.999, 0.95, samples_for_one);
      return interval.low_ns <= truth && (!interval.high_ns || truth <= *interval.high_ns);
    };
    coverage.taken_as_independent += covers(1);
    coverage.by_blocks += covers(dependence.samples_for_one);
  }
  std::printf("of %d intervals cover: taken as independent %d, by blocks %d\n", coverage.of,
              coverage.taken_as_independent, coverage.by_blocks);
  return coverage;
}

const double kLeast = 0.95 * kRuns - 3 * std::sqrt(0.95 * 0.05 * kRuns);  // three standard deviations

// Of 300 runs each, at p99, p99.9 and p99.99, blocks covered 90.0 to 98.0 % for all of these and 0.5, 0.98 and 0.999.
TEST(SampleDependence, IntervalsCoverWhatTheyPromiseWhereSamplesDependOnOneAnother) {
  const Coverage none = coverage(0), some = coverage(0.9), much = coverage(0.995);
  for (const Coverage& each : {none, some, much}) EXPECT_GE(each.by_blocks, kLeast);
  EXPECT_GE(none.taken_as_independent, kLeast);
  EXPECT_LE(some.taken_as_independent, 0.85 * kRuns);
  EXPECT_LE(much.taken_as_independent, 0.35 * kRuns);
}

TEST(SampleDependence, IsOneForSamplesThatAreIndependent) {
  std::mt19937_64 random(7);
  const CpuResult cpu = kept(latencies(random, 0));
  for (const double level : {0.99, 0.999, 0.9999}) {
    const SampleDependence dependence = dependence_beyond(cpu, {&cpu, 1}, measured_quantile(cpu, level).value());
    EXPECT_EQ(dependence.assumed_because, "");
    EXPECT_GE(dependence.samples_for_one, 1);
    EXPECT_LT(dependence.samples_for_one, 1.5) << level;
  }
}

// A disturbance begins in one step of a hundred, and lasts so many of them, with so many samples in each.
std::vector<CpuResult> disturbed(std::size_t cpus, std::size_t lasts, std::uint64_t samples_in_step, bool together) {
  std::mt19937_64 random(3);
  std::vector<CpuResult> all;
  for (unsigned number = 0; number < cpus; ++number) {
    if (together) random.seed(3);
    CpuResult& cpu = all.emplace_back();
    cpu.cpu = number;
    cpu.timeline.max_ns.assign(20'000, 9.5);
    auto& steps = cpu.timeline.max_ns;
    for (std::size_t i = 0; i + lasts < steps.size(); ++i)
      if (random() % 100 == 0) {
        std::fill_n(steps.begin() + static_cast<std::ptrdiff_t>(i), lasts, 5000.5);
        i += lasts;
      }
    const auto held = static_cast<std::uint64_t>(std::count(steps.begin(), steps.end(), 5000.5));
    cpu.bins = {{9, 10, 100'000'000}, {5000, 5001, held * samples_in_step}};
    cpu.max_ns = 5000.5;
    fill_statistics_from_bins(cpu);
  }
  return all;
}

double samples_for_one(const std::vector<CpuResult>& cpus) {
  const SampleDependence dependence = dependence_beyond(merged(cpus), cpus, 5000.2);
  EXPECT_EQ(dependence.assumed_because, "");
  return dependence.samples_for_one;
}

TEST(SampleDependence, IsAsLargeAsWhatComesTogether) {
  EXPECT_NEAR(samples_for_one(disturbed(1, 1, 1, false)), 1, 0.2);
  EXPECT_NEAR(samples_for_one(disturbed(1, 1, 10, false)), 2 * 10 - 1, 2) << "within a step";
  EXPECT_NEAR(samples_for_one(disturbed(1, 10, 1, false)), 10, 2.5) << "in steps that follow one another";
  EXPECT_NEAR(samples_for_one(disturbed(4, 1, 1, true)), 4, 0.6) << "on all CPUs at once";
  EXPECT_NEAR(samples_for_one(disturbed(4, 1, 1, false)), 1, 0.3) << "on CPUs that know nothing of one another";
}

TEST(SampleDependence, WhatTheStepsDoNotTellIsAssumed) {
  const auto assumed = [](CpuResult cpu, double ns) {
    const SampleDependence dependence = dependence_beyond(cpu, {&cpu, 1}, ns);
    EXPECT_EQ(dependence.samples_for_one, 1);
    return dependence.assumed_because;
  };
  CpuResult cpu = disturbed(1, 1, 10, false).front();
  EXPECT_EQ(assumed(cpu, 9.2), "nearly every step of the time line holds such samples");
  EXPECT_EQ(assumed(cpu, 9000), "no step of the time line holds such samples");
  CpuResult changed = cpu;
  changed.timeline.kind = Timeline::Kind::running_max;
  EXPECT_EQ(assumed(changed, 5000), "the time line holds the largest so far alone");
  changed = cpu;
  changed.timeline.max_ns.resize(19);
  EXPECT_EQ(assumed(changed, 5000), "the time line has too few steps");
  changed.timeline.max_ns.clear();
  EXPECT_EQ(assumed(changed, 5000), "there is no time line");
  EXPECT_EQ(assumed(CpuResult{}, 5000), "the time line has too few steps");
}

// Steps without a sample are none: a rest, or a CPU that began later.
TEST(SampleDependence, StepsWithoutASampleDoNotCount) {
  CpuResult cpu = disturbed(1, 1, 10, false).front();
  const double before = samples_for_one({cpu});
  auto& steps = cpu.timeline.max_ns;
  steps.insert(steps.begin() + 100, 5000, 0.0);
  EXPECT_DOUBLE_EQ(samples_for_one({cpu}), before);
  steps.assign(1200, 0.0);
  for (const std::size_t at : {3u, 500u, 900u}) steps[at] = at == 500u ? 5000.5 : 9.5;
  EXPECT_EQ(dependence_beyond(cpu, {&cpu, 1}, 5000).assumed_because, "the time line has too few steps");
}

}  // namespace
}  // namespace maxlat::core
