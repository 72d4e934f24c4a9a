// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/reports/report.hpp>
#include <sstream>

#include "test/test_runs.hpp"
#include "test/test_tail.hpp"
#include "view/phase_view.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMore = "maxlat report --text box17";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string summary(const core::RunResult& run) {
  return run_summary(run, kMore, {"report: /box17/report.html"});
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// More of everything than a screen has lines.
core::RunResult wordy_run() {
  auto run = test::typical_run();
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    run.preflight.push_back({core::SettingObservation::Verdict::bad, "setting " + number, "cpu", "on", "off",
                             "it hurts",
                             "echo 0 > /sys/a/long/path/of/setting" + number +
                                 "; and then look again, because a daemon may write it back, and say END" + number});
    run.phases[2].warnings.push_back("warning " + number);
    run.verdict.reasons.push_back("reason " + number);
    run.verdict.not_comparable.push_back("because " + number);
    run.comparisons.push_back(test::comparison_of("arm" + number, 12, "arm" + number + " adds 12.0 ns"));
    run.phases.push_back(test::phase_of("phase " + number, "npt", 1, {test::npt_cpu(0, 0.01, 2, 22e3)}));
  }
  return run;
}

TEST(RunSummary, IsOneScreenThatEndsInVerdictAndReport) {
  for (const auto& run :
       {test::typical_run(), wordy_run(), test::tracer_run(), test::single_phase_run(), core::RunResult{}}) {
    const auto lines = lines_of(summary(run));
    EXPECT_LE(lines.size(), kSummaryLines);
    EXPECT_EQ(lines.back(), "report: /box17/report.html");
    size_t verdict = 0;
    for (size_t i = 0; i < lines.size(); ++i) verdict = lines[i].starts_with("Verdict: ") ? i : verdict;
    ASSERT_NE(lines[verdict].find("Verdict: NOT GATED"), std::string::npos);
    EXPECT_GE(verdict + 8, lines.size());  // only its reasons and the report follow
    for (const auto& line : lines) EXPECT_LE(core::shown_width(line), 100u) << line;
  }
}

TEST(RunSummary, ManyLastLinesLeaveTheVerdict) {
  const auto text = run_summary(wordy_run(), kMore, std::vector<std::string>(20, "last"));
  EXPECT_LE(lines_of(text).size(), kSummaryLines);
  EXPECT_THAT(text, HasSubstr("Verdict: "));
}

TEST(RunSummary, WhatDoesNotFitIsCountedAndAFixIsWholeOrNotThere) {
  const std::string text = summary(wordy_run());
  EXPECT_THAT(text, ::testing::ContainsRegex("and [0-9]+ more, see maxlat report --text box17"));
  EXPECT_THAT(text, Not(HasSubstr("..")));
  EXPECT_EQ(count_of(text, "echo 0 > "), count_of(text, "END"));
}

TEST(RunSummary, AllOfAnOrdinaryRun) {
  const std::string text = summary(test::typical_run());
  for (const char* part :
       {"AMD EPYC 9B14, CPUs 0-1; Linux 6.1.0-27-amd64, PREEMPT_DYNAMIC; plan quick", "hardware latency (upper bound)",
        "cyclictest under load", "4.10 ms", "control: 6 of 6 planted stalls found (npt loop)",
        "preemption is PREEMPT_VOLUNTARY: apt install linux-image-rt-amd64", "(1 more could not be read)",
        "npt under load: CPU 0 was throttled by the host for 4 ms", "lttng-sessiond is not installed",
        "Not comparable with bare metal:"})
    EXPECT_THAT(text, HasSubstr(part)) << text;
}

