// SPDX-License-Identifier: MIT
//
// What page, terminal and Markdown say of a tail, and that plan-length says the same. The statistics have their tests
// in core/stats.
#include "tail_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/report.hpp>

#include "length/evidence.hpp"
#include "plots/plots_tail.hpp"
#include "test/test_runs.hpp"
#include "test/test_tail.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

core::RunResult run_of(core::Phase phase) {
  core::RunResult run;
  run.phases.push_back(std::move(phase));
  return run;
}

// An hour of two CPUs reaches a hundred times as far: to a week of CPU time, not to a month.
TEST(TailView, HasLevelsAsFarAsTheRunReaches) {
  const core::Phase phase = test::hour_of_npt();
  const auto tail = tail_view(PhaseView(phase));
  ASSERT_TRUE(tail);
  ASSERT_EQ(tail->levels.size(), 3U) << tail->refusal;
  EXPECT_STREQ(tail->levels[2].period, "1 week");
  EXPECT_THAT(tail->refusal, HasSubstr("more than a hundred times as long"));
  for (const TailLevel& row : tail->levels) {
    // Exponential beyond 5 us, one of each CPU a second.
    const double truth = 5000 + 1000 * std::log(row.period_s);
    EXPECT_LT(row.level.interval_ns.low, truth) << row.period;
    EXPECT_GT(row.level.interval_ns.high, truth) << row.period;
    EXPECT_TRUE(row.level.blocks) << row.period;
  }
}

TEST(TailView, SaysWhatPlanLengthSays) {
  const core::Phase phase = test::hour_of_npt();
  const auto tail = tail_view(PhaseView(phase));
  const Evidence evidence = evidence_of(phase, {1, 86'400, 0.95}, {});
  ASSERT_TRUE(tail && evidence.level);
  EXPECT_EQ(tail->levels.at(1).level.level_ns, evidence.level->level_ns);
  EXPECT_EQ(tail->levels.at(1).level.interval_ns.high, evidence.level->interval_ns.high);
}

TEST(TailView, IsNotOfAnArmOrOfWhatIsNotValid) {
  core::Phase phase = test::hour_of_npt();
  phase.comparison = "tracers";
  EXPECT_FALSE(tail_view(PhaseView(phase)));
  phase = test::hour_of_npt();
  phase.status = core::PhaseStatus::invalid;
  EXPECT_FALSE(tail_view(PhaseView(phase)));
  EXPECT_FALSE(tail_view(PhaseView(test::control_phase("control"))));
}

TEST(TailView, SentencesTellLevelsOrTheRefusal) {
  core::Phase phase = test::hour_of_npt();
  const auto sound = tail_view(PhaseView(phase));
  const std::string level = core::latency_text(sound->levels[1].level.level_ns),
                    high = core::latency_text(sound->levels[1].level.interval_ns.high);
  const auto told = AllOf(HasSubstr("in 1 d " + level), HasSubstr(" to " + high + ")"), HasSubstr("all checks hold"));
  EXPECT_THAT(tail_sentence(*sound), told);
  EXPECT_THAT(terminal_summary(run_of(phase), 1000), told);
  EXPECT_THAT(markdown_summary(run_of(phase)), told);
  for (core::CpuResult& cpu : phase.per_cpu)
    for (size_t second = 2400; second < 3600; ++second) cpu.timeline.max_ns[second] *= 1.5;
  const auto spoilt = tail_view(PhaseView(phase));
  ASSERT_TRUE(spoilt->levels.empty());
  const auto refused = AllOf(HasSubstr("no extrapolation"), HasSubstr(spoilt->refusal), Not(HasSubstr("1 d ")));
  EXPECT_THAT(tail_sentence(*spoilt), refused);
  EXPECT_THAT(terminal_summary(run_of(phase), 1000), HasSubstr(tail_sentence(*spoilt)));
  EXPECT_THAT(markdown_summary(run_of(phase)), HasSubstr(spoilt->refusal));
}

// The band holds the curve, the curve the table, and the dots are the maxima that the fit is of.
TEST(TailPlot, DrawsWhatTheTableTells) {
  const core::Phase phase = test::hour_of_npt();
  const PhaseView view(phase);
  const auto tail = tail_view(view);
  const auto plot = plot_of(view, *tail);
  ASSERT_TRUE(plot);
  ASSERT_EQ(plot->series.size(), 3U);
  const Stroke &band = plot->series[0].strokes[0], &curve = plot->series[1].strokes[0],
               &seen = plot->series[2].strokes[0];
  ASSERT_EQ(band.size(), 2 * curve.size());
  for (size_t i = 0; i < curve.size(); ++i) {
    EXPECT_LE(band[i].y, curve[i].y);
    EXPECT_GE(band[band.size() - 1 - i].y, curve[i].y);
    EXPECT_EQ(band[band.size() - 1 - i].x, curve[i].x);
  }
  EXPECT_NEAR(curve.back().x, 604'800, 1);
  EXPECT_NEAR(curve.back().y, tail->levels.back().level.level_ns, 1);
  ASSERT_EQ(seen.size(), tail->fit.excesses_ns.size());
  EXPECT_EQ(seen.back().y, view.all.max_ns);
  EXPECT_NEAR(seen.back().x, 7200, 7200 * 0.1) << "the largest was seen once in the run, mostly by one CPU";
  for (const Point& point : seen) EXPECT_TRUE(point.x >= plot->x.low && point.x <= plot->x.high);
}

// Without gnuplot all but the band.
TEST(TailOnThePage, HasLevelsABandAndTheHealthOfItsFit) {
  core::RunResult run = run_of(test::hour_of_npt());
  const auto tail = tail_view(PhaseView(run.phases[0]));
  ASSERT_TRUE(tail && tail->levels.size() == 3);
  const std::string page = *html_report(run);
  EXPECT_EQ(page.find("<figure data-kind=\"tail\">") != page.npos, no_plots_because().empty());
  for (const TailLevel& row : tail->levels) EXPECT_THAT(page, HasSubstr(latency_html(row.level.level_ns)));
  EXPECT_THAT(page, HasSubstr("of 100 blocks of 36 steps each")) << "3600 steps";
  size_t holds = 0;
  for (size_t at = page.find(">holds<"); at != page.npos; at = page.find(">holds<", at + 1)) ++holds;
  EXPECT_EQ(holds, 6U);
  for (core::CpuResult& cpu : run.phases[0].per_cpu)
    for (size_t second = 2400; second < 3600; ++second) cpu.timeline.max_ns[second] *= 1.5;
  const std::string refused = *html_report(run);
  EXPECT_THAT(refused, HasSubstr("No extrapolation: The large latencies come in clusters or at a rhythm"));
  EXPECT_THAT(refused, HasSubstr(">fails<"));
  EXPECT_THAT(refused, Not(HasSubstr("data-kind=\"tail\"")));
}

TEST(TailPlot, IsNotThereWithoutALevel) {
  core::Phase phase = test::hour_of_npt();
  for (core::CpuResult& cpu : phase.per_cpu) cpu.timeline.max_ns.resize(100);
  const PhaseView view(phase);
  const auto tail = tail_view(view);
  ASSERT_TRUE(tail);
  EXPECT_THAT(tail->refusal, HasSubstr("a tail needs 500"));
  EXPECT_FALSE(plot_of(view, *tail));
}

}  // namespace
}  // namespace maxlat::reports
