// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/result/merge.hpp>
#include <utility>
#include <vector>

namespace maxlat::core {
namespace {

CpuResult of_bins(std::vector<Bin> bins) {
  CpuResult part;
  part.bins = std::move(bins);
  part.exposure_s = 1;
  fill_statistics_from_bins(part);
  return part;
}

Outlier outlier(double ns) {
  Outlier made;
  made.latency_ns = ns;
  return made;
}

PathResult path(const char* name, bool rare, const Bin& bin) {
  return {.name = name, .rare = rare, .gaps = of_bins({bin})};
}

TEST(Pooled, IsWhatAllSamplesTogetherSay) {
  // {1, 3} and {5, 5, 8}
  const std::vector<Moments> parts{{2, 1, 2}, {0, 0, 0}, {6, std::sqrt(2.0), 3}};
  const Moments all = pooled(parts);
  EXPECT_DOUBLE_EQ(all.samples, 5);
  EXPECT_DOUBLE_EQ(all.mean, 4.4);
  EXPECT_DOUBLE_EQ(all.stddev, std::sqrt((3.4 * 3.4 + 1.4 * 1.4 + 2 * 0.6 * 0.6 + 3.6 * 3.6) / 5));
}

// {1, 3} and {5, 5, 5}, and a CPU that had none: mean 19/5, variance by hand.
TEST(Merged, PoolsMeanAndDeviation) {
  CpuResult a, b;
  a.samples = 2, a.mean_ns = 2, a.stddev_ns = 1;
  b.samples = 3, b.mean_ns = 5, b.stddev_ns = 0;
  const CpuResult all = merged(std::vector<CpuResult>{a, CpuResult{}, b});
  EXPECT_DOUBLE_EQ(all.mean_ns, 19.0 / 5);
  EXPECT_NEAR(all.stddev_ns, std::sqrt((7.84 + 0.64 + 3 * 1.44) / 5), 1e-12);
}

TEST(Merged, ConservesSamplesAndExtremes) {
  const std::vector<CpuResult> parts{of_bins({{1, 2, 5}, {4, 5, 1}}), CpuResult{},
                                     of_bins({{1, 2, 7}, {2, 3, 1}, {9, 10, 2}})};
  const CpuResult all = merged(parts);
  std::uint64_t counted = 0;
  double edge = 0;
  for (const Bin& bin : all.bins) {
    EXPECT_GE(bin.low_ns, edge);
    edge = bin.high_ns;
    counted += bin.count;
  }
  EXPECT_EQ(counted, 16u);
  EXPECT_EQ(all.samples, 16u);
  EXPECT_EQ(all.bins.size(), 4u);
  EXPECT_EQ(all.bins[0].count, 12u);
  EXPECT_EQ(all.exposure_s, 2);
  EXPECT_EQ(all.min_ns, parts[0].min_ns);
  EXPECT_EQ(all.max_ns, parts[2].max_ns);
}

TEST(Merged, BearsEdgesThatMovedWithTheClock) {
  const CpuResult all = merged(
      std::vector{of_bins({{10, 11, 5}, {11, 12, 5}}), of_bins({{10.00001, 11.00001, 7}, {11.00001, 12.00001, 7}})});
  ASSERT_EQ(all.bins.size(), 2u);
  EXPECT_EQ(all.bins[0].count, 12u);
  EXPECT_LE(all.bins[0].high_ns, all.bins[1].low_ns);
}

TEST(Merged, KeepsOverflowsInTheSum) {
  CpuResult part = of_bins({{1, 2, 5}});
  part.overflow_count = 2;
  part.samples = 7;
  part.max_ns = 400e9;
  const CpuResult all = merged(std::vector{part, part});
  EXPECT_EQ(all.samples, 14u);
  EXPECT_EQ(all.overflow_count, 4u);
  EXPECT_EQ(all.max_ns, 400e9);
}

// Each part's quantile is its meter's own, exact; that of all cannot lie outside of theirs.
TEST(Merged, QuantilesLieBetweenThoseOfTheParts) {
  CpuResult a = of_bins({{100, 200, 1000}}), b = a;
  a.quantiles_ns = {{"p50", 120}};
  b.quantiles_ns = {{"p50", 125}};
  const CpuResult all = merged(std::vector{a, b});
  ASSERT_FALSE(all.quantiles_ns.empty());
  EXPECT_EQ(all.quantiles_ns[0].first, "p50");
  EXPECT_GE(all.quantiles_ns[0].second, 120);
  EXPECT_LE(all.quantiles_ns[0].second, 125);
}

TEST(Merged, KeepsTheLargestOutliers) {
  CpuResult a = of_bins({{1, 2, 5}}), b = a;
  a.outliers = {outlier(9), outlier(3)};
  b.outliers = {outlier(7)};
  const CpuResult all = merged(std::vector{a, b});
  ASSERT_EQ(all.outliers.size(), 2u);
  EXPECT_EQ(all.outliers[0].latency_ns, 9);
  EXPECT_EQ(all.outliers[1].latency_ns, 7);
  EXPECT_EQ(merged(std::vector{a, b}, 3).outliers.size(), 3u);
}

TEST(Merged, TimelineIsTheLargestOfEachStep) {
  CpuResult a, b;
  a.timeline.max_ns = {1, 5, 2};
  b.timeline.max_ns = {4, 3};
  EXPECT_EQ(merged(std::vector{a, b}).timeline.max_ns, (std::vector<double>{4, 5, 2}));
}

TEST(MergedPaths, AddUpByName) {
  const std::vector<std::vector<PathResult>> rounds = {
      {path("ordinary event", false, {30, 31, 10}), path("sub-buffer switch", true, {470, 471, 2})},
      {path("ordinary event", false, {31, 32, 5}), path("long record", true, {90, 91, 1})},
  };
  const auto all = merged_paths(rounds);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].gaps.samples, 15u);
  EXPECT_EQ(all[0].gaps.max_ns, 32);
  EXPECT_EQ(all[0].gaps.bins.size(), 2u);
  EXPECT_EQ(all[1].gaps.samples, 2u);
  EXPECT_TRUE(all[2].rare);
}

TEST(MergedActivity, AddsUpLineByLine) {
  using Kind = Interruption::Kind;
  const Interruption tick{.kind = Kind::timer, .name = "LOC", .count = 7};
  const Interruption disk{.kind = Kind::device, .name = "24", .what = "disk", .count = 2};
  const std::vector<std::vector<CpuActivity>> rounds = {
      {{.cpu = 1, .switches = 3, .counted = {tick}}, {.cpu = 2, .switches = 1, .counted = {}}},
      {{.cpu = 1, .switches = 4, .counted = {disk, tick}}}};
  const auto all = merged_activity(rounds);
  ASSERT_EQ(all.size(), 1u) << "CPU 2 was not looked at in the second";
  EXPECT_EQ(all[0].switches, 7u);
  EXPECT_EQ(all[0].count(Kind::timer), 14u);
  EXPECT_EQ(all[0].count(Kind::device), 2u);
  const CpuActivity not_counted{.cpu = 1, .switches = {}, .counted = {}};
  EXPECT_EQ(merged_activity(std::vector{rounds[0], {not_counted}})[0].switches, std::nullopt);
  EXPECT_TRUE(merged_activity(std::vector{rounds[0], {}}).empty()) << "one round was not looked at";
}

}  // namespace
}  // namespace maxlat::core
