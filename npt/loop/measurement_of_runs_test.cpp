// SPDX-License-Identifier: MIT
#include "measurement_of_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_counter.hpp"
#include "test_journal.hpp"

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Options some_loops(uint64_t loops) {
  Options options;
  options.loops = loops;
  options.uncounted_loops = 0;
  options.allow_interrupts = true;
  return options;
}

// A CPU that saw these gaps, from `start_monotonic_ns` on; one tick a nanosecond.
std::unique_ptr<CpuRun> run_of(unsigned cpu, std::vector<uint64_t> gaps, uint64_t start_monotonic_ns) {
  Script script;
  const Options options = some_loops(gaps.size());
  script.gaps = std::move(gaps);
  script.gaps.insert(script.gaps.begin(), 0);  // the read that opens the journal
  script.now = 777 * kSecond;
  const JournalSpec one_minute = spec_of_seconds(60, kSecond);
  auto run = std::make_unique<CpuRun>(cpu, one_minute);
  CpuRun warm_up(cpu, without_limits(one_minute));
  run_cpu(ScriptedCounter{&script}, NoProbe{}, Sleep{}, options, base::clock_with_rate(1.0), {warm_up, *run});
  run->start_monotonic_ns = start_monotonic_ns;
  run->involuntary_switches = run->page_faults = run->taken_by_others_ns = 0;  // a busy machine has its own
  return run;
}

core::Result<Measurement> measurement(const Runs& runs, const Options& options) {
  const base::CounterClock clock = base::clock_with_rate(1.0);
  return measurement_of(options, clock, phase_before(options, clock), runs, {18, 19});
}

TEST(MeasurementOfRuns, AllCpusShareTheTimeOfTheFirst) {
  const auto first = run_of(2, {20, 9000, 20}, 5 * kSecond), later = run_of(7, {20, 8000, 20}, 5 * kSecond + 300);
  const auto m = measurement({first.get(), later.get()}, some_loops(3));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.facts.at("start_monotonic_ns"), "5000000000");
  EXPECT_DOUBLE_EQ(m->phase.per_cpu.at(0).outliers.at(0).t_ns, 9020);
  EXPECT_DOUBLE_EQ(m->phase.per_cpu.at(1).outliers.at(0).t_ns, 8320);
  EXPECT_EQ(m->phase.per_cpu.at(1).outliers.at(0).cpu, 7u);
}

TEST(MeasurementOfRuns, BooksThatDoNotBalanceAreNotAResult) {
  for (const auto& spoil :
       std::vector<void (*)(CpuRun&)>{[](CpuRun& run) { run.histogram.raw().bucket[20]--; },
                                      [](CpuRun& run) { run.samples++; }, [](CpuRun& run) { run.exposure_ticks++; }}) {
    const auto run = run_of(3, {20, 21, 22}, 0);
    EXPECT_TRUE(check_books(*run).ok());
    spoil(*run);
    const auto m = measurement({run.get()}, some_loops(3));
    ASSERT_FALSE(m.ok());
    EXPECT_EQ(m.error().exit_status, core::Exit::invalid);
    EXPECT_THAT(m.error().text, HasSubstr("CPU 3: the books do not balance"));
  }
}

TEST(MeasurementOfRuns, AThrottledRunIsInvalidAndSaysOnWhichCpu) {
  const core::RtThrottling settings = core::read_rt_throttling();
  if (settings.known && settings.stop_ns == 0) GTEST_SKIP() << "RT throttling is off on this machine";
  const uint64_t stop = settings.known ? settings.stop_ns : 50'000'000;
  const auto quiet = run_of(1, {20, 20}, 0);
  // Many short gaps and one stop in each of three seconds.
  std::vector<uint64_t> gaps;
  for (int second = 0; second < 3; ++second) {
    gaps.insert(gaps.end(), 95, 10'000'000);
    gaps.push_back(stop);
  }
  const auto stopped = run_of(4, gaps, 0);
  stopped->involuntary_switches = 3;
  const auto m = measurement({quiet.get(), stopped.get()}, some_loops(gaps.size()));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.status, core::PhaseStatus::invalid);
  EXPECT_THAT(m->phase.reason, HasSubstr("CPU 4: "));
}

TEST(MeasurementOfRuns, WhatOtherTasksTookIsSaidAndATwentiethIsTooMuch) {
  const auto quiet = run_of(1, {20, 20}, 0), shared = run_of(4, std::vector<uint64_t>(100, 10'000'000), 0);
  const auto phase_with = [&](uint64_t taken_ns, core::Policy policy) {
    shared->taken_by_others_ns = taken_ns;
    Options options = some_loops(100);
    options.scheduling.policy = policy;
    return measurement({quiet.get(), shared.get()}, options)->phase;
  };
  EXPECT_THAT(phase_with(0, core::Policy::fifo).warnings, IsEmpty());
  const core::Phase some = phase_with(20'000'000, core::Policy::fifo);
  EXPECT_EQ(some.status, core::PhaseStatus::ok);
  EXPECT_THAT(some.warnings, ElementsAre(HasSubstr("other tasks had CPU 4 for 20 ms of 1 s")));
  const core::Phase much = phase_with(50'000'000, core::Policy::fifo);
  EXPECT_EQ(much.status, core::PhaseStatus::invalid);
  EXPECT_THAT(much.reason, HasSubstr("other tasks had CPU 4 for 50 ms of 1 s"));
  // Who measures as an ordinary thread wants to see the others' time in the gaps.
  EXPECT_EQ(phase_with(500'000'000, core::Policy::other).status, core::PhaseStatus::ok);
}

// The books of the windows without tracepoints met the limit: these ended with them, and by no signal.
TEST(MeasurementOfRuns, WhatEndsWithAnotherCpusBreakIsNotInterrupted) {
  const auto run = run_of(1, {20, 20}, 0);
  for (const auto& [why, status] : {std::pair{Journal::Why::halted, core::PhaseStatus::ok},
                                    {Journal::Why::stopped, core::PhaseStatus::interrupted}}) {
    run->why = why;
    EXPECT_EQ(measurement({run.get()}, some_loops(2))->phase.status, status);
  }
}

TEST(MeasurementOfRuns, AnUntrustedCounterIsSaidSo) {
  base::CounterClock clock = base::clock_with_rate(1.0);
  clock.source = base::RateSource::monotonic_raw;
  clock.why = "the kernel has marked the counter unstable";
  const core::Phase phase = phase_before(some_loops(1), clock);
  EXPECT_EQ(phase.facts.at("counter"), "raw-clock");
  ASSERT_EQ(phase.warnings.size(), 1u);
  EXPECT_THAT(phase.warnings[0], HasSubstr("unstable"));
}

TEST(MeasurementOfRuns, ARestIsAFact) {
  Options options = some_loops(1);
  options.rest_ns = 60'000'000;
  EXPECT_THAT(phase_before(options, base::clock_with_rate(1.0)).facts.at("rest"),
              HasSubstr("60 ms asleep in each second"));
}

}  // namespace
}  // namespace maxlat::npt
