// SPDX-License-Identifier: MIT
#include "plots_arms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const Plot& plot) {
  std::vector<std::string> names;
  for (const Series& series : plot.series) names.push_back(series.name);
  return names;
}

TEST(PlotsOfArms, OnePairAFigureAndTheNinesOfAll) {
  const core::RunResult run = test::tracer_run();
  const std::vector<Plot> plots = plots_of(arms_of(run).front());
  ASSERT_EQ(plots.size(), 4u);
  EXPECT_THAT(names_of(plots[0]), ElementsAre("none", "maxlat:timer"));
  EXPECT_THAT(names_of(plots[2]), ElementsAre("maxlat:wakeup", "maxlat:timer"));
  EXPECT_THAT(names_of(plots[3]), ElementsAre("none", "none (again)", "maxlat:timer", "maxlat:wakeup"));
  EXPECT_EQ(plots[1].title, "tracers: none and maxlat:wakeup");
}

TEST(PlotsOfArms, BothTailsAreOnThePlot) {
  core::RunResult run = test::tracer_run();
  for (const bool base_is_worse : {false, true}) {
    if (base_is_worse) std::swap(run.phases[0].per_cpu, run.phases[3].per_cpu);
    for (const Plot& plot : plots_of(arms_of(run).front()))
      for (const Series& series : plot.series)
        for (const Stroke& stroke : series.strokes)
          for (const Point& point : stroke) {
            EXPECT_LE(point.x, plot.x.high * (1 + 1e-9)) << plot.title << ", " << series.name;
            EXPECT_GE(point.x, plot.x.low * (1 - 1e-9)) << plot.title << ", " << series.name;
            EXPECT_LE(point.y, plot.y.high * (1 + 1e-9)) << plot.title << ", " << series.name;
          }
  }
}

TEST(PlotsOfArms, OneArmAloneHasNone) {
  core::RunResult run = test::tracer_run();
  run.phases.resize(1);
  EXPECT_TRUE(plots_of(arms_of(run).front()).empty());
}

}  // namespace
}  // namespace maxlat::reports
