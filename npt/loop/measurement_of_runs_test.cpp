// SPDX-License-Identifier: MIT
#include "measurement_of_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/npt/arm.hpp>

#include "test_counter.hpp"
#include "test_journal.hpp"

namespace maxlat::npt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

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
  const core::JournalSpec one_minute = spec_of_seconds(60, kSecond);
  auto run = std::make_unique<CpuRun>(cpu, one_minute);
  CpuRun warm_up(cpu, without_limits(one_minute));
  run_cpu(ScriptedCounter{&script}, NoProbe{}, Sleep{}, options, base::clock_with_rate(1.0), {warm_up, *run});
  run->start_monotonic_ns = start_monotonic_ns;
  run->involuntary_switches = run->page_faults = run->taken_by_others_ns = 0;  // a busy machine has its own
  return run;
}

MeasurementPlan plan_of(const Options& options) {
  return plan_by(base::clock_with_rate(1.0), options);
}

core::Result<Measurement> measurement(const EndedRun& run, const Options& options, Arm* arm = nullptr) {
  const MeasurementPlan plan = plan_of(options);
  return measurement_of(plan, phase_before(plan, true), run, arm);
}

core::Result<Measurement> measurement(const Runs& runs, const Options& options) {
  EndedRun ended;
  for (const CpuRun* run : runs) ended.cpus.push_back({run, nullptr, nullptr, 0, 0});
  ended.cost = {18, 19};
  return measurement(ended, options);
}

TEST(MeasurementOfRuns, AllCpusShareTheTimeOfTheFirst) {
  const auto first = run_of(2, {20, 9000, 20}, 5 * kSecond), later = run_of(7, {20, 8000, 20}, 5 * kSecond + 300);
  const auto m = measurement({first.get(), later.get()}, some_loops(3));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.facts.at("start_monotonic_ns"), "5000000000");
  EXPECT_TRUE(core::wall_clock(m->phase, 0)) << "when that was by the clock on the wall";
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

TEST(MeasurementOfRuns, ARunWhoseCpuWentIsInvalidAndSaysHowLongItWasWatched) {
  const auto stayed = run_of(2, {20, 9000, 20}, 0), left = run_of(7, {20, 9000, 20}, 0);
  left->why_left = "CPU 7 went offline";
  const auto m = measurement({stayed.get(), left.get()}, some_loops(3));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.status, core::PhaseStatus::invalid);
  EXPECT_EQ(m->phase.reason, "CPU 7 went offline; it was watched for 0.000 s");
  EXPECT_TRUE(m->left_cpu);
  EXPECT_EQ(m->phase.per_cpu.size(), 2u);
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
  for (const auto& [why, status] : {std::pair{core::Journal::Why::halted, core::PhaseStatus::ok},
                                    {core::Journal::Why::stopped, core::PhaseStatus::interrupted}}) {
    run->why = why;
    EXPECT_EQ(measurement({run.get()}, some_loops(2))->phase.status, status);
  }
}

TEST(MeasurementOfRuns, AnUntrustedCounterIsSaidSo) {
  base::CounterClock clock = base::clock_with_rate(1.0);
  clock.source = base::RateSource::monotonic_raw;
  clock.why = "the kernel has marked the counter unstable";
  const core::Phase phase = phase_before(plan_by(clock, some_loops(1)), true);
  EXPECT_EQ(phase.facts.at("counter"), "raw-clock");
  ASSERT_EQ(phase.warnings.size(), 1u);
  EXPECT_THAT(phase.warnings[0], HasSubstr("unstable"));
}

TEST(MeasurementOfRuns, ARestIsAFact) {
  Options options = some_loops(1);
  options.rest_ns = 60'000'000;
  EXPECT_THAT(phase_before(plan_of(options), true).facts.at("rest"), HasSubstr("60 ms asleep in each second, not"));
  options.rest_parts = 4;
  EXPECT_THAT(phase_before(plan_of(options), true).facts.at("rest"),
              HasSubstr("60 ms asleep in each second, in 4 parts"));
}

