// SPDX-License-Identifier: MIT
#include "plots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

std::vector<std::string> kinds_of(const std::vector<Plot>& plots) {
  std::vector<std::string> kinds;
  for (const auto& plot : plots) kinds.push_back(plot.kind);
  return kinds;
}

const Plot& find(const std::vector<Plot>& plots, std::string_view kind) {
  return *std::find_if(plots.begin(), plots.end(), [&](const auto& plot) { return plot.kind == kind; });
}

double largest_y(const Series& series) {
  double largest = 0;
  for (const auto& stroke : series.strokes) {
    for (const auto& point : stroke) largest = std::max(largest, point.y);
  }
  return largest;
}

void expect_drawable(const Plot& plot) {
  SCOPED_TRACE(plot.title);
  EXPECT_FALSE(plot.series.empty());
  for (const Axis* axis : {&plot.x, &plot.y}) {
    EXPECT_TRUE(std::isfinite(axis->low) && std::isfinite(axis->high));
    EXPECT_LT(axis->low, axis->high);
    if (axis->logarithmic) {
      EXPECT_GT(axis->low, 0);
    }
    EXPECT_GE(axis->tics.size(), 1u);
    for (const auto& tic : axis->tics) EXPECT_TRUE(std::isfinite(tic.at));
  }
  for (const auto& series : plot.series) {
    EXPECT_LT(series.colour, std::size(kPalette));
    for (const auto& stroke : series.strokes) {
      for (const auto& point : stroke) {
        EXPECT_GE(point.x, plot.x.low * (1 - 1e-9)) << series.name;
        EXPECT_LE(point.x, plot.x.high * (1 + 1e-9)) << series.name;
        EXPECT_GE(point.y, plot.y.low * (1 - 1e-9)) << series.name;
        const bool clipped = plot.kind == "load";  // a load that runs at ten times its median
        EXPECT_LE(point.y, clipped ? INFINITY : plot.y.high * (1 + 1e-9)) << series.name;
      }
    }
  }
}

TEST(Plots, SayThatTheyAreOfAnUpperBound) {
  core::Phase phase = test::typical_run().phases[0];
  phase.name = "hwlat";
  phase.facts["bound"] = "upper bound: interrupts and scheduling are included";
  for (const Plot& plot : plots_of(PhaseView(phase)))
    EXPECT_TRUE(plot.title.starts_with("hwlat (upper bound): ")) << plot.title;
}

TEST(Plots, AnNptPhaseUnderLoadHasAllOfThem) {
  const auto run = test::typical_run();
  EXPECT_THAT(kinds_of(plots_of(PhaseView(run.phases[4]))),
              ::testing::ElementsAre("histogram", "nines", "timeline", "cpus", "outliers", "load"));
}

TEST(Plots, NothingIsDrawnOfNothing) {
  EXPECT_TRUE(plots_of(PhaseView(core::Phase{})).empty());
  EXPECT_TRUE(plots_of(PhaseView(test::control_phase("control"))).empty());
}

TEST(Plots, EveryPointIsFiniteAndOnItsAxes) {
  for (const auto& run : {test::typical_run(), test::single_phase_run(), test::large_run(20, 1)}) {
    for (const auto& phase : run.phases) {
      for (const auto& plot : plots_of(PhaseView(phase))) expect_drawable(plot);
    }
  }
}

// Every kind of odd phase that the format allows must be drawable.
TEST(Plots, OddPhasesAreDrawable) {
  auto zero = test::cpu_from_bins(0, {{0, 1000, 5}}, 1);
  zero.min_ns = zero.max_ns = 0;
  auto one = test::cpu_from_bins(3, {{100, 101, 1}}, 0);
  one.min_ns = one.max_ns = 100.5;
  auto beyond = test::cpu_from_bins(0, {}, 1);
  beyond.samples = beyond.overflow_count = 1;
  beyond.min_ns = beyond.max_ns = 500e9;
  const auto empty = test::cpu_without_samples(7);
  for (const auto& cpus :
       std::vector<std::vector<core::CpuResult>>{{zero}, {one}, {beyond}, {one, empty}, {zero, one, beyond}}) {
    const auto phase = test::phase_of("odd", "a kind nobody knows", 1, cpus);
    for (const auto& plot : plots_of(PhaseView(phase))) expect_drawable(plot);
  }
}

