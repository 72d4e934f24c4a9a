// SPDX-License-Identifier: MIT
//
// A bench for verdicts: builds that are worse in ways that are known, and builds that are not, eight runs of each. What
// compare_runs() finds and where it cries wolf, beside what others do with the same runs: a fixed maximum (the largest
// of the base, and half as much again), a mean with a t-test, and Mann-Whitney on the means, as google/benchmark's
// compare.py has it. The table is printed; docs/compare.md has it.
//
// A run is drawn: the number of samples in each bin is Poisson around what is expected, and the box has a noise of its
// own from run to run, in body, interrupts and tail. Seeds are fixed, so every figure here repeats.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <maxlat/core/stats/repeats.hpp>
#include <random>

#include "compared_runs.hpp"
#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

constexpr int kRuns = 8;
#ifdef __SANITIZE_ADDRESS__
constexpr int kPairs = 4;
#else
constexpr int kPairs = 40;  // of each kind
#endif

// What a build is like. Latencies in ns, amounts in samples a decade.
struct Build {
  double body = 12, tail = 30, tail_from = 5000;
  double stalls = 0;   // expected on a CPU, of two milliseconds: four in 10^7 samples
  double drift = 0;    // of the body, from the first run to the last
  double bad_cpu = 1;  // times the tail of the last CPU
  unsigned cpus = 2;
};

class Box {
 public:
  explicit Box(unsigned seed) : random_(seed) {}

  RunGroup runs_of(const std::string& name, const Build& build) {
    RunGroup group{name, {}};
    for (int i = 0; i < kRuns; ++i) group.runs.push_back(run_of(build, i));
    return group;
  }

 private:
  double noise(double deviation) { return std::exp(std::normal_distribution<>(0, deviation)(random_)); }

  uint64_t drawn(double expected) { return expected > 0 ? std::poisson_distribution<uint64_t>(expected)(random_) : 0; }

  core::CpuResult cpu_of(unsigned number, const Build& build, double body, double interrupts, double tail) {
    constexpr double kPerDecade = 40;
    std::vector<core::Bin> bins;
    for (double low = 9; low < 3e7; low *= std::pow(10, 1 / kPerDecade)) {
      const double high = low * std::pow(10, 1 / kPerDecade), ns = std::sqrt(low * high);
      const double density = 1e8 * test::bump(ns, body, 0.03) + 2000 * interrupts * test::bump(ns, 2500, 0.12) +
                             (ns < build.tail_from ? 0 : tail * std::pow(ns / build.tail_from, -1.5));
      if (const uint64_t count = drawn(density / kPerDecade); count > 0) bins.push_back({low, high, count});
    }
    core::CpuResult cpu = test::cpu_from_bins(number, std::move(bins), 60);
    for (uint64_t i = drawn(build.stalls); i > 0; --i)
      test::add_stall(cpu, 2e6 * noise(0.1), std::uniform_real_distribution<>(0, 60)(random_));
    return cpu;
  }

  core::RunResult run_of(const Build& build, int index) {
    const double body = build.body * noise(0.01) * (1 + build.drift * index / (kRuns - 1));
    const double interrupts = noise(0.05), tail = build.tail * noise(0.2);
    std::vector<core::CpuResult> cpus;
    for (unsigned cpu = 0; cpu < build.cpus; ++cpu)
      cpus.push_back(cpu_of(cpu, build, body, interrupts, tail * (cpu + 1 == build.cpus ? build.bad_cpu : 1)));
    core::RunResult run = test::single_phase_run();
    run.phases = {test::phase_of("npt", "npt", 60, std::move(cpus))};
    return run;
  }

  std::mt19937_64 random_;
};

struct Figures {
  std::vector<double> means, maxima;
};

Figures figures_of(const RunGroup& group) {
  Figures figures;
  for (const core::RunResult& run : group.runs) {
    double sum = 0, samples = 0, largest = 0;
    for (const core::CpuResult& cpu : run.phases[0].per_cpu) {
      sum += cpu.mean_ns * static_cast<double>(cpu.samples);
      samples += static_cast<double>(cpu.samples);
      largest = std::max(largest, cpu.max_ns);
    }
    figures.means.push_back(sum / samples);
    figures.maxima.push_back(largest);
  }
  return figures;
}

