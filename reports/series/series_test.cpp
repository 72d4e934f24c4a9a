// SPDX-License-Identifier: MIT
#include "series.hpp"

#include <gmock/gmock.h>

#include <maxlat/core/result/fact_names.hpp>
#include <tuple>

#include "series_page.hpp"
#include "series_text.hpp"
#include "series_words.hpp"
#include "test_series.hpp"

namespace maxlat::reports {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A series of results, as read from files.
class SeriesTest : public ::testing::Test {
 protected:
  void add(const core::RunResult& run) {
    SeriesRun kept = series_run(run, groups_);
    kept.place = ".";
    kept.path = run.id + "/result.json";
    runs_.runs.push_back(std::move(kept));
  }
  // `factor` from the 30th of 60 nights on, until `back`.
  void add_nights(double factor, unsigned back = 60) {
    for (unsigned day = 0; day < 60; ++day)
      add(test::nightly_run(day, day >= 30 && day < back ? factor : 1, day >= 30 ? "6.12.2" : "6.12.1"));
  }
  MachineGroups groups_;
  SeriesRuns runs_;
};

TEST_F(SeriesTest, TheFirstBadRunAndWhatChangedThere) {
  add_nights(1.6);
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(1));
  const TrendLine& line = trends.lines[0];
  ASSERT_TRUE(line.first_bad);
  const TrendChange& change = line.changes[*line.first_bad];
  EXPECT_EQ(line.runs[change.at]->id, "nightly-30");
  EXPECT_NEAR(change.after_ns / change.before_ns, 1.6, 0.05);
  ASSERT_TRUE(change.machine);
  EXPECT_EQ(change.machine->at, 30U);
  ASSERT_THAT(change.machine->differences, SizeIs(1));
  EXPECT_EQ(core::to_string(change.machine->differences[0]), "kernel: release is 6.12.2, was 6.12.1");
  EXPECT_THAT(change.machine->restless, ElementsAre("kernel threads"));

  const std::string text = series_text(trends, runs_, 100);
  EXPECT_THAT(text, HasSubstr("First bad run of npt on Model 1, CPUs 0-1: 2026-02-03T02:00:00Z"));
  EXPECT_THAT(text, HasSubstr("There, kernel: release is 6.12.2, was 6.12.1"));
  EXPECT_THAT(series_markdown(trends, runs_), HasSubstr("| from | runs | p50 |"));
}

// A defect: of an upgrade that brought microcode and firmware the first package was told, and where other packages are
// updated each night, none.
TEST_F(SeriesTest, EveryPackageThatMattersAndChangedThereIsTold) {
  for (unsigned day = 0; day < 60; ++day) {
    core::RunResult run = test::nightly_run(day, day >= 30 ? 1.6 : 1);
    const bool upgraded = day >= 30;
    run.machine.push_back({"packages",
                           upgraded ? "new" : "old",
                           {{"firmware-realtek", upgraded ? "20250410-2" : "20230210-5"},
                            {"intel-microcode", upgraded ? "3.20250512.1" : "3.20240813.1"},
                            {"irqbalance", "1.9.2-1"}}});
    run.machine.push_back({"other packages", fmt::format("{}", day), {{"installed", fmt::format("{}", day)}}});
    add(run);
  }
  EXPECT_THAT(series_text(trends_of(runs_), runs_, 300),
              HasSubstr("There, packages: firmware-realtek is 20250410-2, was 20230210-5; intel-microcode is "
                        "3.20250512.1, was 3.20240813.1\n      also, as often in this series: kernel threads, other "
                        "packages"));
}

TEST_F(SeriesTest, WhatDoesNotChangeHasNoFirstBadRun) {
  add_nights(1);
  const Trends trends = trends_of(runs_);
  EXPECT_THAT(trends.lines[0].changes, IsEmpty());
  EXPECT_THAT(series_text(trends, runs_, 100), HasSubstr("No figure is shown to have become worse"));
}

TEST_F(SeriesTest, WhatWasRepairedIsAChangeAndNotBad) {
  add_nights(1.6, 45);
  const TrendLine line = trends_of(runs_).lines[0];
  EXPECT_THAT(line.changes, Not(IsEmpty()));
  EXPECT_FALSE(line.first_bad);
}

TEST_F(SeriesTest, AMachineThatChangedThreeRunsEarlierIsTold) {
  for (unsigned day = 0; day < 60; ++day)
    add(test::nightly_run(day, day >= 30 ? 1.6 : 1, day >= 27 ? "6.12.2" : "6.12.1"));
  EXPECT_THAT(series_text(trends_of(runs_), runs_, 200), HasSubstr("3 runs earlier, kernel: release is 6.12.2"));
}

