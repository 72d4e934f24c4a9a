// SPDX-License-Identifier: MIT
//
// The ten defects of npt 1.01 (notes, anchors-rt-tools 1.5), each with the test that fails when it comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_run.hpp"
#include "npt_text.hpp"
#include "options.hpp"
#include "scripted_counter.hpp"

namespace maxlat::npt {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSecond = 1'000'000'000;

const std::atomic<bool> kNever{false};
std::atomic<bool> unheard{false};

JournalSpec spec_for(uint64_t duration_ns) {
  JournalSpec spec;
  spec.step_ticks = kSecond;
  spec.steps = 10;
  spec.look_every_ticks = kSecond / 10;
  spec.duration_ticks = duration_ns;
  spec.outliers = 3;
  spec.stop = &kNever;
  spec.halt = &unheard;
  return spec;
}

// One CPU over a script of gaps, one tick a nanosecond.
CpuMeasurement run_script(std::vector<uint64_t> gaps, const Options& options, uint64_t* wall_ns = nullptr) {
  Script script;
  script.gaps = std::move(gaps);
  const JournalSpec spec = spec_for(options.duration_ns);
  CpuRun warm_up(0, without_limits(spec)), run(0, spec);
  run_cpu(ScriptedCounter{&script}, NoProbe{}, Sleep{}, options, base::clock_with_rate(1.0), {warm_up, run});
  if (wall_ns != nullptr) *wall_ns = run.end_ticks - run.journal.start();
  return {0, run.histogram, run.samples};
}

Measurement measurement_of(CpuMeasurement cpu) {
  Measurement m;
  m.clock = base::clock_with_rate(1.0);
  m.phase.per_cpu.push_back(core::cpu_result_from(cpu.cpu, cpu.histogram, m.clock));
  m.cpus.push_back(std::move(cpu));
  return m;
}

TEST(DefectOfNpt, No01_NocountloopWasIgnored) {
  Options options;
  options.loops = 10;
  options.uncounted_loops = 3;
  // A read opens the journal of the warm-up, then its first sample; likewise for the measured loops.
  const CpuMeasurement cpu = run_script({0, 900'000, 900'000, 900'000, 0, 0, 20}, options);
  EXPECT_EQ(cpu.samples, 10u);
  EXPECT_EQ(cpu.histogram.max(), 20u) << "a loop of the warm-up was counted";
  options.uncounted_loops = 0;
  EXPECT_EQ(run_script({0, 900'000, 20}, options).histogram.max(), 900'000u) << "-n 0 counts from the first loop on";
}

TEST(DefectOfNpt, No02_TheMinimumBeganAt99999) {
  Options options;
  options.loops = 5;
  const Measurement m = measurement_of(run_script({200'000}, options));
  EXPECT_THAT(npt_screen(m, {kNanoseconds}), HasSubstr("\tmin:\t\t200000.000000 ns\n"));
  EXPECT_THAT(npt_screen(m, {kPicoseconds}), HasSubstr("\tmin:\t\t200000000.000000 ps\n"));
}

TEST(DefectOfNpt, No03_ADurationBelowASecondBecameTenMillionLoops) {
  const auto arguments = parse_arguments({"-d", "500ms"});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->measurement.duration_ns, 500'000'000u);
  EXPECT_EQ(arguments->measurement.loops, 0u);
  uint64_t wall_ns = 0;
  run_script({1000}, arguments->measurement, &wall_ns);
  EXPECT_NEAR(static_cast<double>(wall_ns), 5e8, 2000);
}

TEST(DefectOfNpt, No04_TheDurationWasTheSumOfCountedLoops) {
  Options options;
  options.loops = 0;
  options.uncounted_loops = 0;
  options.duration_ns = 2 * kSecond;
  uint64_t wall_ns = 0;
  const CpuMeasurement cpu = run_script({0, 20, kSecond, 1000}, options, &wall_ns);
  EXPECT_NEAR(static_cast<double>(wall_ns), 2e9, 2000) << "a stall of 1 s must not lengthen or shorten the run";
  EXPECT_EQ(cpu.histogram.raw().sum, wall_ns);
}

TEST(DefectOfNpt, No05_TheRateWasTheCoresPresentFrequency) {
  const base::CounterClock clock = base::calibrate();
  // Against a clock that has nothing to do with either.
  const uint64_t ticks = maxlat_counter_fenced(), ns = monotonic_ns();
  while (monotonic_ns() - ns < 20'000'000) continue;
  const double seen = static_cast<double>(maxlat_counter_fenced() - ticks) / static_cast<double>(monotonic_ns() - ns);
  EXPECT_NEAR(clock.ticks_per_ns / seen, 1, 0.005);
}

TEST(DefectOfNpt, No06_AnArgumentLongerThanAPointerOverranItsBuffer) {
  const std::string path = "/tmp/" + std::string(4000, 'x');
  const auto arguments = parse_arguments({"-d", "000000000010s", "-o", path});
  ASSERT_TRUE(arguments.ok()) << arguments.error().text;
  EXPECT_EQ(arguments->measurement.duration_ns, 10 * kSecond);
  EXPECT_EQ(arguments->output_file, path);
}

TEST(DefectOfNpt, No07_TheVarianceHadTheUnitOfTheMean) {
  Options options;
  options.loops = 2;
  options.uncounted_loops = 0;
  const Measurement m = measurement_of(run_script({0, 1000, 3000}, options));
  const std::string screen = npt_screen(m, {});
  EXPECT_THAT(screen, HasSubstr("\tvariance:\t1 us²\n"));
  EXPECT_THAT(screen, HasSubstr("\tstd dev:\t1.000000 us\n"));
  EXPECT_THAT(npt_screen(m, {kNanoseconds}), HasSubstr("\tvariance:\t1e+06 ns²\n"));
  EXPECT_THAT(npt_file(m, kMicroseconds), HasSubstr("the variance in us²"));
}

TEST(DefectOfNpt, No08_TheFileHadTheRequestedCountAndNoOverruns) {
  Options options;
  options.loops = 0;
  options.uncounted_loops = 0;
  options.duration_ns = 6 * kSecond;
  const CpuMeasurement cpu = run_script({0, 500'000'000, 500'000'000, 5 * kSecond}, options);
  EXPECT_EQ(cpu.samples, 3u);
  const std::string file = npt_file(measurement_of(cpu), kMicroseconds);
  EXPECT_THAT(file, HasSubstr("# Data generated by NPT for 3 loops"));
  EXPECT_THAT(file, HasSubstr("# Overruns (1000000+): 1\n"));
  EXPECT_THAT(file, testing::ContainsRegex("\n\t500[0-4][0-9][0-9]\t2\n"));  // 500 ms, right to 0.1 %
}

TEST(DefectOfNpt, No09_TheCounterReadWasNotFenced) {
  EXPECT_EQ(Options{}.counter, CounterRead::fenced);
  const auto arguments = parse_arguments({});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->measurement.counter, CounterRead::fenced);
  // That the read of the loop is lfence;rdtsc: the test npt_loop_instructions looks at the code itself.
}

// No quantile, JSON, threshold, exit status, outlier time, several CPUs or record of the machine: the command's own
// tests (tests/npt_command.sh) look at each; here the model that all of it is written from.
TEST(DefectOfNpt, No10_TheReportHadNoTailNoTimesAndOneCpu) {
  Options options;
  options.cpus = {core::allowed_cpus()->front()};
  options.duration_ns = 20'000'000;
  options.loops = 0;
  options.scheduling.policy = core::Policy::other;
  options.lock_memory = false;
  options.allow_interrupts = true;
  const auto m = measure(options);
  ASSERT_TRUE(m.ok()) << m.error().text;
  const core::CpuResult& cpu = m->phase.per_cpu.at(0);
  EXPECT_EQ(cpu.quantiles_ns.size(), core::kQuantileLevels.size());
  ASSERT_FALSE(cpu.outliers.empty());
  EXPECT_DOUBLE_EQ(cpu.outliers.front().latency_ns, cpu.max_ns);
  EXPECT_GT(cpu.outliers.front().t_ns, 0);
  EXPECT_FALSE(m->phase.facts.at("counter_rate_source").empty());
  EXPECT_EQ(m->phase.facts.at("interrupts"), "on");
}

}  // namespace
}  // namespace maxlat::npt