TEST(MeasurementOfRuns, ALimitIsAFactFromTheStart) {
  Options options = some_loops(1);
  EXPECT_FALSE(phase_before(plan_of(options), true).facts.contains(core::fact::kLimit));
  options.break_above_ns = 50'000;
  EXPECT_EQ(phase_before(plan_of(options), true).facts.at(core::fact::kLimit), "50.0 us");
}

TEST(MeasurementOfRuns, WhatMissesACpuOfItsOwnIsAWarning) {
  Options options = some_loops(1);
  const auto warnings = [&options](bool has_own_cpu) { return phase_before(plan_of(options), has_own_cpu).warnings; };
  const size_t others = warnings(true).size();
  EXPECT_EQ(warnings(false).size(), others) << "nobody else wants one";
  options.snapshot_period_ns = kSecond;
  options.arm = *parse_arm("locked-printf");
  EXPECT_EQ(warnings(true).size(), others);
  EXPECT_THAT(warnings(false), IsSupersetOf({HasSubstr("to take snapshots on"), HasSubstr("the tracer's consumer")}));
}

TEST(MeasurementOfRuns, WhyInterruptsStayedOnIsSaid) {
  const auto run = run_of(1, {20, 20}, 0);
  EndedRun ended{{{run.get(), nullptr, nullptr, 0, 0}}, {}, "no such device", {}};
  EXPECT_EQ(measurement(ended, some_loops(2))->phase.facts.at("interrupts_why"), "no such device");
  ended.why_interrupts_on.clear();
  EXPECT_EQ(measurement(ended, some_loops(2))->phase.facts.count("interrupts_why"), 0u);
}

TEST(MeasurementOfRuns, WhoSawTheBooksIsSaidWhereSomebodyWantedTo) {
  const auto run = run_of(1, {20, 20}, 0);
  EndedRun ended{{{run.get(), nullptr, nullptr, 0, 0}}, {}, {}, {}};
  Options options = some_loops(2);
  const auto warnings = measurement(ended, options)->phase.warnings.size();
  EXPECT_EQ(measurement(ended, options)->phase.facts.count("sensors"), 0u);
  options.sensors = true;
  EXPECT_EQ(measurement(ended, options)->phase.facts.at("sensors"), "of each CPU, as npt-cpu");
  ended.why_not_seen = "no memory";
  const auto unseen = measurement(ended, options);
  EXPECT_EQ(unseen->phase.facts.at("sensors"), "none: no memory");
  EXPECT_EQ(unseen->phase.warnings.size(), warnings + 1);
}

Options in_windows(uint64_t loops) {
  Options options = some_loops(loops);
  options.trace_window_ns = options.wait_window_ns = kSecond;
  return options;
}

TEST(MeasurementOfRuns, WaitingWindowsAreAMeasurementOfTheirOwn) {
  const auto traced = run_of(1, {20, 9000}, 0), waiting = run_of(1, {20, 20, 30}, 0);
  const EndedRun both{{{traced.get(), waiting.get(), nullptr, 0, 0}}, {}, {}, {}};
  const auto m = measurement(both, in_windows(2));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.gaps, kTracedWindows);
  EXPECT_EQ(m->phase.per_cpu.at(0).samples, 2u);
  ASSERT_NE(m->waiting, nullptr);
  EXPECT_EQ(m->waiting->phase.name, "npt (waiting windows)");
  EXPECT_EQ(m->waiting->phase.per_cpu.at(0).samples, 3u);
}

TEST(MeasurementOfRuns, ARunThatEndedBeforeItsFirstWaitingWindowSaysSo) {
  const auto traced = run_of(1, {20, 20}, 0);
  const CpuRun never(1, spec_of_seconds(1, kSecond));
  const EndedRun run{{{traced.get(), &never, nullptr, 0, 0}}, {}, {}, {}};
  const auto m = measurement(run, in_windows(2));
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->waiting, nullptr);
  EXPECT_THAT(m->phase.warnings, Contains(HasSubstr("no waiting windows")));
}

