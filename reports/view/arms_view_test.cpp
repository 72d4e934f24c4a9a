// SPDX-License-Identifier: MIT
#include "arms_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/reports/report.hpp>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> pairs_of(const core::RunResult& run) {
  std::vector<std::string> pairs;
  for (const ArmsView& view : arms_of(run))
    for (const auto& [before, after] : view.pairs()) pairs.push_back(before->arm + "|" + after->arm);
  return pairs;
}

TEST(ArmsView, HasTheArmsOfItsComparison) {
  const core::RunResult run = test::tracer_run();
  const std::vector<ArmsView> views = arms_of(run);
  ASSERT_EQ(views.size(), 1u);
  EXPECT_EQ(views[0].arms.size(), 5u);  // not the phase of the maximum rate
  EXPECT_EQ(views[0].measured().size(), 4u);
  EXPECT_EQ(views[0].comparisons.size(), 2u);
  EXPECT_EQ(rates_of(run).size(), 1u);
  EXPECT_THAT(arms_of(test::typical_run()), IsEmpty());
}

TEST(ArmsView, PairsAreBaseAgainstEachAndWriterAgainstTimer) {
  EXPECT_THAT(pairs_of(test::tracer_run()),
              ElementsAre("none|maxlat:timer", "none|maxlat:wakeup", "maxlat:wakeup|maxlat:timer"));
  core::RunResult run = test::tracer_run();
  run.phases[2].arm = "lttng-ust:timer,count=64";
  run.phases[3].arm = "lttng-ust:writer";
  EXPECT_THAT(pairs_of(run), ElementsAre("none|lttng-ust:timer,count=64", "none|lttng-ust:writer",
                                         "lttng-ust:writer|lttng-ust:timer,count=64"));
  run.phases[3].arm = "maxlat:wakeup";  // of another tracer
  EXPECT_THAT(pairs_of(run), ElementsAre("none|lttng-ust:timer,count=64", "none|maxlat:wakeup"));
}

// Windows: each kind is a view of its own, with its own differences and plots.
TEST(ArmsView, EachKindOfGapsIsAView) {
  core::RunResult run = test::tracer_run();
  for (core::Phase& phase : run.phases)
    if (!phase.comparison.empty()) phase.gaps = "traced windows";
  for (core::Comparison& comparison : run.comparisons) comparison.gaps = "traced windows";
  for (const size_t i : {0u, 2u}) {
    core::Phase waiting = run.phases[i];
    waiting.gaps = "waiting windows";
    waiting.name += " (waiting windows)";
    run.phases.push_back(waiting);
  }
  core::Comparison beside = test::comparison_of("maxlat:timer", 0, "nothing is found while it waits");
  beside.gaps = "waiting windows";
  beside.beside = true;
  beside.measures.push_back({.measure = "p99.9999", .verdict = core::MeasureDifference::Verdict::not_measured});
  run.comparisons.push_back(beside);
  const std::vector<ArmsView> views = arms_of(run);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].comparisons.size(), 2u);
  EXPECT_EQ(views[1].title(), "tracers (waiting windows)");
  EXPECT_EQ(views[1].arms.size(), 2u);
  EXPECT_EQ(views[1].comparisons.size(), 1u);
  const std::string text = terminal_summary(run, 120);
  EXPECT_THAT(text, HasSubstr("tracers (waiting windows)"));
  EXPECT_THAT(text, HasSubstr("nothing is found while it waits"));
}

TEST(TerminalSummary, TellsTracersInWordsAndFigures) {
  const std::string text = terminal_summary(test::tracer_run(), 120);
  EXPECT_THAT(text, HasSubstr("\nTracers\n"));
  EXPECT_THAT(text,
              HasSubstr("maxlat:timer adds 12.0 ns on average; the maximum differs by less than the noise floor"));
  EXPECT_THAT(text, HasSubstr("4.2 M/s"));
  EXPECT_THAT(text, testing::ContainsRegex("lttng-ust:timer +skipped"));
  EXPECT_THAT(terminal_summary(test::typical_run(), 120), Not(HasSubstr("\nTracers\n")));
}

}  // namespace
}  // namespace maxlat::reports