// The words of the phase's table, of the verdict and of this line are the same three, and so are the numbers.
TEST(RunSummary, AStallIsFoundOrOffSizeOrMissed) {
  auto run = test::typical_run();
  auto& stalls = run.phases[0].control->stalls;
  stalls[0].found = stalls[1].found = false;
  stalls[1].found_ns = 0;
  const std::string counts = "planted stalls found, 1 off size, 1 missed";
  EXPECT_THAT(summary(run), HasSubstr("control: 4 of 6 " + counts));
  EXPECT_THAT(unfit_because(run.phases[0]).value_or(""), HasSubstr("1 of 3 " + counts));
  const std::string text = terminal_summary(run);
  EXPECT_THAT(text, ::testing::ContainsRegex(" off size\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex(" missed\n"));
}

TEST(RunSummary, ATailThatSomethingElseMadeIsSuspicious) {
  auto run = test::single_phase_run();
  for (core::CpuResult& cpu : run.phases[0].per_cpu) cpu.outliers.clear();
  EXPECT_THAT(summary(run), Not(HasSubstr("suspicious")));
  for (core::CpuResult& cpu : run.phases[0].per_cpu) test::add_stall(cpu, 5e6, 3);
  EXPECT_THAT(summary(run), HasSubstr("\n  suspicious: npt, because all CPUs were late together\n"));
  run.phases[0].status = core::PhaseStatus::invalid;
  EXPECT_THAT(summary(run), Not(HasSubstr("suspicious"))) << "nothing may be concluded from it at all";
}

TEST(RunSummary, AllSignsOfOnePhaseAreInOneSentence) {
  core::Phase phase = test::phase_of("timer", "cyclictest", 600, {});
  for (const unsigned number : {0u, 1u}) {
    core::CpuResult cpu = test::cpu_from_bins(number, {{5000, 6000, 5'990'000}, {6000, 7000, 10'000}}, 600);
    for (int i = 0; i < 20; ++i) test::add_stall(cpu, 2e6 + 1000 * i, 10 + 30.0 * i);
    phase.per_cpu.push_back(cpu);
  }
  core::RunResult run;
  run.phases.push_back(phase);
  EXPECT_THAT(summary(run),
              ::testing::ContainsRegex("  suspicious: timer, because its maximum is [0-9]+ times p99, all CPUs were "
                                       "late together, and the\n +largest come every 30 s\n"));
}

TEST(RunSummary, ATailHasItsLevelsAndWhatHasNoneIsNamed) {
  core::RunResult run;
  run.phases = {test::hour_of_npt(), test::typical_run().phases[4]};
  run.phases[0].name = "long";
  const auto tail = tail_view(PhaseView(run.phases[0]));
  ASSERT_TRUE(tail && !tail->levels.empty());
  const std::string hour = core::latency_text(tail->levels[0].level.level_ns);
  EXPECT_THAT(summary(run), HasSubstr("\n  tail: long: once in 1 h of CPU time " + hour + " ("));
  EXPECT_THAT(summary(run), HasSubstr("\n  tail: no extrapolation of npt under load; the report says why\n"));
}

// A defect: a run that watched its largest samples did not say what it had found, one that could not did not say so.
TEST(RunSummary, WhoHadTheLargestIsNamedOrWhyNobodyKnows) {
  auto run = test::typical_run();
  core::Phase& idle = run.phases[3];
  core::CpuResult* worst = &idle.per_cpu[0];
  for (core::CpuResult& cpu : idle.per_cpu) worst = cpu.max_ns > worst->max_ns ? &cpu : worst;
  core::Outlier largest;
  largest.latency_ns = worst->max_ns;
  largest.accounting = {
      {.kind = core::TimeClass::task, .name = "kworker/1:2 (tid 77, nice 0)", .ns = worst->max_ns, .count = 1}};
  worst->outliers = {largest};
  for (const size_t phase : {2u, 4u})
    run.phases[phase].facts[core::fact::kKernelEvents] = "not recorded: tracefs is for root: run as root";
  const std::string named = idle.name + ": " + core::latency_text(worst->max_ns) + " on CPU " +
                            std::to_string(worst->cpu) + ": task kworker/1:2 (tid 77, nice 0) " +
                            core::latency_text(worst->max_ns) + "\n";
  const std::string why = "who had it is not known of " + run.phases[2].name + ", " + run.phases[4].name + ":";
  EXPECT_THAT(summary(run), HasSubstr("\n  largest: " + named));
  EXPECT_THAT(summary(run), HasSubstr("\n  largest: " + why));
  const std::string text = terminal_summary(run, 200);
  EXPECT_THAT(text, HasSubstr("\n  - " + named));
  EXPECT_THAT(text, HasSubstr(why + " the kernel's events are not recorded: tracefs is for root: run as root\n"));
}

TEST(RunSummary, BeginsWithTheLabel) {
  auto run = test::typical_run();
  run.label = "box 17, new BIOS";
  EXPECT_EQ(lines_of(summary(run)).front(), "box 17, new BIOS");
}

TEST(RunSummary, AReasonIsToldOnce) {
  auto run = test::typical_run();
  run.phases[3].status = core::PhaseStatus::failed;
  run.phases[3].reason = "cannot set SCHED_FIFO 95";
  run.verdict.reasons = {"npt idle: failed: cannot set SCHED_FIFO 95"};
  EXPECT_EQ(count_of(summary(run), "cannot set SCHED_FIFO 95"), 1u);
  run.verdict.reasons.clear();
  EXPECT_EQ(count_of(summary(run), "cannot set SCHED_FIFO 95"), 1u);
}

}  // namespace
}  // namespace maxlat::reports
