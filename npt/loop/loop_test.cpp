// SPDX-License-Identifier: MIT
//
// The loop and its journal against scripted counters: what is in the books, to the tick. One tick is one nanosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <maxlat/test/moved_thread.hpp>
#include <numeric>

#include "cpu_run.hpp"
#include "test_counter.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kBeyond = 1ull << MAXLAT_HISTOGRAM_RANGE_BITS;

// A run of one CPU over a script, and everything that can be asked of it.
struct Scripted {
  std::atomic<bool> stop{false}, halt{false};
  Options options;
  core::JournalSpec spec;
  Script script;
  std::vector<uint64_t> sleeps;
  std::unique_ptr<CpuRun> run;

  Scripted() {
    options.loops = 0;
    options.uncounted_loops = 0;
    spec.step_ticks = kSecond;
    spec.steps = 100;
    spec.look_every_ticks = kSecond / 10;
    spec.outliers = 4;
    spec.stop = &stop;
    spec.halt = &halt;
    script.now = 5 * kSecond;
  }

  CpuRun& go() {
    run = std::make_unique<CpuRun>(3, spec);
    CpuRun warm_up(3, without_limits(spec));
    const auto sleep = [this](uint64_t ns) {
      sleeps.push_back(ns);
      script.now += ns;
    };
    run_cpu(ScriptedCounter{&script}, NoProbe{}, sleep, options, base::clock_with_rate(1.0), {warm_up, *run});
    return *run;
  }
};

uint64_t count_of(const CpuRun& run, uint64_t gap) {
  return run.histogram.raw().bucket[maxlat_histogram_index(gap)];
}

// The first read of a run is time 0 of its journal and no gap; then one read opens the segment.
std::vector<uint64_t> gaps_after_start(std::vector<uint64_t> gaps) {
  gaps.insert(gaps.begin(), 0);
  return gaps;
}

TEST(Loop, TakesExactlyTheLoopsItWasAskedFor) {
  for (uint64_t loops : {1u, 2u, 3u, 1000u}) {
    Scripted s;
    s.options.loops = loops;
    s.script.gaps = {20};
    const CpuRun& run = s.go();
    EXPECT_EQ(run.samples, loops);
    EXPECT_EQ(run.histogram.total(), loops);
    EXPECT_EQ(run.exposure_ticks, loops * 20);
    EXPECT_EQ(run.journal.why(), core::Journal::Why::running);
  }
}

