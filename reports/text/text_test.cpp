// SPDX-License-Identifier: MIT
//
// What goes to a terminal: numbers, tables, histograms, the summary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/report.hpp>
#include <sstream>

#include "plots/axes.hpp"
#include "test/test_runs.hpp"
#include "text_histogram.hpp"
#include "view/numbers.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kStart_ns = 1'795'520'000'250'000'000;  // 2026-11-24 12:33:20.25 in Berlin

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Numbers, ForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1203980), "1\u202f203\u202f980");
  EXPECT_EQ(latency_html(4560), "4.56\u202fµs");
  EXPECT_EQ(about(1.234e9), "1.2\u00a0×\u00a010⁹");
  EXPECT_EQ(about(840), "840");
  EXPECT_EQ(with_micro_sign("is 85.0 us (73 us, CPU 0), status us 5 usual"),
            "is 85.0 µs (73 µs, CPU 0), status us 5 usual");
  EXPECT_EQ(decade_label(1000), "1 µs");
  EXPECT_EQ(decade_label(std::pow(10, 5)), "100 µs");
  EXPECT_EQ(count_label(1e6), "1 M");
}

TEST(Axes, LatencyAxisHoldsItsRangeAndLabelsDecades) {
  const auto axis = latency_axis("latency", 23, 4.1e6);
  EXPECT_LE(axis.low, 23);
  EXPECT_GE(axis.high, 4.1e6);
  EXPECT_THAT(axis.tics, ::testing::Contains(::testing::Field(&Tic::label, "1 ms")));
}

TEST(Axes, NinesAxisEndsWithTheSamples) {
  const auto axis = nines_axis("share", 1e4);
  EXPECT_EQ(axis.tics.size(), 5u);
  EXPECT_EQ(axis.tics[3].label, "99.9 %");
  EXPECT_LT(axis.high, 5);
}

uint64_t sum_of_histogram(const std::string& text) {
  uint64_t sum = 0;
  for (const auto& line : lines_of(text)) {
    std::istringstream fields(line.substr(line.rfind('"') + 1));
    double low = 0, high = 0;
    uint64_t count = 0;
    fields >> low >> high >> count;
    EXPECT_LT(low, high);
    sum += count;
  }
  return sum;
}

TEST(TextHistogram, ConservesCountsAndShowsTheMaximum) {
  const auto run = test::typical_run();
  for (const auto& phase : run.phases) {
    const PhaseView view(phase);
    const std::string text = text_histogram(phase.name, view.all, 100);
    EXPECT_EQ(sum_of_histogram(text), view.all.samples) << phase.name;
  }
}

// A defect: all samples of a meter that tells its extremes alone stood in the bin of the maximum.
TEST(TextHistogram, IsOfValuesAndNotOfCountsAlone) {
  core::CpuResult cpu;
  cpu.samples = cpu.overflow_count = 1000;
  cpu.max_ns = 5000;
  EXPECT_EQ(text_histogram("x", cpu, 100), "");
}

TEST(TextHistogram, AnOverflowIsCounted) {
  auto cpu = test::cpu_from_bins(0, {{0, 0.5, 4}, {100, 101, 2}}, 1);
  cpu.overflow_count = 1;
  cpu.samples = 7;
  cpu.max_ns = 400e9;
  const auto text = text_histogram("x", cpu, 100);
  EXPECT_EQ(sum_of_histogram(text), 7u);
  EXPECT_THAT(lines_of(text).back(), HasSubstr("200000000000"));
}

TEST(TerminalSummary, SaysVerdictAndReasonsFirst) {
  auto run = test::typical_run();
  run.verdict.kind = core::Verdict::Kind::fail;
  run.verdict.reasons = {"too late"};
  const auto lines = lines_of(terminal_summary(run));
  EXPECT_EQ(lines.at(0), "Verdict: FAIL");
  EXPECT_EQ(lines.at(1), "  - too late");
  EXPECT_THAT(lines, ::testing::Contains("NOT COMPARABLE WITH BARE METAL"));
}

TEST(TerminalSummary, NamesEveryPhaseLoadAndStall) {
  const auto run = test::typical_run();
  const std::string text = terminal_summary(run);
  for (const auto& phase : run.phases) {
    EXPECT_THAT(text, HasSubstr(phase.name));
    for (const auto& load : phase.load) EXPECT_THAT(text, HasSubstr(load.name));
  }
  EXPECT_THAT(text, HasSubstr("4.10 ms"));
  EXPECT_THAT(text, HasSubstr("lttng-sessiond is not installed"));
}

TEST(TerminalSummary, ATailThatSomethingElseMadeIsSuspicious) {
  auto run = test::single_phase_run();
  for (core::CpuResult& cpu : run.phases[0].per_cpu) cpu.outliers.clear();
  EXPECT_THAT(terminal_summary(run), Not(HasSubstr("Suspicious")));
  EXPECT_THAT(markdown_summary(run), Not(HasSubstr("suspicious")));
  for (core::CpuResult& cpu : run.phases[0].per_cpu) test::add_stall(cpu, 5e6, 3);
  EXPECT_THAT(terminal_summary(run, 200), HasSubstr("  - npt, because: The largest samples of all CPUs go together"));
  EXPECT_THAT(markdown_summary(run),
              HasSubstr("- suspicious: npt, because: The largest samples of all CPUs go together"));
  run.phases[0].status = core::PhaseStatus::invalid;
  EXPECT_THAT(terminal_summary(run), Not(HasSubstr("Suspicious"))) << "nothing may be concluded from it at all";
}