TEST(Plots, TheMaximumIsOnEveryPlotThatCouldHideIt) {
  for (const auto& run : {test::typical_run(), test::large_run(20, 1)}) {
    for (const auto& phase : run.phases) {
      const PhaseView view(phase);
      if (view.all.samples == 0) continue;
      const auto plots = plots_of(view);
      EXPECT_EQ(find(plots, "histogram").marks.at(0).x, view.all.max_ns);
      EXPECT_EQ(largest_y(find(plots, "nines").series.front()), view.all.max_ns);
      EXPECT_EQ(largest_y(find(plots, "cpus").series.back()), view.all.max_ns);
      double latest = 0;
      for (const auto& series : find(plots, "timeline").series) latest = std::max(latest, largest_y(series));
      EXPECT_EQ(latest, *std::max_element(view.all.timeline.max_ns.begin(), view.all.timeline.max_ns.end()));
    }
  }
}

// With 999 samples it would be the maximum under another name.
TEST(Plots, AQuantileThatIsNotMeasuredHasNoBar) {
  const auto series_of = [](uint64_t samples) {
    core::CpuResult cpu;
    cpu.bins = {{1000, 1010, samples - 1}, {90'000, 91'000, 1}};
    core::fill_statistics_from_bins(cpu);
    const auto phase = test::phase_of("short", "npt", 1, {cpu});
    const auto plots = plots_of(PhaseView(phase));
    return find(plots, "cpus").series.size();
  };
  EXPECT_EQ(series_of(999), 2u);
  EXPECT_EQ(series_of(1000), 3u);
}

// A defect: where median and p99.9 were in one bin, nothing was drawn of them.
TEST(Plots, ABarWithoutALengthIsAMarkAsWide) {
  const auto even = test::cpu_from_bins(0, {{1000, 1001, 100'000}}, 1),
             uneven = test::cpu_from_bins(1, {{1000, 1001, 60'000}, {90'000, 91'000, 40'000}}, 1);
  const auto plots = plots_of(PhaseView(test::phase_of("even", "npt", 1, {even, uneven})));
  const auto& series = find(plots, "cpus").series;
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(series[1].name, "median to p99.9");
  ASSERT_EQ(series[1].strokes.size(), 1u);
  EXPECT_EQ(series[1].strokes[0][0].x, 1) << "of CPU 1 the bar is long enough";
  ASSERT_EQ(series[2].strokes.size(), 1u);
  const Stroke& mark = series[2].strokes[0];
  EXPECT_LT(mark[0].x, 0);
  EXPECT_GT(mark[1].x, 0);
  EXPECT_EQ(mark[0].y, *core::measured_quantile(even, 0.5)) << "and its ends are the figures themselves";
  EXPECT_EQ(mark[1].y, *core::measured_quantile(even, 0.999));
}

TEST(Plots, ManyCpusAreNotDrawnOneByOne) {
  const auto plots = plots_of(PhaseView(test::large_run(20, 1).phases[0]));
  const auto& histogram = find(plots, "histogram");
  ASSERT_EQ(histogram.series.size(), 2u);
  EXPECT_THAT(histogram.series[1].name, ::testing::HasSubstr("CPU 19"));  // the one with the largest maximum
}

TEST(Plots, SizeDoesNotGrowWithTheNumberOfSamples) {
  size_t points = 0;
  for (const auto& plot : plots_of(PhaseView(test::large_run(20, 1).phases[0]))) {
    for (const auto& series : plot.series) {
      for (const auto& stroke : series.strokes) points += stroke.size();
    }
  }
  EXPECT_LT(points, 12000u);
}

TEST(Plots, ALoadThatStallsForOneSecondShowsInADay) {
  core::Phase phase;
  phase.load.push_back(test::load_of("hackbench", "rounds/s", 3, 86400));
  phase.load[0].progress[40000] = 0;
  const auto plots = plots_of(PhaseView(phase));
  ASSERT_EQ(plots.size(), 1u);
  double lowest = 1e9;
  for (const auto& point : plots[0].series[0].strokes[0]) lowest = std::min(lowest, point.y);
  EXPECT_EQ(lowest, 0);
}

// A defect: a live hackbench was left out, because its median was 0.
TEST(Plots, ALoadWithoutAMedianIsDrawnAndOneWithoutProgressIsNamed) {
  core::Phase phase;
  for (const char* name : {"hackbench", "memory", "idle"}) phase.load.push_back(test::load_of(name, "CPU-s/s", 0, 10));
  phase.load[0].progress[9] = 8;
  phase.load[1].progress.assign(10, 5);
  const auto plots = plots_of(PhaseView(phase));
  ASSERT_EQ(plots.size(), 1u);
  ASSERT_EQ(plots[0].series.size(), 2u);
  EXPECT_EQ(plots[0].series[0].name, "hackbench (100 % = mean 0.8 CPU-s/s)");
  EXPECT_THAT(plots[0].note, ::testing::HasSubstr("not drawn: idle."));
}

}  // namespace
}  // namespace maxlat::reports
