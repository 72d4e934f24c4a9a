// SPDX-License-Identifier: MIT
#include "decimate.hpp"

#include <gtest/gtest.h>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

std::vector<std::vector<core::Bin>> various_bins() {
  std::vector<std::vector<core::Bin>> all = {{}, {{0, 1000, 3}}, {{0, 1, 1}, {1, 2, 1}, {1e11, 2e11, 1}}};
  const auto run = test::typical_run();
  for (const auto& phase : run.phases) {
    for (const auto& cpu : phase.per_cpu) all.push_back(cpu.bins);
  }
  all.push_back(test::lattice_bins(1, 1e9, [](double) { return 1e9; }));
  return all;
}

TEST(JoinBins, ConservesCountsAndExtremesAtEveryResolution) {
  for (const auto& bins : various_bins()) {
    for (const unsigned per_decade : {1u, 7u, 40u, 400u}) {
      const auto cells = join_bins(bins, per_decade);
      EXPECT_EQ(test::sum_of(cells), test::sum_of(bins));
      if (bins.empty()) continue;
      EXPECT_EQ(cells.front().low_ns, bins.front().low_ns);
      EXPECT_EQ(cells.back().high_ns, bins.back().high_ns);
      for (size_t i = 1; i < cells.size(); ++i) EXPECT_LE(cells[i - 1].high_ns, cells[i].low_ns);
    }
  }
}

TEST(JoinBins, MakesFewCellsOfMany) {
  const auto bins = test::lattice_bins(1, 1e9, [](double) { return 1e9; });
  ASSERT_GT(bins.size(), 20000u);
  EXPECT_LE(join_bins(bins, 40).size(), 9u * 40 + 1);
}

// A bin wider than a column stays one cell with its own edges: no comb.
TEST(JoinBins, KeepsWideBinsWhole) {
  const std::vector<core::Bin> bins = {{2000, 3000, 1}, {3000, 4000, 2}, {7000, 8000, 1}};
  const auto cells = join_bins(bins, 40);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[1].low_ns, 3000);
  EXPECT_EQ(cells[1].high_ns, 4000);
}

TEST(QuantileSteps, EndAtTheExactMaximumAndNeverFall) {
  const auto run = test::typical_run();
  for (const auto& phase : run.phases) {
    for (const auto& cpu : phase.per_cpu) {
      const auto steps = quantile_steps(cpu, 80);
      ASSERT_FALSE(steps.empty());
      EXPECT_EQ(steps.back().latency_ns, cpu.max_ns);
      EXPECT_EQ(steps.back().above, 0);
      for (size_t i = 1; i < steps.size(); ++i) {
        EXPECT_GE(steps[i].latency_ns, steps[i - 1].latency_ns);
        EXPECT_LT(steps[i].above, steps[i - 1].above);
      }
    }
  }
}

TEST(QuantileSteps, OverflowsLieAboveAllBins) {
  auto cpu = test::cpu_from_bins(0, {{1, 2, 98}}, 1);
  cpu.overflow_count = 2;
  cpu.samples = 100;
  cpu.max_ns = 400e9;
  const auto steps = quantile_steps(cpu, 10);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].latency_ns, 2);
  EXPECT_DOUBLE_EQ(steps[0].above, 0.02);
  EXPECT_EQ(steps[1].latency_ns, 400e9);
}

TEST(JoinSteps, KeepsTheLargestOfEachColumn) {
  core::Timeline timeline;
  for (int i = 0; i < 86400; ++i) timeline.max_ns.push_back(1000 + i % 7);
  timeline.max_ns[43210] = 5e6;
  const auto columns = join_steps(timeline, 360);
  EXPECT_LE(columns.size(), 360u);
  const auto largest = std::max_element(columns.begin(), columns.end(),
                                        [](const auto& a, const auto& b) { return a.max_ns < b.max_ns; });
  EXPECT_EQ(largest->max_ns, 5e6);
  EXPECT_LE(largest->t_s, 43210);
  EXPECT_GT(largest->t_s + largest->width_s, 43210);
}

TEST(JoinSteps, StepsWithoutASampleAreNotZeros) {
  core::Timeline timeline;
  timeline.max_ns = {5, 0, 7};
  const auto columns = join_steps(timeline, 10);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].t_s, 2);
  EXPECT_TRUE(join_steps(core::Timeline{}, 10).empty());
}

}  // namespace
}  // namespace maxlat::reports