TEST(MeasurementOfRuns, AStarvedRunIsNotValidInAnyOfItsWindows) {
  const auto traced = run_of(1, {20, 20}, 0), waiting = run_of(1, {20, 20}, 0);
  const EndedRun run{{{traced.get(), waiting.get(), nullptr, 0, 0}}, {}, {}, "a hog has CPU 1"};
  const auto m = measurement(run, in_windows(2));
  ASSERT_TRUE(m.ok()) << m.error().text;
  for (const Measurement* part : {&*m, static_cast<const Measurement*>(m->waiting.get())}) {
    EXPECT_TRUE(part->starved);
    EXPECT_EQ(part->phase.status, core::PhaseStatus::invalid);
    EXPECT_EQ(part->phase.reason, "a hog has CPU 1");
  }
}

TEST(MeasurementOfRuns, GapsWithAnEventAreShownOnceMoreApart) {
  const auto first = run_of(1, {20, 20, 500}, 0), second = run_of(4, {20, 20, 20}, 0);
  base::Histogram events, none;
  events.record(500);
  Options options = some_loops(3);
  options.max_event_hz = 1000;
  const EndedRun run{{{first.get(), nullptr, &events, 1, 0}, {second.get(), nullptr, &none, 0, 0}}, {}, {}, {}};
  const auto m = measurement(run, options);
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.per_cpu.at(0).samples, 3u) << "among the others, too";
  ASSERT_TRUE(m->event_gaps.has_value());
  EXPECT_EQ(m->event_gaps->gaps, kGapsWithATracepoint);
  ASSERT_EQ(m->event_gaps->per_cpu.size(), 1u);
  EXPECT_EQ(m->event_gaps->per_cpu[0].cpu, 1u);
  EXPECT_EQ(m->event_gaps->per_cpu[0].samples, 1u);
  EXPECT_DOUBLE_EQ(m->event_gaps->exposure_s, 500e-9);
  const auto without = measurement({{{second.get(), nullptr, &none, 0, 0}}, {}, {}, {}}, options);
  EXPECT_FALSE(without->event_gaps.has_value());
  EXPECT_THAT(without->phase.warnings, Contains(HasSubstr("no gaps with a tracepoint")));
}

// An arm that remembers what it was told of the run.
struct ToldArm : Arm {
  core::Status set_up(const ArmSurroundings& /*surroundings*/) override { return {}; }
  maxlat_npt_probe probe() override { return {}; }
  ArmBooks finish(const ArmRun& run) override {
    told.push_back(run);
    ArmBooks books;
    books.events = core::EventCounts{0, 7, 0, 0, 0};
    return books;
  }
  std::vector<ArmRun> told;
};

TEST(MeasurementOfRuns, TheArmIsFinishedWithAllThatItWasGiven) {
  const auto first = run_of(1, {20, 9000, 20}, 0), second = run_of(4, {20, 20}, 0);
  EndedRun run{{{first.get(), nullptr, nullptr, 4, 101}, {second.get(), nullptr, nullptr, 3, 104}}, {}, {}, {}};
  ToldArm arm;
  const auto m = measurement(run, some_loops(3), &arm);
  ASSERT_TRUE(m.ok()) << m.error().text;
  EXPECT_EQ(m->phase.events->produced, 7u);
  EXPECT_EQ(m->phase.status, core::PhaseStatus::ok);
  ASSERT_EQ(arm.told.size(), 1u);
  EXPECT_TRUE(arm.told[0].event_in_every_turn);
  ASSERT_EQ(arm.told[0].threads.size(), 2u);
  EXPECT_EQ(arm.told[0].threads[1].thread_id, 104u);
  EXPECT_EQ(arm.told[0].threads[0].outliers.at(0).ticks, 9000u);
  run.cpus[1].events = 2;
  EXPECT_EQ(measurement(run, some_loops(3), &arm)->phase.status, core::PhaseStatus::invalid);
  first->samples++;
  EXPECT_FALSE(measurement(run, some_loops(3), &arm).ok());
  EXPECT_EQ(arm.told.size(), 2u) << "not asked where the loop's own books do not balance";
}

}  // namespace
}  // namespace maxlat::npt
