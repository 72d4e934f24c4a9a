// SPDX-License-Identifier: MIT
#include "compared_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>

#include "compare_text.hpp"
#include "compare_words.hpp"
#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = Difference::Kind;

// One CPU of npt, with every latency so many times as long.
core::RunResult run_of(double times = 1, double tail_ns = 20'000, double seconds = 60) {
  core::RunResult run = test::single_phase_run();
  std::vector<core::Bin> bins = test::npt_cpu(1, 1, seconds, tail_ns).bins;
  for (core::Bin& bin : bins) {
    bin.low_ns *= times;
    bin.high_ns *= times;
  }
  static int runs = 0;
  run.id = std::to_string(++runs);
  core::CpuResult cpu = test::cpu_from_bins(1, std::move(bins), seconds);
  cpu.timeline.max_ns.assign(static_cast<size_t>(seconds), cpu.max_ns / 2);
  cpu.timeline.max_ns.front() = cpu.max_ns;
  run.phases = {test::phase_of("npt", "npt", seconds, {std::move(cpu)})};
  return run;
}

void stall(core::RunResult& run, double ns, double at_s, size_t cpu = 0) {
  core::CpuResult& of = run.phases[0].per_cpu[cpu];
  test::add_stall(of, ns, at_s);
  if (!of.timeline.max_ns.empty()) of.timeline.max_ns[static_cast<size_t>(at_s)] = ns;
}

ComparedRuns compare(const core::RunResult& base, const core::RunResult& other) {
  return compare_runs({{"good", {base}}, {"new", {other}}});
}

Kind kind_of(const ComparedRuns& compared, const std::string& figure, size_t phase = 0) {
  for (const FigureRow& row : compared.phases.at(phase).figures)
    if (row.name == figure) return row.differences.at(0).kind;
  ADD_FAILURE() << "no figure " << figure;
  return Kind::not_judged;
}

TEST(ComparedRuns, TheSameRunTwiceDiffersInNothing) {
  const ComparedRuns compared = compare(run_of(), run_of());
  EXPECT_FALSE(compared.worse);
  EXPECT_TRUE(compared.alike);
  EXPECT_THAT(compared.machine, IsEmpty());
  for (const FigureRow& row : compared.phases.at(0).figures) {
    EXPECT_NE(row.differences[0].kind, Kind::larger) << row.name;
    EXPECT_NE(row.differences[0].kind, Kind::smaller) << row.name;
  }
  EXPECT_THAT(compared.verdict, Contains("npt in new: no difference is shown"));
}

TEST(ComparedRuns, ARunThatWasToEndAtALimitIsNotCompared) {
  core::RunResult ended = run_of();
  ended.phases[0].facts[core::fact::kLimit] = "50.0 us";
  const ComparedRuns compared = compare(run_of(), ended);
  EXPECT_FALSE(compared.alike);
  EXPECT_THAT(compared.verdict, Contains("npt is not measured in new"));
  EXPECT_THAT(compared.verdict,
              Contains("new, run " + ended.id + ": npt: it was to end at the first sample above 50.0 us"));
}

TEST(ComparedRuns, AShiftedBodyOfOneRunIsToldAndNotDecided) {
  const ComparedRuns compared = compare(run_of(1), run_of(1.5));
  EXPECT_EQ(kind_of(compared, "p50"), Kind::larger_here) << "of a build one run knows nothing";
  EXPECT_FALSE(compared.worse);
  EXPECT_TRUE(compared.undecided);
  EXPECT_EQ(kind_of(compared, "mean"), Kind::not_judged) << "a tail hides in it";
  const ComparedRuns back = compare(run_of(1.5), run_of(1));
  EXPECT_EQ(kind_of(back, "p50"), Kind::smaller_here);
  EXPECT_FALSE(back.undecided);
  EXPECT_THAT(compared.verdict.front(), HasSubstr("npt in new: larger in these runs, p50 x 1.5"));
}

TEST(ComparedRuns, WhatIsBelowTheRatioIsNotTold) {
  EXPECT_EQ(kind_of(compare(run_of(1), run_of(1.05)), "p50"), Kind::not_shown);
  const ComparedRuns close = compare_runs({{"a", {run_of(1)}}, {"b", {run_of(1.05)}}}, {.ratio = 1.01});
  EXPECT_EQ(kind_of(close, "p50"), Kind::larger_here);
}