TEST_F(SeriesTest, InvestigationsAreInNoTrend) {
  add_nights(1);
  core::RunResult traced = test::nightly_run(61, 40);
  traced.phases[0].arm = "lttng-ust:timer";
  add(traced);
  core::RunResult stopped = test::nightly_run(62, 40);
  stopped.phases[0].facts[core::fact::kBreak] = "at 4 ms";
  add(stopped);
  core::RunResult watched = test::nightly_run(63, 40);
  watched.phases[0].command = "maxlat npt --raw gaps --above 5us";
  add(watched);
  core::RunResult failed = test::nightly_run(64, 40);
  failed.phases[0].status = core::PhaseStatus::failed;
  add(failed);
  const Trends trends = trends_of(runs_);
  EXPECT_THAT(trends.investigations, SizeIs(3));
  EXPECT_THAT(trends.not_valid, SizeIs(1));
  ASSERT_THAT(trends.lines, SizeIs(1));
  EXPECT_THAT(trends.lines[0].runs, SizeIs(60));
  EXPECT_THAT(series_text(trends, runs_, 200), HasSubstr("1 x npt: with the tracepoints of lttng-ust:timer"));
}

// What a plan that says nothing else runs.
core::RunResult default_night(unsigned day, bool kernel_events) {
  core::RunResult run = test::nightly_run(day, 1);
  core::Phase& phase = run.phases[0];
  phase.command =
      fmt::format("maxlat npt -a 1 -D 8s -q --json run/phases/01-npt.json --snapshot 5s{} -p 95 -i --rest 100ms",
                  kernel_events ? " --kernel-events" : "");
  phase.facts[core::fact::kKernelEvents] =
      kernel_events ? "recorded by tracefs, which makes each interrupt longer" : "not recorded: left out";
  return run;
}

TEST_F(SeriesTest, ARunOfADefaultPlanIsInTheTrend) {
  add(default_night(0, true));
  const Trends trends = trends_of(runs_);
  EXPECT_THAT(trends.investigations, IsEmpty());
  EXPECT_THAT(trends.lines, SizeIs(1));
}

TEST_F(SeriesTest, KernelEventsAreAWayOfMeasuring) {
  add(default_night(0, true));
  add(default_night(1, false));
  add(test::nightly_run(2, 1));
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(2));
  EXPECT_THAT(line_name(trends.lines[0]), Not(HasSubstr("kernel events")));
  EXPECT_THAT(trends.lines[0].runs, SizeIs(2)) << "left out, or no word of them: neither has them";
  EXPECT_THAT(line_name(trends.lines[1]), HasSubstr("; kernel events: recorded)"));
}

// A defect: wake-ups every 5 ms of an ordinary thread were in one line with those every millisecond of a real-time one.
TEST_F(SeriesTest, OfATimersThreadsPolicyAndIntervalAreWaysOfMeasuring) {
  for (const auto& [day, interval, policy] :
       {std::tuple{0u, "1 ms", "SCHED_FIFO 95"}, {1u, "5 ms", "SCHED_FIFO 95"}, {2u, "1 ms", "SCHED_OTHER"}}) {
    core::RunResult run = test::nightly_run(day, 1);
    run.phases[0].kind = "cyclic";
    run.phases[0].facts["interval"] = interval;
    run.phases[0].facts["policy"] = policy;
    add(run);
  }
  EXPECT_THAT(trends_of(runs_).lines, SizeIs(3));
}

// A defect: what maxlat cyclic measured in cyclictest's place was in one line with cyclictest's.
TEST_F(SeriesTest, AStandInForCyclictestIsALineOfItsOwn) {
  for (const auto& [day, meter] : {std::pair{0u, "cyclictest 2.40"}, {1u, "cyclictest 2.80"}, {2u, "maxlat cyclic"}}) {
    core::RunResult run = test::nightly_run(day, 1);
    run.phases[0].kind = "cyclictest";
    run.phases[0].facts[core::fact::kMeter] = meter;
    run.phases[0].facts[core::fact::kInterval] = "100 us";
    add(run);
  }
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(2));
  EXPECT_THAT(trends.lines[0].runs, SizeIs(2)) << "of two versions";
  EXPECT_THAT(line_name(trends.lines[0]), HasSubstr("timer: every 100 us"));
  EXPECT_THAT(line_name(trends.lines[1]), HasSubstr("meter: maxlat cyclic"));
}

TEST_F(SeriesTest, ALimitThatWasAskedForIsOneOnGoodNightsToo) {
  core::RunResult run = test::nightly_run(0, 1);
  run.phases[0].facts[core::fact::kLimit] = "50.0 us";
  add(run);
  core::RunResult other = test::nightly_run(1, 1);
  other.phases[0].command = "maxlat npt -b mentioned --json night-b/x.json";  // the fact tells, not the words
  add(other);
  const Trends trends = trends_of(runs_);
  EXPECT_THAT(trends.investigations, SizeIs(1));
  ASSERT_THAT(trends.lines, SizeIs(1));
  EXPECT_THAT(trends.lines[0].runs, SizeIs(1));
}

