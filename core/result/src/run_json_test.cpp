// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

#include "test_run.hpp"

namespace maxlat::core {
namespace {

using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << "the test looks for " << what;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

std::string error_of(const std::string& text) {
  const auto run = from_json(text);
  return run ? "no error" : run.error().text;
}

// Found by fuzzing: a figure was within the tolerance of its bin as it was read, and not as it was written then.
TEST(RunJson, ANumberIsJudgedAsItWouldBeWritten) {
  CpuResult cpu;
  cpu.samples = 2;
  cpu.min_ns = 5;
  cpu.mean_ns = 7;
  cpu.max_ns = 10.012;
  cpu.bins = {{5, 10, 2}};
  Phase phase;
  phase.name = phase.kind = "npt";
  phase.per_cpu = {cpu};
  RunResult run = example_run();
  run.phases = {phase};
  run.comparisons.clear();
  const std::string text = replaced(replaced(to_json(run), "10.012,", "10.0125000001,"), ",10,2]", ",10.00049,2]");
  EXPECT_THAT(error_of(text), HasSubstr("the maximum 10.013 ns is not in the last bin"));
}

TEST(RunJson, ANumberIsRoundedOnceAndStays) {
  const RunResult run = example_run();
  const std::string text = to_json(run);
  const auto read = from_json(replaced(text, "60.125", "60.12549999"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_DOUBLE_EQ(read->phases[1].per_cpu[1].bins[2].high_ns, 60.125);
  EXPECT_EQ(to_json(*read), text);
}

TEST(RunJson, WhatIsWrittenIsReadBack) {
  const RunResult run = example_run();
  const std::string text = to_json(run);
  const auto read = from_json(text);
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(to_json(*read), text);

  // to_json() could leave out the same key twice, so the values themselves, where they differ from a default.
  EXPECT_EQ(read->seed, UINT64_MAX);
  EXPECT_EQ(read->machine[0].name, "kernel");  // order kept
  EXPECT_EQ(read->machine[0].values[0].second, "6.1.0-rt");
  EXPECT_EQ(read->preflight[0].verdict, SettingObservation::Verdict::bad);
  EXPECT_EQ(read->phases[0].reason, "no tracefs");
  const Phase& phase = read->phases[1];
  EXPECT_EQ(phase.facts.at("interrupts"), "on");
  EXPECT_EQ(phase.warnings, run.phases[1].warnings);
  EXPECT_DOUBLE_EQ(phase.duration_s, 3.000000001);
  const CpuResult& cpu = phase.per_cpu[1];
  EXPECT_EQ(cpu.cpu, 5u);
  EXPECT_EQ(cpu.samples, 9'007'199'254'740'995u);
  EXPECT_EQ(cpu.bins[0].count, 9'007'199'254'740'992u);
  EXPECT_DOUBLE_EQ(cpu.bins[2].high_ns, 60.125);
  EXPECT_EQ(cpu.quantiles_ns, run.phases[1].per_cpu[1].quantiles_ns);
  EXPECT_EQ(cpu.overflow[0].cpu, 5u);
  EXPECT_EQ(cpu.outliers[0].cause, "throttled");
  EXPECT_EQ(cpu.outliers[1].path, "sub-buffer switch");
  EXPECT_EQ(cpu.outliers[1].events[0].t_ns, -12.5);
  EXPECT_EQ(cpu.outliers[1].events[1].fields, "count 41, ticks 52");
  EXPECT_EQ(cpu.outliers[1].events[1].path, "sub-buffer switch");
  EXPECT_EQ(cpu.timeline.kind, Timeline::Kind::running_max);
  EXPECT_EQ(cpu.timeline.max_ns, (std::vector<double>{12.5, 0, 123456789.125}));
  EXPECT_EQ(phase.load[0].progress, (std::vector<double>{0, 1.5, 3.125}));
  EXPECT_TRUE(phase.control->stalls[0].found);
  EXPECT_DOUBLE_EQ(phase.control->stalls[0].actual_ns, 50'120.5);
  EXPECT_DOUBLE_EQ(phase.control->stalls[0].wake_ns, 3'000);
  EXPECT_EQ(phase.events->lost_wrap, 2u);
  EXPECT_FALSE(phase.paths[0].rare);
  EXPECT_TRUE(phase.paths[1].rare);
  EXPECT_EQ(phase.paths[1].gaps.samples, 4u);
  EXPECT_EQ(phase.paths[1].gaps.bins[1].high_ns, 62.125);
  EXPECT_EQ(phase.paths[1].gaps.max_ns, run.phases[1].paths[1].gaps.max_ns);
  const RoundSummary& round = read->phases[3].rounds[0];
  EXPECT_EQ(read->phases[3].comparison, "tracers");
  EXPECT_EQ(round.order, 2u);
  EXPECT_EQ(round.quantiles_ns, run.phases[3].rounds[0].quantiles_ns);
  EXPECT_EQ(round.events->recorded, 15u);
  EXPECT_FALSE(read->phases[3].rounds[1].events.has_value());
  const MaximumRate& rate = *read->phases[4].maximum_rate;
  EXPECT_EQ(*rate.lossy_hz, 1'000'000);
  EXPECT_TRUE(rate.trials[1].confirmation);
  EXPECT_EQ(rate.trials[0].stolen_s, 0.01);
  EXPECT_EQ(rate.lossless_evidence->lossless(), 1u);
  EXPECT_EQ(rate.lossy_evidence->lossy, 1u);
  const MeasureDifference& mean = read->comparisons[0].measures[0];
  EXPECT_DOUBLE_EQ(mean.p, 0.000012345);  // three decimals would make it 0
  EXPECT_EQ(mean.interval_ns.low, -0.5);
  EXPECT_EQ(*mean.noise_floor_ns, 0.25);
  EXPECT_EQ(mean.verdict, MeasureDifference::Verdict::different);
  EXPECT_FALSE(read->comparisons[0].measures[1].noise_floor_ns.has_value());
  EXPECT_EQ(read->comparisons[0].measures[2].verdict, MeasureDifference::Verdict::not_shown);
  EXPECT_EQ(read->comparisons[0].measures[2].rounds_likely, 40u);
  EXPECT_EQ(read->comparisons[0].measures[3].verdict, MeasureDifference::Verdict::not_measured);
  EXPECT_EQ(read->comparisons[0].gaps, "waiting windows");
  EXPECT_TRUE(read->comparisons[0].beside);
  EXPECT_EQ(read->phases[3].gaps, "waiting windows");
  EXPECT_EQ(read->comparisons[0].difference_of_means_ns.high, 12);
  EXPECT_EQ(read->verdict.kind, Verdict::Kind::fail);
  EXPECT_EQ(read->verdict.rules[0].outcome, RuleResult::Outcome::fail);
  EXPECT_EQ(read->verdict.rules[1].outcome, RuleResult::Outcome::waived);
  EXPECT_EQ(read->verdict.rules[1].note, "waived until 2026-12-31: the BIOS of May");
}

// AddressSanitizer makes a step of the next two tests ten times as long; and there is a fuzz target.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStep = 5;
#else
constexpr size_t kStep = 1;
#endif

// A killed writer, a full disk, a copy that broke off: wherever it ends, it is an error and not a shorter run.
TEST(RunJson, TruncatedAtEveryByteIsAnError) {
  const std::string text = to_json(example_run());
  for (size_t size = 0; size < text.size(); size += kStep) {
    ASSERT_FALSE(from_json(std::string_view(text).substr(0, size)).ok()) << "at byte " << size;
  }
}

TEST(RunJson, OneWrongByteNeverCrashes) {
  const std::string text = to_json(example_run());
  const std::string bytes{'\0', '"', '[', '}', '9', '-', '\xff'};
  for (size_t at = 0; at < text.size(); at += kStep) {
    std::string wrong = text;
    wrong[at] = bytes[at % bytes.size()];
    (void)from_json(wrong).ok();
  }
}

TEST(RunJson, NotMeasuredIsAMissingKey) {
  RunResult run = example_run();
  run.comparisons.clear();
  run.phases.resize(2);
  run.phases[1].control.reset();
  run.phases[1].events.reset();
  run.phases[1].paths.clear();
  run.phases[1].pairs.clear();
  run.phases[1].per_cpu[1].outliers.clear();
  run.phases[1].per_cpu[0] = CpuResult{};
  run.phases[1].exposure_s = run.phases[1].per_cpu[1].exposure_s;
  const std::string text = to_json(run);
  for (const char* key : {"control", "events", "paths", "path", "pairs", "comparison", "comparisons", "rounds", "maximum_rate"})
    EXPECT_EQ(text.find('"' + std::string(key) + '"'), std::string::npos) << key;
  const size_t empty_cpu = text.find("\"samples\": 0");
  EXPECT_GT(text.find("max_ns", empty_cpu), text.find("\"cpu\": 5", empty_cpu)) << "of no sample there is no maximum";
  const auto read = from_json(text);
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_FALSE(read->phases[1].control.has_value());
  EXPECT_FALSE(read->phases[1].events.has_value());
}

TEST(RunJson, UnknownKeysAreIgnoredWhereverTheyStand) {
  std::string text = to_json(example_run());
  text = replaced(text, "\"phases\": [", "\"bins\": [[1,2]], \"later\": {\"bins\": [[1,2,3],\"x\"]}, \"phases\": [");
  text = replaced(text, "\"samples\"", "\"colour\": [1,[2],{\"bins\":7}], \"samples\"");
  EXPECT_EQ(error_of(text), "no error");
}

TEST(RunJson, ErrorsNameThePlace) {
  const std::string text = to_json(example_run());
  const auto error_with = [&](const std::string& what, const std::string& by) {
    return error_of(replaced(text, what, by));
  };
  EXPECT_THAT(error_of(""), HasSubstr("not a JSON text: it is empty"));
  EXPECT_THAT(error_of(text + "}"), HasSubstr("not a complete JSON text"));
  EXPECT_EQ(error_of("[]"), "it is not a JSON object");
  EXPECT_EQ(error_of("{}"), "not a maxlat result: it has no \"schema\"");
  EXPECT_EQ(error_with("maxlat-result/1", "maxlat-result/2"),
            "its schema is \"maxlat-result/2\", and this maxlat reads \"maxlat-result/1\"");
  EXPECT_EQ(error_with("\"seed\"", "\"seeds\""), "run.seed is missing");
  // A defect, found by fuzz_run_json: an error of several lines, and whatever a terminal makes of it.
  EXPECT_EQ(error_with("\"status\": \"complete\"", "\"status\": \"\\ndone\\u001b\""),
            "run.status is \"?done?\", and must be one of running, complete, interrupted");
  EXPECT_EQ(error_with("maxlat-result/1", "\\n"), "its schema is \"?\", and this maxlat reads \"maxlat-result/1\"");
  EXPECT_EQ(error_with("\"status\": \"complete\"", "\"status\": \"done\""),
            "run.status is \"done\", and must be one of running, complete, interrupted");
  EXPECT_EQ(error_with("\"samples\": 9007199254740995", "\"samples\": -1"),
            "phases[1].per_cpu[0].samples is not a whole number from 0 on");
  EXPECT_EQ(error_with("\"max_ns\": 123456789.125", "\"max_ns\": null"), "phases[1].per_cpu[0].max_ns is not a number");
  EXPECT_EQ(error_with("[60,60.125,1]", "[60,60.125,1.5]"),
            "phases[1].per_cpu[0].histogram.bins is not a list of [low, high, count]");
  EXPECT_EQ(error_with("[60,60.125,1]", "[60,60.125]"),
            "phases[1].per_cpu[0].histogram.bins is not a list of [low, high, count]");
  EXPECT_EQ(error_with("[12.5,0,", "[\"12.5\",0,"), "phases[1].per_cpu[0].timeline.max_ns is not a list of numbers");
  EXPECT_THAT(error_with("[12.5,0,", "[1e999,0,"), HasSubstr("out of range"));
  EXPECT_EQ(error_with("[60,60.125,1]", "[60,60.125,2]"),
            "phase \"npt under load\": CPU 0: the bins hold 9007199254740996 samples of 9007199254740995");
}

TEST(RunJson, BytesThatAreNoTextStillMakeJson) {
  RunResult run = example_run();
  run.phases[1].warnings = {"broken \xff\xc3 utf-8"};
  const auto read = from_json(to_json(run));
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->phases[1].warnings[0], "broken \xef\xbf\xbd\xef\xbf\xbd utf-8");
}

class RunFile : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "run.json";
};

TEST_F(RunFile, IsWrittenAndRead) {
  ASSERT_TRUE(write_run(path_, example_run()).ok());
  const auto read = read_run(path_);
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(to_json(*read), to_json(example_run()));
}

TEST_F(RunFile, ErrorsNameTheFile) {
  EXPECT_EQ(read_run("/nowhere/r.json").error().text, "cannot read /nowhere/r.json: no such file or directory");
  EXPECT_EQ(read_run("/tmp").error().text, "/tmp: is a folder");
  std::ofstream(path_) << "{\"schema\": \"maxlat-result/1\"";
  EXPECT_THAT(read_run(path_).error().text, testing::StartsWith(path_ + ": not a complete JSON text"));
  std::ofstream(path_) << "{}";
  EXPECT_THAT(read_run(path_).error().text, testing::StartsWith(path_ + ": not a maxlat result"));
}

TEST_F(RunFile, WhatIsNotValidIsNotWritten) {
  RunResult run = example_run();
  run.phases[1].per_cpu[0].mean_ns = NAN;
  EXPECT_FALSE(write_run(path_, run).ok());
  EXPECT_FALSE(std::ifstream(path_).good());
}

TEST_F(RunFile, LargeRunIsReadWhole) {
  const RunResult run = large_run(4, 2000);
  ASSERT_TRUE(write_run(path_, run).ok());
  const auto read = read_run(path_);
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(to_json(*read), to_json(run));
}

// A histogram with a row for each nanosecond, up to a tenth of a millisecond.
TEST_F(RunFile, AHundredThousandBinsAreRead) {
  constexpr unsigned kBins = 100'000;
  CpuResult cpu;
  for (unsigned i = 1; i <= kBins; ++i) cpu.bins.push_back({double(i), double(i + 1), i});
  fill_statistics_from_bins(cpu);
  RunResult run = large_run(1, 1);
  cpu.exposure_s = run.phases[0].exposure_s;
  run.phases[0].per_cpu = {cpu};
  const Status written = write_run(path_, run);
  ASSERT_TRUE(written) << written.error().text;
  const auto read = read_run(path_);
  ASSERT_TRUE(read.ok()) << read.error().text;
  ASSERT_EQ(read->phases[0].per_cpu[0].bins.size(), kBins);
  EXPECT_EQ(read->phases[0].per_cpu[0].samples, uint64_t{kBins} * (kBins + 1) / 2);
  EXPECT_EQ(to_json(*read), to_json(run));
}

}  // namespace
}  // namespace maxlat::core