// Ten minutes with 24 long samples: each in a step of its own, or in twelve steps one after another, twice.
core::RunResult run_with_tail(double tail_ns, bool spread) {
  core::RunResult run = test::single_phase_run();
  static int runs = 0;
  run.id = "tail" + std::to_string(++runs);
  core::CpuResult cpu = test::cpu_from_bins(1, {{5000, 5100, 100'000}, {tail_ns, tail_ns + 100, 24}}, 600);
  cpu.timeline.max_ns.assign(600, 5090);
  for (size_t i = 0; i < 24; ++i) cpu.timeline.max_ns[spread ? 25 * i : 100 + i + (i < 12 ? 0 : 200)] = tail_ns + 90;
  run.phases = {test::phase_of("npt", "npt", 600, {std::move(cpu)})};
  return run;
}

// A defect: of samples of one disturbance each was taken for one that knows nothing of the others.
TEST(ComparedRuns, IntervalsOfQuantilesKnowOfDisturbancesThatLast) {
  const ComparedRuns spread = compare(run_with_tail(50'000, true), run_with_tail(90'000, true));
  EXPECT_EQ(kind_of(spread, "p99.99"), Kind::larger_here);
  const ComparedRuns lasting = compare(run_with_tail(50'000, false), run_with_tail(90'000, false));
  EXPECT_EQ(kind_of(lasting, "p99.99"), Kind::not_shown);
  EXPECT_THAT(lasting.verdict, Contains("npt in new: samples are taken as independent at p50, p90, p99, p99.9: nearly "
                                        "every step of the time line holds such samples"));
}

TEST(ComparedRuns, WithoutATimeLineItIsSaidThatSamplesAreTakenAsIndependent) {
  core::RunResult base = run_with_tail(50'000, false), other = run_with_tail(90'000, false);
  for (core::RunResult* run : {&base, &other}) run->phases[0].per_cpu[0].timeline.max_ns.clear();
  const ComparedRuns compared = compare(base, other);
  EXPECT_EQ(kind_of(compared, "p99.99"), Kind::larger_here);
  EXPECT_THAT(compared.verdict, Contains(HasSubstr("p99.99: there is no time line")));
}

// Rosenbaum 1954: that many above the base's maximum are no chance.
TEST(ComparedRuns, AFewStallsAreATailAndOneIsChance) {
  for (const int stalls : {1, 20}) {
    core::RunResult other = run_of();
    for (int i = 0; i < stalls; ++i) stall(other, 900'000 + 1000 * i, 1 + 2 * i);
    const ComparedRuns compared = compare(run_of(), other);
    EXPECT_EQ(kind_of(compared, "max"), stalls == 1 ? Kind::not_shown : Kind::larger) << stalls;
    EXPECT_EQ(kind_of(compared, "p50"), Kind::not_shown);
    const ComparedRuns back = compare(other, run_of());
    EXPECT_EQ(kind_of(back, "max"), stalls == 1 ? Kind::not_shown : Kind::smaller) << stalls;
  }
}

TEST(ComparedRuns, ALongerRunMayHaveTheLargerMaximum) {
  core::RunResult other = run_of(1, 20'000, 6000);
  for (int i = 0; i < 12; ++i) stall(other, 900'000 + 1000 * i, 1 + 400 * i);
  EXPECT_EQ(kind_of(compare(run_of(), other), "max"), Kind::not_shown) << "it watched a hundred times as long";
}

// Twenty samples in one second are one event, and so is a second in which all CPUs stood.
TEST(ComparedRuns, ABurstAndAStallOfAllCpusCountOnce) {
  core::RunResult burst = run_of();
  for (int i = 0; i < 20; ++i) stall(burst, 900'000 + i, 7.0 + 0.01 * i);
  EXPECT_EQ(kind_of(compare(run_of(), burst), "max"), Kind::not_shown);

  core::RunResult base = run_of(), all = run_of();
  for (core::RunResult* run : {&base, &all})
    for (unsigned cpu = 2; cpu < 18; ++cpu) {
      run->phases[0].per_cpu.push_back(run->phases[0].per_cpu[0]);
      run->phases[0].per_cpu.back().cpu = cpu;
    }
  for (size_t cpu = 0; cpu < 17; ++cpu) stall(all, 900'000, 7, cpu);
  EXPECT_EQ(kind_of(compare(base, all), "max"), Kind::not_shown);
}

// A defect: each second of one disturbance was an event of its own, and fifteen of them made a build worse.
TEST(ComparedRuns, ADisturbanceThatLastsCountsOnce) {
  core::RunResult lasting = run_of(), spread = run_of();
  for (int i = 0; i < 15; ++i) stall(lasting, 900'000 + i, 20 + i);
  for (int i = 0; i < 15; ++i) stall(spread, 900'000 + i, 20 + 2 * i);
  const ComparedRuns compared = compare(run_of(), lasting);
  EXPECT_EQ(kind_of(compared, "max"), Kind::larger_here);
  EXPECT_FALSE(compared.worse);
  EXPECT_TRUE(compared.undecided);
  EXPECT_EQ(kind_of(compare(run_of(), spread), "max"), Kind::larger);
}

// A defect: what lay beyond an imported histogram was one event, however many samples it was.
TEST(ComparedRuns, WhatLiesBeyondTheHistogramIsCounted) {
  const auto imported = [](uint64_t beyond) {
    core::RunResult run = run_of();
    core::CpuResult& cpu = run.phases[0].per_cpu[0];
    cpu = test::cpu_from_bins(1, {{5000, 6000, 100'000}, {90'000, 91'000, 1}}, 60);
    cpu.overflow_count = beyond;
    cpu.samples += beyond;
    cpu.max_ns = beyond > 0 ? 500'000 : cpu.max_ns;
    return run;
  };
  EXPECT_EQ(kind_of(compare(imported(0), imported(1)), "max"), Kind::not_shown);
  const ComparedRuns many = compare(imported(0), imported(1000));
  EXPECT_EQ(kind_of(many, "max"), Kind::larger_here);
  EXPECT_FALSE(many.worse) << "no time line tells whether they came at once";
}

// cyclictest's time line is of the largest so far: every step behind the burst holds it.
TEST(ComparedRuns, ARunningMaximumCountsOnlyWhereItRises) {
  core::RunResult other = run_of();
  core::CpuResult& cpu = other.phases[0].per_cpu[0];
  for (int i = 0; i < 20; ++i) test::add_stall(cpu, 900'000 + i, 7.0 + 0.01 * i);
  cpu.timeline.kind = core::Timeline::Kind::running_max;
  for (size_t second = 7; second < cpu.timeline.max_ns.size(); ++second) cpu.timeline.max_ns[second] = 900'020;
  EXPECT_EQ(kind_of(compare(run_of(), other), "max"), Kind::not_shown);
}

TEST(ComparedRuns, OfAMeterThatTellsOnlyLongSamplesTheMaximumAloneIsCompared) {
  core::RunResult other = run_of(3);
  other.phases[0].facts["only samples above"] = "60us";
  const ComparedRuns compared = compare(run_of(), other);
  EXPECT_EQ(kind_of(compared, "p50"), Kind::not_judged);
  EXPECT_NE(kind_of(compared, "max"), Kind::not_judged);
}

TEST(ComparedRuns, RunsThatDoNotTellTheirMachineAreNotCalledAlike) {
  core::RunResult base = run_of(), other = run_of();
  base.machine.clear();
  other.machine.clear();
  EXPECT_THAT(compare_text(compare(base, other), 120), HasSubstr("Machine: not every run tells its machine"));
}

TEST(ComparedRuns, WithoutATimeWatchedNothingIsShownByOneSample) {
  core::RunResult other = run_of();
  other.phases[0].exposure_s = other.phases[0].per_cpu[0].exposure_s = 0;
  other.phases[0].per_cpu[0].timeline.max_ns.clear();
  test::add_stall(other.phases[0].per_cpu[0], 900'000, 1);
  EXPECT_EQ(kind_of(compare(run_of(), other), "max"), Kind::not_shown);
}

TEST(ComparedRuns, ARunThatCannotBeBelievedIsNamed) {
  core::RunResult killed = run_of();
  killed.state = core::RunResult::State::running;
  const ComparedRuns compared = compare(run_of(), killed);
  EXPECT_FALSE(compared.alike);
  EXPECT_THAT(compared.verdict, Contains(HasSubstr("still running, or was killed")));
  const core::RunResult once = run_of();
  EXPECT_THAT(compare(once, once).verdict, Contains(HasSubstr("a run does not repeat itself")));
}

TEST(ComparedRuns, EachRunOfAGroupIsLookedAt) {
  core::RunResult otherwise = run_of();
  otherwise.phases[0].per_cpu[0].cpu = 3;
  const ComparedRuns compared = compare_runs({{"good", {run_of(), run_of()}}, {"new", {run_of(), otherwise}}});
  EXPECT_THAT(compared.phases.at(0).unlike, ElementsAre(HasSubstr("CPUs")));
}

TEST(ComparedRuns, RepeatsAreComparedByRanksWithTheirOwnNoise) {
  RunGroup good{"good", {}}, noisy{"noisy", {}}, worse{"worse", {}};
  for (int i = 0; i < 8; ++i) {
    good.runs.push_back(run_of(1 + 0.05 * i));
    noisy.runs.push_back(run_of(1 + 0.05 * (7 - i)));
    worse.runs.push_back(run_of(1.6 + 0.05 * i));
  }
  const ComparedRuns compared = compare_runs({good, noisy});
  EXPECT_EQ(kind_of(compared, "p50"), Kind::not_shown) << "pairs of single runs would differ by 1.35";
  const ComparedRuns found = compare_runs({good, worse});
  EXPECT_EQ(kind_of(found, "p50"), Kind::larger);
  EXPECT_THAT(compare_text(found, 120), HasSubstr(", worse in 100 % of pairs"));
  EXPECT_THAT(compared.verdict, Not(Contains(HasSubstr("so few runs")))) << "repeats do";
}

// A defect: runs of ten times the length had the larger maxima, and were called worse.
TEST(ComparedRuns, MaximaOfRepeatsThatWatchedLongerAreNotRanked) {
  RunGroup good{"good", {}}, longer{"longer", {}};
  for (int i = 0; i < 8; ++i) {
    good.runs.push_back(run_of(1, 20'000 + 100 * i));
    longer.runs.push_back(run_of(1, 60'000 + 100 * i, 600));
  }
  const ComparedRuns compared = compare_runs({good, longer});
  EXPECT_EQ(kind_of(compared, "max"), Kind::not_judged);
  EXPECT_FALSE(compared.worse);
  EXPECT_FALSE(compared.alike) << "exit status 3";
  EXPECT_THAT(compared.verdict, Contains(HasSubstr("npt in longer: max is not comparable, watched 60 s and 600 s: "
                                                   "maxima of such times do not compare")));
  EXPECT_THAT(compare_text(compared, 120), testing::ContainsRegex("max .*x 2[.]97, not comparable"));
  EXPECT_THAT(compared.verdict, Not(Contains(HasSubstr("so few runs"))));
  for (core::RunResult& run : longer.runs) run.phases[0].exposure_s = 100;
  EXPECT_EQ(kind_of(compare_runs({good, longer}), "max"), Kind::larger) << "less than twice as long";
}

TEST(ComparedRuns, RepeatsThatWereMeasuredOtherwiseMakeNoBuildWorse) {
  RunGroup good{"good", {}}, other{"other", {}};
  for (int i = 0; i < 8; ++i) {
    good.runs.push_back(run_of(1 + 0.01 * i));
    other.runs.push_back(run_of(1.6 + 0.01 * i));
    other.runs.back().phases[0].per_cpu[0].cpu = 3;
  }
  const ComparedRuns compared = compare_runs({good, other});
  EXPECT_EQ(kind_of(compared, "p50"), Kind::larger_here);
  EXPECT_FALSE(compared.worse);
  EXPECT_FALSE(compared.alike);
}

TEST(ComparedRuns, APhaseThatOneDoesNotHaveIsNamedAndNotAlike) {
  core::RunResult other = run_of();
  other.phases.push_back(test::phase_of("cyclictest", "cyclictest", 60, {test::cyclictest_cpu(1, 60)}));
  const ComparedRuns compared = compare(run_of(), other);
  EXPECT_FALSE(compared.alike);
  EXPECT_THAT(compared.verdict, Contains("cyclictest is not measured in good"));
  EXPECT_THAT(compare_text(compared, 120), HasSubstr("cyclictest"));
}

TEST(ComparedRuns, WhatWasMeasuredOtherwiseIsSaidBesideItsFigures) {
  core::RunResult other = run_of();
  other.phases[0].per_cpu[0].cpu = 3;
  const ComparedRuns compared = compare(run_of(), other);
  EXPECT_FALSE(compared.alike);
  EXPECT_THAT(compared.phases.at(0).unlike, ElementsAre(HasSubstr("CPUs: \"3\", the baseline's \"1\"")));
}

// A defect: of an imported histogram, which tells no interval, it was said that its timer is "".
TEST(ComparedRuns, AWayThatOneDoesNotTellIsSaidToBeNoneTold) {
  core::RunResult every = run_of();
  every.phases[0].facts[core::fact::kInterval] = "100 us";
  EXPECT_THAT(compare(run_of(), every).phases.at(0).unlike,
              ElementsAre("timer: \"every 100 us\", the baseline's none told"));
  EXPECT_THAT(compare(every, run_of()).phases.at(0).unlike,
              ElementsAre("timer: none told, the baseline's \"every 100 us\""));
}

TEST(ComparedRuns, AnUpperBoundIsNamedAsOne) {
  core::RunResult bound = run_of();
  bound.phases[0].facts[core::fact::kBound] = "upper bound: interrupts and scheduling are included";
  for (const ComparedRuns& compared : {compare(bound, bound), compare(run_of(), bound)}) {
    EXPECT_EQ(compared.phases.at(0).name, "npt (upper bound)");
    EXPECT_THAT(compare_text(compared, 120), HasSubstr("\nnpt (upper bound)\n"));
    EXPECT_THAT(compared.verdict, Contains(HasSubstr("npt (upper bound) in new: ")));
  }
}

TEST(ComparedRuns, APhaseThatIsNotValidIsNotCompared) {
  core::RunResult other = run_of(3);
  other.phases[0].status = core::PhaseStatus::invalid;
  other.phases[0].reason = "throttled";
  const ComparedRuns compared = compare(run_of(), other);
  EXPECT_FALSE(compared.worse);
  EXPECT_FALSE(compared.alike);
  EXPECT_THAT(compared.verdict, Contains("npt is not measured in new"));
  EXPECT_THAT(compare(other, other).verdict, Contains("npt is measured neither in good nor in new"));
}

TEST(ComparedRuns, RunsWithoutAnyPhaseInCommonSaySo) {
  core::RunResult other = run_of();
  other.phases[0].name = "another";
  EXPECT_THAT(compare(run_of(), other).verdict, Contains(HasSubstr("there is nothing to compare")));
}

TEST(ComparedRuns, TheMachinesDifferencesHaveAColumnForEachGroup) {
  core::RunResult base = run_of(), other = run_of();
  base.machine = {{"kernel", "1", {{"release", "6.1"}}}};
  other.machine = {{"kernel", "2", {{"release", "6.12"}}}};
  const ComparedRuns compared = compare_runs({{"a", {base}}, {"b", {base}}, {"c", {other}}});
  ASSERT_EQ(compared.machine.size(), 1u);
  EXPECT_THAT(compared.machine[0].values, ElementsAre("6.1", "6.1", "6.12"));
  const std::string text = compare_text(compared, 120);
  EXPECT_THAT(text, testing::ContainsRegex("kernel +release +6\\.1 +6\\.1 +6\\.12"));
}

// A defect: each of sixty options was a row, with "-" for the run that had none of them.
TEST(ComparedRuns, AGroupThatOneDoesNotTellIsNoDifference) {
  core::RunResult base = run_of(), other = run_of(), third = run_of();
  base.machine = {{"kernel", "1", {{"release", "6.1"}}}, {"kernel configuration", "0", {}}};
  other.machine = {{"kernel", "1", {{"release", "6.1"}}}, {"kernel configuration", "2", {{"HZ", "250"}, {"SMP", "y"}}}};
  ComparedRuns compared = compare_runs({{"a", {base}}, {"b", {other}}});
  EXPECT_THAT(compared.machine, testing::IsEmpty());
  EXPECT_THAT(compared.machine_not_told, ElementsAre("a does not tell its kernel configuration"));
  EXPECT_THAT(compare_text(compared, 120), testing::StartsWith("Machine: no difference in what all of them tell\n"
                                                               "  - a does not tell its kernel configuration\n"));
  third.machine = {other.machine[0], {"kernel configuration", "3", {{"HZ", "1000"}, {"SMP", "y"}}}};
  compared = compare_runs({{"a", {base}}, {"b", {other}}, {"c", {third}}});
  ASSERT_EQ(compared.machine.size(), 1u) << "what the others differ in";
  EXPECT_THAT(compared.machine[0].values, ElementsAre("", "250", "1000"));
  EXPECT_THAT(compared.machine_not_told, ElementsAre("a does not tell its kernel configuration"));
}

TEST(ComparedRuns, NamesFromOutsideAreHarmlessInATerminal) {
  core::RunResult base = run_of();
  base.phases[0].name = "npt \033[31m";
  EXPECT_THAT(compare_text(compare(base, base), 100), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace maxlat::reports