TEST(TerminalSummary, NamesTheWorstGapOfATracer) {
  EXPECT_THAT(terminal_summary(test::tracer_run(), 160),
              HasSubstr(", was a sub-buffer switch and wakeup (639 of them, median 20.0 us)"));
}

// A defect: they were as long as they were, whatever --width said.
TEST(TerminalSummary, WhatIsSaidOfTracersIsWrapped) {
  auto run = test::tracer_run();
  run.comparisons.front().verdict.clear();
  for (int i = 0; i < 40; ++i) run.comparisons.front().verdict += "word ";
  std::istringstream lines(terminal_summary(run, 60));
  size_t with_words = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("word") == std::string::npos) continue;
    EXPECT_LE(core::shown_width(line), 60u) << line;
    ++with_words;
  }
  EXPECT_GE(with_words, 4u);
}

TEST(TerminalSummary, AFixIsNeverCut) {
  auto run = test::typical_run();
  run.preflight[0].fix =
      "echo 0 > /sys/devices/system/a/rather/long/path; and then look again, because a daemon may write it "
      "back; needs a reboot END";
  const std::string text = terminal_summary(run, 80);
  EXPECT_THAT(text, HasSubstr("/sys/devices/system/a/rather/long/path;"));
  EXPECT_THAT(text, HasSubstr("END\n"));
}

TEST(TerminalSummary, KeepsToTheWidth) {
  auto run = test::typical_run();
  for (int round = 0; round < 2; ++round) {  // without the time of the clock, and with it
    for (const unsigned width : {80u, 100u, 132u}) {
      for (const auto& line : lines_of(terminal_summary(run, width))) EXPECT_LE(core::shown_width(line), width) << line;
    }
    for (auto& phase : run.phases) core::set_realtime_start(phase, kStart_ns);
  }
}

// It is read beside other runs' and without the page: which run, which box.
TEST(TerminalSummary, SaysWhichRunAndWhichBox) {
  auto run = test::typical_run();
  run.label = "box 17, \033[2J new BIOS";
  run.annotations = {{"bios", "2.4"}};
  run.build = "83c1f0a29b41d6e7";
  run.machine = {{"cpu", "0", {{"model name", "AMD EPYC 9B14"}, {"online", "0-1"}}},
                 {"kernel", "0", {{"release", "6.12.1"}, {"version", "#1 SMP PREEMPT_RT"}}}};
  const std::string text = terminal_summary(run, 132);
  EXPECT_THAT(text, HasSubstr("box 17, ?[2J new BIOS\nAMD EPYC 9B14, CPUs 0-1; Linux 6.12.1, PREEMPT_RT\n"));
  EXPECT_THAT(text, HasSubstr(run.id + "; plan "));
  EXPECT_THAT(text, HasSubstr("build 83c1f0a29b41; bios: 2.4\n"));
  EXPECT_LT(text.find("box 17"), text.find("Phases"));
}

// Wherever the name stands beside figures.
TEST(TerminalSummary, AnUpperBoundIsCalledOneEverywhere) {
  auto run = test::typical_run();
  core::set_realtime_start(run.phases[1], kStart_ns);
  run.phases.erase(run.phases.begin() + 2, run.phases.end() - 1);  // the largest samples are its own
  for (const unsigned width : {80u, 132u}) {
    size_t figures = 0;
    for (const auto& line : lines_of(terminal_summary(run, width))) {
      if (line.find("hardware") == std::string::npos) continue;
      EXPECT_THAT(line, HasSubstr("hardware latency (upper bound)"));
      ++figures;
    }
    EXPECT_GE(figures, 3u) << "the table of phases, largest samples, the histogram";
  }
}

TEST(TerminalSummary, TheLargestSamplesHaveTheTimeOfTheLog) {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  auto run = test::typical_run();
  EXPECT_THAT(terminal_summary(run, 132), Not(HasSubstr("by the clock")));
  core::set_realtime_start(run.phases[4], kStart_ns);  // npt under load: 4.1 ms, 24.4 s after its start
  run.phases[4].per_cpu[0].outliers.resize(3);
  for (const unsigned width : {80u, 132u}) {
    const std::string text = terminal_summary(run, width);
    EXPECT_THAT(text, HasSubstr("Largest samples, in local time (CET)"));
    EXPECT_THAT(text, HasSubstr("2026-11-24 12:33:44.650"));
    EXPECT_EQ(text.find("24.400000 s") != std::string::npos, width == 132);
    EXPECT_THAT(text, HasSubstr("time unknown")) << "other phases do not tell when they began";
  }
  unsetenv("TZ");
  tzset();
}

TEST(TerminalSummary, ColoursOnlyWhenAsked) {
  EXPECT_THAT(terminal_summary(test::typical_run()), Not(HasSubstr("\033")));
  EXPECT_THAT(terminal_summary(test::typical_run(), 100, true), HasSubstr("\033"));
}

TEST(TerminalSummary, WorksForOnePhaseAndForNone) {
  EXPECT_THAT(terminal_summary(test::single_phase_run()), HasSubstr("npt"));
  EXPECT_THAT(terminal_summary(core::RunResult{}), HasSubstr("Verdict"));
}

}  // namespace
}  // namespace maxlat::reports