TEST(Loop, FilesEveryGapOfAMixedScript) {
  Scripted s;
  const std::vector<uint64_t> gaps{20, 21, 22, 5000, 20, 70'000, kBeyond + 3, 21, 20, kBeyond, 30};
  s.script.gaps = gaps_after_start(gaps);
  s.options.loops = gaps.size();
  const CpuRun& run = s.go();
  EXPECT_EQ(run.samples, gaps.size());
  EXPECT_EQ(run.histogram.total(), gaps.size());
  EXPECT_EQ(run.histogram.raw().sum, std::accumulate(gaps.begin(), gaps.end(), uint64_t{0}));
  EXPECT_EQ(run.histogram.min(), 20u);
  EXPECT_EQ(run.histogram.max(), kBeyond + 3);
  EXPECT_EQ(run.histogram.raw().overflow_count, 2u);
  EXPECT_EQ(count_of(run, 20), 3u);
  EXPECT_EQ(count_of(run, 30), 1u);
}

TEST(Loop, AnOutlierIsListedAtTheEndOfItsGap) {
  Scripted s;
  s.script.gaps = gaps_after_start({20, 20, 9000, 20, 8000, 20});
  s.options.loops = 6;
  const auto largest = s.go().journal.outliers().largest_first();
  ASSERT_EQ(largest.size(), 4u);
  EXPECT_EQ(largest[0].ticks, 9000u);
  EXPECT_EQ(largest[0].time, 5 * kSecond + 9040);
  EXPECT_EQ(largest[1].ticks, 8000u);
  EXPECT_EQ(largest[1].time, 5 * kSecond + 17'060);
}

TEST(Loop, AnOutlierInTheVeryLastSampleIsListedAndFiled) {
  Scripted s;
  s.script.gaps = gaps_after_start({20, 20, 9000});
  s.options.loops = 3;
  const CpuRun& run = s.go();
  EXPECT_EQ(run.journal.outliers().largest_first()[0].ticks, 9000u);
  EXPECT_EQ(count_of(run, 9000), 1u);
  EXPECT_EQ(run.histogram.max(), 9000u);
}

TEST(Loop, AnOverflowInTheVeryLastSampleIsFiled) {
  Scripted s;
  s.script.gaps = gaps_after_start({20, kBeyond + 1});
  s.options.loops = 2;
  const CpuRun& run = s.go();
  EXPECT_EQ(run.samples, 2u);
  EXPECT_EQ(run.histogram.raw().overflow_count, 1u);
  EXPECT_EQ(run.histogram.total(), 2u);
}

TEST(Loop, ADurationIsWallTimeWhateverTheGaps) {
  Scripted s;
  s.script.gaps = gaps_after_start({20, 1'500 * 1'000'000, 100'000});
  s.spec.duration_ticks = 2 * kSecond;
  const CpuRun& run = s.go();
  EXPECT_EQ(run.journal.why(), core::Journal::Why::duration_over);
  EXPECT_GE(run.end_ticks - run.journal.start(), 2 * kSecond);
  EXPECT_LT(run.end_ticks - run.journal.start(), 2 * kSecond + 100'000);
  EXPECT_EQ(run.exposure_ticks, run.end_ticks - run.journal.start());
}

TEST(Loop, TheTimelineHasTheLargestGapOfEachSecond) {
  Scripted s;
  s.script.gaps = gaps_after_start({100, 300, kSecond, 700, 2 * kSecond, 500, 100'000});
  s.spec.duration_ticks = 4 * kSecond;
  s.spec.steps = 4;
  const CpuRun& run = s.go();
  ASSERT_EQ(run.journal.steps(), 4u);
  EXPECT_EQ(run.journal.step_max(0), 300u);
  EXPECT_EQ(run.journal.step_max(1), kSecond) << "a gap belongs to the second in which it ends";
  EXPECT_EQ(run.journal.step_time(1), 5 * kSecond + kSecond + 400);
  EXPECT_EQ(run.journal.step_max(2), 0u) << "a second in which no gap ended";
  EXPECT_EQ(run.journal.step_max(3), 2 * kSecond);
}

TEST(Loop, TheGapThatReachesTheDeadlineBelongsToTheLastSecond) {
  Scripted s;
  s.script.gaps = gaps_after_start({100, 3 * kSecond});
  s.spec.duration_ticks = kSecond;
  s.spec.steps = 1;
  const CpuRun& run = s.go();
  EXPECT_EQ(run.journal.steps(), 1u);
  EXPECT_EQ(run.journal.step_max(0), 3 * kSecond);
  EXPECT_FALSE(run.journal.timeline_full());
}

TEST(Loop, ATimelineThatIsFullSaysSoAndKeepsTheRestInItsLastStep) {
  Scripted s;
  s.spec.steps = 2;
  s.options.loops = 5;
  s.script.gaps = gaps_after_start({100, kSecond, kSecond, kSecond + 7, 100});
  const CpuRun& run = s.go();
  EXPECT_TRUE(run.journal.timeline_full());
  EXPECT_EQ(run.journal.steps(), 2u);
  EXPECT_EQ(run.journal.step_max(1), kSecond + 7);
}

TEST(Loop, BreaksAtAGapAboveTheLimitAndNotAtOneEqualToIt) {
  Scripted s;
  s.spec.break_above = 5000;
  s.script.gaps = gaps_after_start({20, 5000, 20, 5001, 20});
  s.options.loops = 1000;
  const CpuRun& run = s.go();
  EXPECT_EQ(run.journal.why(), core::Journal::Why::broken);
  EXPECT_EQ(run.samples, 4u);
  EXPECT_EQ(run.journal.breaking_gap(), 5001u);
  EXPECT_EQ(run.journal.breaking_time(), 5 * kSecond + 10'041);
  EXPECT_TRUE(s.halt) << "the other CPUs must stop too";
}

TEST(Loop, SeesARequestToStopWithinATenthOfASecond) {
  Scripted s;
  s.script.gaps = {1000};
  s.stop = true;
  EXPECT_EQ(s.go().journal.why(), core::Journal::Why::stopped);
  Scripted halted;
  halted.script.gaps = {1000};
  halted.halt = true;
  const CpuRun& run = halted.go();
  EXPECT_EQ(run.journal.why(), core::Journal::Why::halted);
  EXPECT_LE(run.exposure_ticks, kSecond / 10);
}

TEST(Loop, TellsOfEachGapAboveTheLimitWhateverTheOutliersAre) {
  for (const size_t outliers : {size_t{0}, size_t{1}, size_t{8}}) {
    Scripted s;
    s.spec.outliers = outliers;
    s.spec.tell_above = 5000;
    std::vector<uint64_t> told;
    s.spec.tell_state = &told;
    s.spec.tell = [](void* state, uint64_t gap) { static_cast<std::vector<uint64_t>*>(state)->push_back(gap); };
    s.script.gaps = gaps_after_start({20, 9000, 20, 5000, 20, 5001, 20, 8000, 20});
    s.options.loops = 9;
    s.go();
    EXPECT_EQ(told, (std::vector<uint64_t>{9000, 5001, 8000})) << outliers << " outliers";
  }
}

TEST(Loop, ShowsEachOutlierAndTheLongestWhateverTheOutliersAre) {
  for (const size_t outliers : {size_t{0}, size_t{2}}) {
    Scripted s;
    s.spec.outliers = outliers;
    std::vector<std::pair<uint64_t, uint64_t>> shown;
    s.spec.show_state = &shown;
    s.spec.show = [](void* state, uint64_t gap, uint64_t max) {
      static_cast<std::vector<std::pair<uint64_t, uint64_t>>*>(state)->emplace_back(gap, max);
    };
    s.script.gaps = gaps_after_start({20, 9000, 20, 8000, 10'000, 20});
    s.options.loops = 6;
    s.go();
    std::vector<std::pair<uint64_t, uint64_t>> expected{{20, 20}, {9000, 9000}, {10'000, 10'000}};
    if (outliers > 0) expected.insert(expected.begin() + 2, {8000, 9000});
    EXPECT_EQ(shown, expected) << outliers << " outliers";
  }
}

// Who accounts for the outliers needs each of them, when it is one; the warm-up's are nobody's.
TEST(Loop, EachGapThatBecomesAnOutlierIsHandedOver) {
  Scripted s;
  core::AskedGaps asked;
  s.spec.accounted = &asked;
  s.spec.outliers = 2;
  s.options.uncounted_loops = 3;
  s.options.loops = 7;
  s.script.gaps = gaps_after_start({900, 900, 900, 900, 20, 500, 20, 30, 800, 20, 600});
  const CpuRun& run = s.go();
  std::map<uint64_t, uint64_t> by_end;
  asked.take([&](const core::AskedGap& gap) { by_end[gap.end] = gap.ticks; });
  for (const core::OutlierSample& outlier : run.journal.outliers().largest_first())
    EXPECT_EQ(by_end[outlier.time], outlier.ticks);
  EXPECT_FALSE(
      std::any_of(by_end.begin(), by_end.end(), [&](const auto& gap) { return gap.first <= run.journal.start(); }));
}

TEST(Loop, EveryGapAboveTheRawLimitIsKeptWithItsEnd) {
  Scripted s;
  s.spec.outliers = 1;
  s.spec.raw_above = 5000;
  s.spec.raw_room = 3;
  s.script.gaps = gaps_after_start({20, 9000, 20, 5000, 20, 5001, 20, kBeyond + 3, 20, 8000, 20});
  s.options.loops = 11;
  const core::Journal& journal = s.go().journal;
  std::vector<std::pair<uint64_t, uint64_t>> raw;
  for (const auto& [gap, end] : journal.raw()) raw.emplace_back(gap, end - 5 * kSecond);
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {9000, 9020}, {5001, 19'061}, {kBeyond + 3, 19'084 + kBeyond}};
  EXPECT_EQ(raw, expected) << "not one equal to the limit; in the order of time; also what no bucket holds";
  EXPECT_EQ(journal.raw_not_kept(), 1u);
}

TEST(Loop, TheWarmUpKeepsNoRawGap) {
  Scripted s;
  s.spec.raw_above = 100;
  s.spec.raw_room = 10;
  EXPECT_TRUE(core::Journal(without_limits(s.spec)).raw().empty());
  EXPECT_EQ(without_limits(s.spec).raw_room, 0u);
  s.options.uncounted_loops = 3;
  s.script.gaps = {500};
  s.options.loops = 4;
  EXPECT_EQ(s.go().journal.raw().size(), 4u);
}

TEST(Loop, ARestIsNeitherSampleNorExposure) {
  Scripted s;
  s.options.rest_ns = 60'000'000;
  s.spec.rest_ticks = 60'000'000;
  s.spec.duration_ticks = 3 * kSecond;
  s.script.gaps = {1000};
  const CpuRun& run = s.go();
  ASSERT_EQ(s.sleeps.size(), 4u) << "one before the start, one at the end of each second";
  EXPECT_EQ(s.sleeps[0], 60'000'000u);
  for (size_t i = 1; i < 4; ++i) EXPECT_NEAR(static_cast<double>(s.sleeps[i]), 60e6, 3000);
  EXPECT_EQ(run.histogram.max(), 1000u);
  EXPECT_NEAR(static_cast<double>(run.exposure_ticks), 3 * 0.94e9, 10'000);
  EXPECT_EQ(run.histogram.raw().sum, run.exposure_ticks);
  EXPECT_EQ(run.histogram.total(), run.samples);
}

TEST(Loop, ARestInPartsIsTakenInEachPartOfASecond) {
  Scripted s;
  s.options.rest_ns = 20'000'000;
  s.spec.rest_ticks = 2'000'000;
  s.spec.rest_every_ticks = 100'000'000;
  s.spec.duration_ticks = 2 * kSecond;
  s.script.gaps = {1000};
  const CpuRun& run = s.go();
  ASSERT_EQ(s.sleeps.size(), 21u) << "one before the start, one at the end of each tenth of a second";
  for (size_t i = 1; i < s.sleeps.size(); ++i) EXPECT_NEAR(static_cast<double>(s.sleeps[i]), 2e6, 3000);
  EXPECT_NEAR(static_cast<double>(run.exposure_ticks), 20 * 0.098e9, 50'000);
  EXPECT_EQ(run.histogram.raw().sum, run.exposure_ticks);
  EXPECT_EQ(run.journal.steps(), 3u) << "the timeline has a step a second all the same, and one for the end";
}

// What stops the loop when it should rest is its rest: it does not rest all of the next part for it.
TEST(Loop, AGapThatTakesThePlaceOfARestIsFollowedByWork) {
  Scripted s;
  s.options.rest_ns = s.spec.rest_ticks = 60'000'000;
  s.spec.duration_ticks = 2 * kSecond;
  s.script.gaps = std::vector<uint64_t>(900, 1'000'000);
  s.script.gaps.push_back(150'000'000);  // from 0.9 s to 1.05 s
  s.script.gaps.insert(s.script.gaps.end(), 10'000, 1'000'000);
  s.go();
  ASSERT_EQ(s.sleeps.size(), 2u) << "one before the start, one at the end of the second second";
  EXPECT_NEAR(static_cast<double>(s.sleeps[1]), 60e6, 2e6);
}

TEST(Loop, AStretchWithInterruptsOffEndsInAPauseThatIsNotWatched) {
  struct Switch {
    std::vector<bool>* off;
    Script* script;
    void turn_off() const { off->push_back(true); }
    void turn_on() const {
      off->push_back(false);
      script->now += 5000;  // what has waited is served
    }
  };
  Scripted s;
  s.spec.stretch_ticks = 10'000'000;
  s.spec.duration_ticks = 100'000'000;
  s.script.gaps = {1000};
  s.run = std::make_unique<CpuRun>(3, s.spec);
  CpuRun warm_up(3, without_limits(s.spec));
  std::vector<bool> off;
  run_cpu(
      ScriptedCounter{&s.script}, NoProbe{}, [](uint64_t) {}, s.options, base::clock_with_rate(1.0), {warm_up, *s.run},
      Switch{&off, &s.script});
  ASSERT_EQ(off.size(), 20u) << "ten stretches";
  for (size_t i = 0; i < off.size(); ++i) EXPECT_EQ(off[i], i % 2 == 0);
  EXPECT_EQ(s.run->histogram.max(), 1000u) << "no pause is in a gap";
  EXPECT_EQ(s.run->histogram.raw().sum, s.run->exposure_ticks);
  EXPECT_NEAR(static_cast<double>(s.run->exposure_ticks), 100e6 - 9 * 5000, 20 * 1000);
  EXPECT_TRUE(s.run->interrupts_enabled) << "nobody has turned them off here, and the processor's flag says so";
}

TEST(Loop, TheProbeStandsInEveryIntervalAndSeesCountGapAndTime) {
  struct RecordingProbe {
    std::vector<std::array<uint64_t, 3>>* seen;
    void operator()(uint64_t count, uint64_t ticks, uint64_t now) const { seen->push_back({count, ticks, now}); }
  };
  Scripted s;
  s.script.gaps = {20, 21, 22, 23};
  CpuRun run(0, s.spec);
  const uint64_t start = s.script.now;
  run.journal.begin(start);
  std::vector<std::array<uint64_t, 3>> seen;
  const Segment segment =
      run_segment(ScriptedCounter{&s.script}, RecordingProbe{&seen}, &run.histogram.raw(), &run.journal, 4);
  EXPECT_EQ(seen, (std::vector<std::array<uint64_t, 3>>{
                      {0, 0, start}, {1, 20, start + 20}, {2, 21, start + 41}, {3, 22, start + 63}}));
  EXPECT_EQ(segment.probes, 4u);
}

TEST(Loop, AGapBeyondTheHistogramIsASampleWithoutAProbe) {
  unsigned calls = 0;
  struct CountingProbe {
    unsigned* calls;
    void operator()(uint64_t, uint64_t, uint64_t) const { ++*calls; }
  };
  Scripted s;
  s.script.gaps = {20, uint64_t{1} << 60, 20};
  CpuRun run(0, s.spec);
  run.journal.begin(s.script.now);
  const Segment segment =
      run_segment(ScriptedCounter{&s.script}, CountingProbe{&calls}, &run.histogram.raw(), &run.journal, 10);
  EXPECT_EQ(segment.samples, 10u);
  EXPECT_EQ(segment.probes, calls);
  EXPECT_EQ(calls, 9u);
}

// A defect: the loop went on where the kernel had put its thread, and its gaps were named by the events of its own CPU.
TEST(Loop, ALoopThatWasMovedEndsAndNobodyIsAskedForItsGap) {
  test::on_a_moved_thread([](const core::HomeCpu& home) {
    Scripted scripted;
    core::AskedGaps asked;
    scripted.spec.accounted = &asked, scripted.spec.home = home, scripted.spec.break_above = 5000;
    scripted.script.gaps = gaps_after_start({9000, 20, 20});
    const CpuRun& run = scripted.go();
    EXPECT_EQ(run.why, core::Journal::Why::away) << "the break limit is that of its own CPU";
    EXPECT_FALSE(run.why_left.empty());
    EXPECT_EQ(asked.declined(), 1u);
    asked.take([](const core::AskedGap& gap) { ADD_FAILURE() << gap.ticks; });
  });
}

}  // namespace
}  // namespace maxlat::npt