TEST_F(SeriesTest, BoxesAndWaysOfMeasuringAreLinesOfTheirOwn) {
  for (unsigned day = 0; day < 4; ++day) {
    add(test::nightly_run(day, 1));
    core::RunResult named = test::nightly_run(day, 1);
    named.annotations["box"] = "box 17";
    add(named);
    named.phases[0].load = {test::load_of("hackbench", "rounds/s", 3, 4)};
    add(named);
  }
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(3));
  EXPECT_EQ(trends.lines[0].box, "Model 1, CPUs 0-1");
  EXPECT_TRUE(trends.lines[0].only_way);
  EXPECT_FALSE(trends.lines[1].only_way);
  EXPECT_THAT(line_name(trends.lines[1]), HasSubstr("npt on box 17 (kind: npt; arm: none; CPUs: 1; loads: "));
  EXPECT_THAT(series_text(trends, runs_, 200), HasSubstr("3 of 3 lines had fewer than the"));
}

TEST_F(SeriesTest, AMaximumOfALongerRunIsNoChange) {
  for (unsigned day = 0; day < 60; ++day) {
    core::RunResult run = test::nightly_run(day, 1);
    core::CpuResult& cpu = run.phases[0].per_cpu[0];
    if (day >= 30) {
      cpu.exposure_s = run.phases[0].exposure_s = 100;
      test::add_stall(cpu, 1e6, 5);
    }
    add(run);
  }
  const TrendLine line = trends_of(runs_).lines[0];
  EXPECT_TRUE(line.watched_unalike);
  EXPECT_THAT(line.changes, IsEmpty());
}

TEST_F(SeriesTest, TheFirstRunWhoseVerdictFails) {
  const char* verdicts[] = {"pass", "fail", "pass", "not gated", "fail", "fail"};
  for (unsigned day = 0; day < 6; ++day) {
    add(test::nightly_run(day, 1));
    runs_.runs.back().verdict = verdicts[day];
  }
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.fails, SizeIs(1));
  EXPECT_EQ(trends.fails[0].run->id, "nightly-4");
  EXPECT_EQ(trends.fails[0].last_pass->id, "nightly-2");
  const auto fails_after = [&](const char* fact, const std::string& plan) {
    core::RunResult later = test::nightly_run(6, 1);
    if (fact != nullptr) later.phases[0].facts[fact] = "50.0 us";
    later.plan = plan;
    add(later);
    runs_.runs.back().verdict = "pass";
    return said_of(trends_of(runs_), runs_).findings.at(0).text;
  };
  const std::string still = "First run of Model 1, CPUs 0-1 whose verdict fails: ";
  EXPECT_THAT(fails_after(core::fact::kLimit, ""), HasSubstr(still)) << "an investigation repairs nothing";
  EXPECT_THAT(fails_after(nullptr, "quick"), HasSubstr(still)) << "and neither does what asks for less";
  EXPECT_THAT(fails_after(nullptr, ""), HasSubstr("No figure is shown"));
}

TEST_F(SeriesTest, ALineWithAChangeHadRunsEnough) {
  for (unsigned day = 0; day < 12; ++day) add(test::nightly_run(day, 1));
  Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(1));
  ASSERT_GT(trends.fewest_runs, 12U);
  EXPECT_THAT(said_of(trends, runs_).limits, Contains(HasSubstr("1 of 1 line had fewer than")));
  trends.lines[0].changes.push_back({.figure = "p50", .at = 6, .before_ns = 1000, .after_ns = 2000, .machine = {}});
  EXPECT_THAT(said_of(trends, runs_).limits, Not(Contains(HasSubstr("had fewer than"))));
}

// A defect: a trend of hardware latency in a virtual machine did not say that it is an upper bound.
TEST_F(SeriesTest, AnUpperBoundIsNamedAsOne) {
  for (unsigned day = 0; day < 3; ++day) {
    core::RunResult run = test::nightly_run(day, 1);
    run.phases[0].facts[core::fact::kBound] = "upper bound: interrupts and scheduling are included";
    add(run);
  }
  add(test::nightly_run(3, 1));
  const Trends trends = trends_of(runs_);
  ASSERT_THAT(trends.lines, SizeIs(2)) << "one of each bound";
  EXPECT_EQ(trends.lines[0].phase, "npt");
  EXPECT_EQ(trends.lines[1].phase, "npt (upper bound)");
  EXPECT_THAT(series_text(trends, runs_, 100), HasSubstr("npt (upper bound) on "));
}

TEST_F(SeriesTest, MarkupInResultsIsNone) {
  core::RunResult run = test::nightly_run(0, 1);
  run.annotations["box"] = "<script>alert(1)</script>|[x](y)";
  run.phases[0].name = "<b>";
  add(run);
  const Trends trends = trends_of(runs_);
  EXPECT_THAT(series_markdown(trends, runs_), Not(HasSubstr("<script>")));
  const auto page = series_page(trends, runs_);
  if (!page) GTEST_SKIP() << page.error().text;
  EXPECT_THAT(*page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(*page, HasSubstr("&lt;b&gt; on &lt;script&gt;"));
}

}  // namespace
}  // namespace maxlat::reports