bool larger_mean_by_t(const std::vector<double>& a, const std::vector<double>& b) {
  const auto moments = [](const std::vector<double>& values) {
    double mean = 0, square = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) square += (value - mean) * (value - mean);
    return std::pair{mean, square / static_cast<double>(values.size() - 1)};
  };
  const auto [one, one_variance] = moments(a);
  const auto [two, two_variance] = moments(b);
  constexpr double kOfFourteen = 2.145;  // 97.5 % of Student's t, 14 degrees of freedom
  return (two - one) / std::sqrt((one_variance + two_variance) / kRuns) > kOfFourteen;
}

struct Found {
  int compare = 0, fixed_maximum = 0, mean_by_t = 0, mean_by_ranks = 0;
};

Found found_in(const Build& base, const Build& other, unsigned seed) {
  Found found;
  for (int pair = 0; pair < kPairs; ++pair) {
    Box box(seed + static_cast<unsigned>(pair));
    const RunGroup good = box.runs_of("good", base), next = box.runs_of("new", other);
    found.compare += compare_runs({good, next}).worse;
    const Figures before = figures_of(good), after = figures_of(next);
    const double limit = 1.5 * *std::max_element(before.maxima.begin(), before.maxima.end());
    found.fixed_maximum += *std::max_element(after.maxima.begin(), after.maxima.end()) > limit;
    found.mean_by_t += larger_mean_by_t(before.means, after.means);
    const core::GroupDifference ranks = core::difference_of_groups(before.means, after.means);
    found.mean_by_ranks += ranks.p < 0.05 && ranks.shift > 0;
  }
  return found;
}

void print(const char* name, const Found& found) {
  const auto percent = [](int count) { return 100.0 * count / kPairs; };
  std::printf("%-34s %8.1f %8.1f %8.1f %8.1f\n", name, percent(found.compare), percent(found.fixed_maximum),
              percent(found.mean_by_t), percent(found.mean_by_ranks));
}

TEST(Regressions, AreFoundAndEqualBuildsAreLeftAlone) {
  std::printf("%-34s %8s %8s %8s %8s   found, of 100\n", "the new build has", "compare", "fixed", "t-test", "ranks");
  const std::pair<const char*, Build> regressions[] = {
      {"a worse tail and a better mean", {.body = 11.4, .tail = 120, .tail_from = 10'000}},
      {"one bad CPU of eight", {.bad_cpu = 60, .cpus = 8}},
      {"four stalls in 10^7 samples", {.stalls = 3}},
      {"a slow drift", {.drift = 0.5}},
      {"a shifted median", {.body = 13.8}},
  };
  Found all;
  unsigned seed = 1000;
  for (const auto& [name, build] : regressions) {
    Build base;
    base.cpus = build.cpus;
    const Found found = found_in(base, build, seed += 1000);
    print(name, found);
    all.compare += found.compare;
    EXPECT_GE(found.compare, kPairs * 9 / 10) << name;
  }
  EXPECT_GE(all.compare, 5 * kPairs * 95 / 100) << "of 200";

  Found wolf;
  for (int i = 0; i < 5; ++i) {
    const Found found = found_in({}, {}, seed += 1000);
    wolf.compare += found.compare;
    wolf.fixed_maximum += found.fixed_maximum;
    wolf.mean_by_t += found.mean_by_t;
    wolf.mean_by_ranks += found.mean_by_ranks;
  }
  std::printf("%-34s %8.1f %8.1f %8.1f %8.1f   cried wolf, of 100\n", "nothing new", wolf.compare / 2.0,
              wolf.fixed_maximum / 2.0, wolf.mean_by_t / 2.0, wolf.mean_by_ranks / 2.0);
  EXPECT_LE(wolf.compare, 5 * kPairs * 5 / 100) << "of 200";
}

}  // namespace
}  // namespace maxlat::reports
