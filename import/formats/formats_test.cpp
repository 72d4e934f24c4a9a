// SPDX-License-Identifier: MIT
//
// What each format becomes. Files whose names have "2.4" were made by Debian 12's rt-tests 2.4 on a virtual machine
// with two CPUs:
//   cyclictest -m -p95 -i200 -h 60 --smp -D 1 -q --histfile=FILE      cyclictest -m -p95 -i200 -H 60 --smp -l 500
//   cyclictest -m -p95 -i200 -S -l 2000 -q                            cyclictest -m -p95 -i200 -S -l 40 -v
//   oslat -c 0-1 -D 2 -b 24        oslat -c 0-1 -D 1 -b 16 -z         oslat -c 1 -D 2 -b 20 --json=FILE -q
//   hackbench -g 2 -l 200; hackbench -p -T -g 2 -l 100
// hwlatdetect-2.4.txt and those with "rtla-6.1" are of Debian 12's tools in a guest with planted SMIs, which reads what
// they write with every run, too: tests/guest/smi_peers.guest.sh. rtla 6.1 knows neither hwnoise nor user space.
// The others are made by hand, after the sources of the tools and their documentation (docs/sources.md).
#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "formats/test_files.hpp"

namespace maxlat::importing {
namespace {

using test::imported;
using test::kExamples;
using test::testdata;
using testing::ElementsAre;
using testing::HasSubstr;

core::RunResult run_of(const std::string& file, double unit_ns = 0) {
  const auto run = imported(testdata(file), unit_ns);
  EXPECT_TRUE(run.ok()) << file << ": " << run.error().text;
  return run.ok() ? *run : core::RunResult{};
}

core::Phase phase_of(const std::string& file, double unit_ns = 0) {
  const core::RunResult run = run_of(file, unit_ns);
  EXPECT_EQ(run.phases.size(), 1u) << file;
  return run.phases.empty() ? core::Phase{} : run.phases[0];
}

uint64_t samples_in(const core::CpuResult& cpu) {
  uint64_t sum = cpu.overflow_count;
  for (const core::Bin& bin : cpu.bins) sum += bin.count;
  return sum;
}

TEST(Formats, EachFileIsRecognisedByItsOwnFormatAlone) {
  for (const test::Example& example : kExamples) {
    const std::string text = testdata(example.file);
    for (const ImportDefinition* definition : import_table())
      EXPECT_EQ(definition->recognises(text), definition->name == example.format)
          << example.file << ": " << definition->name;
  }
}

TEST(Formats, EachFormatHasAnExample) {
  for (const ImportDefinition* definition : import_table())
    EXPECT_TRUE(std::any_of(std::begin(kExamples), std::end(kExamples), [&](const test::Example& example) {
      return example.format == definition->name;
    })) << definition->name;
}

TEST(Formats, EachRunIsReadBackAsItWasWritten) {
  for (const test::Example& example : kExamples) {
    const core::RunResult run = run_of(example.file, example.unit_ns);
    const auto again = core::from_json(core::to_json(run));
    ASSERT_TRUE(again.ok()) << example.file << ": " << again.error().text;
    EXPECT_EQ(core::to_json(*again), core::to_json(run));
    EXPECT_EQ(run.verdict.not_comparable.size(), 1u);
  }
}

// A defect: what cyclictest -b had ended passed a gate with a larger limit, however short it was.
TEST(Formats, ALimitAtWhichAMeterEndedIsToldAsExceeded) {
  const auto fact_of = [](const std::string& file, const std::string& in, const std::string& with, const char* name) {
    const auto run = imported(test::replaced(testdata(file), in, with));
    EXPECT_TRUE(run.ok()) << file;
    const auto& facts = run->phases[0].facts;
    return facts.contains(name) ? facts.at(name) : "";
  };
  EXPECT_EQ(fact_of("cyclictest-2.4.json", " -i100", " -qb50 -i 200", core::fact::kBreak),
            "a sample of 171 us on CPU 0");
  EXPECT_EQ(fact_of("cyclictest-2.4.json", " -i100", " -b 171", core::fact::kBreak), "") << "no sample is above";
  EXPECT_EQ(fact_of("oslat-2.4.json", " -D 2", " -D 1h -T 9000", core::fact::kLimit), "9.00 ms");
  EXPECT_EQ(fact_of("oslat-2.4.json", " -D 2", " -D 1h -T 9000", core::fact::kBreak), "") << "it leaves no file then";
  const auto break_of = [](const std::string& text) {
    const auto run = imported(text);
    EXPECT_TRUE(run.ok()) << run.error().text;
    const auto& facts = run->phases[0].facts;
    return facts.contains(core::fact::kBreak) ? facts.at(core::fact::kBreak) : "";
  };
  for (const char* file : {"cyclictest-2.4-status.txt", "cyclictest-2.4-histogram.txt"}) {
    EXPECT_EQ(break_of(testdata(file)), "") << file;
    EXPECT_EQ(break_of(testdata(file) + "# Break thread: 7125\n# Break value: 96\n"), "a sample of 96.0 us") << file;
  }
  EXPECT_FALSE(imported(testdata("cyclictest-2.4-status.txt") + "# Break value: no\n").ok());
  EXPECT_EQ(break_of(testdata("rtla-6.1-timerlat.txt")), "");
  EXPECT_EQ(break_of(testdata("rtla-6.1-timerlat.txt") + "rtla timerlat hit stop tracing\n"),
            "rtla timerlat hit stop tracing");
}

TEST(Formats, CyclictestsCommandTellsItsIntervalAndItsLimit) {
  const core::Phase phase = phase_of("cyclictest-2.4.json");
  EXPECT_EQ(phase.facts.at(core::fact::kInterval), "100 us");
  EXPECT_FALSE(phase.facts.contains(core::fact::kLimit));
  const auto run = imported(test::replaced(testdata("cyclictest-2.4.json"), " -i100", " -qb50 -i 200"));
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].facts.at(core::fact::kInterval), "200 us");
  EXPECT_EQ(run->phases[0].facts.at(core::fact::kLimit), core::latency_text(50e3));
}

TEST(Formats, CyclictestsHistogramFileHasTotalsAndNoExposure) {
  const core::Phase phase = phase_of("cyclictest-2.4-histfile.txt");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  const core::CpuResult& cpu = phase.per_cpu[0];
  EXPECT_EQ(cpu.samples, 4997u);  // "# Total: 000004990" and "# Histogram Overflows: 00007"
  EXPECT_EQ(cpu.overflow_count, 7u);
  EXPECT_EQ(samples_in(cpu), cpu.samples);
  EXPECT_EQ(cpu.min_ns, 18e3);
  EXPECT_EQ(cpu.max_ns, 555e3);
  EXPECT_EQ(cpu.mean_ns, 24e3);
  EXPECT_EQ(phase.exposure_s, 0);
  EXPECT_THAT(phase.warnings, testing::Contains(HasSubstr("no exposure")));
}

// -H has a column more in the rows and in some of the totals; the status lines of its screen tell the interval.
TEST(Formats, CyclictestsSumOverAllThreadsIsNoThread) {
  const core::Phase phase = phase_of("cyclictest-2.4-histogram.txt");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[1].samples, 500u);
  EXPECT_EQ(phase.per_cpu[1].overflow_count, 10u);
  EXPECT_NEAR(phase.exposure_s, 2 * 500 * 200e-6, 1e-9);
}

// A defect would be a p99 made of nothing: the status lines tell three figures of all samples.
TEST(Formats, CyclictestsStatusLinesHaveNoQuantiles) {
  const core::Phase phase = phase_of("cyclictest-2.4-summary.txt");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[1].samples, 592u);
  EXPECT_EQ(phase.per_cpu[1].overflow_count, 592u);
  EXPECT_EQ(phase.per_cpu[1].max_ns, 52'660e3);
  EXPECT_EQ(phase.per_cpu[1].mean_ns, 142e3);
  EXPECT_TRUE(phase.per_cpu[1].quantiles_ns.empty());
}

TEST(Formats, EverySampleOfCyclictestIsCounted) {
  const core::Phase phase = phase_of("cyclictest-2.4-verbose.txt");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[0].samples, 40u);
  EXPECT_EQ(phase.per_cpu[0].max_ns, 30e3);
  EXPECT_EQ(phase.per_cpu[0].bins.front().high_ns - phase.per_cpu[0].bins.front().low_ns, 1e3);
  EXPECT_NEAR(phase.per_cpu[0].exposure_s, 40 * 700e-6, 1e-9);  // "Thread 0 Interval: 700"
  EXPECT_NEAR(phase.per_cpu[1].exposure_s, 9 * 1200e-6, 1e-9);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
}

TEST(Formats, NanosecondsOfCyclictestAreToldByTheUser) {
  EXPECT_EQ(phase_of("cyclictest-2.4-verbose.txt", 1).per_cpu[0].max_ns, 30);
  EXPECT_EQ(phase_of("cyclictest-2.4-histfile.txt", 1).per_cpu[0].max_ns, 555);
}

TEST(Formats, ASampleThatCyclictestLostMakesThePhaseInvalid) {
  const auto run = imported("Thread 0 Interval: 200\n       0:       0:      12\n       0:       3:      13\n");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].status, core::PhaseStatus::invalid);
  EXPECT_THAT(run->phases[0].reason, HasSubstr("lost 2 samples"));
  EXPECT_EQ(run->phases[0].per_cpu[0].samples, 2u);
}

// Of oslat a row's name is its upper edge, and the last row holds everything beyond.
TEST(Formats, OslatsLastRowIsOverflowWhereTheMaximumLiesBeyond) {
  const core::Phase phase = phase_of("oslat-2.4.json");
  ASSERT_EQ(phase.per_cpu.size(), 1u);
  const core::CpuResult& cpu = phase.per_cpu[0];
  EXPECT_EQ(cpu.cpu, 1u);
  EXPECT_EQ(cpu.samples, 50'427'233u);
  EXPECT_EQ(cpu.overflow_count, 499u);
  EXPECT_EQ(cpu.bins[0].low_ns, 0);
  EXPECT_EQ(cpu.bins[0].high_ns, 1e3);
  EXPECT_EQ(cpu.bins.back().high_ns, 19e3);
  EXPECT_EQ(cpu.max_ns, 8'054e3);
  EXPECT_EQ(cpu.exposure_s, 2.001);
  EXPECT_EQ(phase.kind, "npt");
  EXPECT_THAT(phase.command, HasSubstr("-b 20"));
}

TEST(Formats, OslatsTextHasAColumnForEachCpu) {
  for (const char* file : {"oslat-2.4.txt", "oslat-2.4-zero-omit.txt"}) {
    const core::Phase phase = phase_of(file);
    ASSERT_EQ(phase.per_cpu.size(), 2u);
    EXPECT_EQ(phase.per_cpu[1].cpu, 1u);
    EXPECT_GT(phase.per_cpu[0].overflow_count, 100u);
    EXPECT_EQ(phase.per_cpu[0].bins[1].high_ns, 2e3);
    EXPECT_EQ(phase.facts.at("made by"), "oslat 2.40");
  }
}

TEST(Formats, HackbenchIsALoadAndNoLatency) {
  const core::RunResult run = run_of("hackbench-2.4.txt");
  ASSERT_EQ(run.phases.size(), 2u);
  EXPECT_EQ(run.phases[0].kind, "load");
  EXPECT_TRUE(run.phases[0].per_cpu.empty());
  ASSERT_EQ(run.phases[0].load.size(), 1u);
  // 2 groups, 20 senders to 20 receivers, 200 messages each.
  EXPECT_NEAR(run.phases[0].load[0].progress[0] * run.phases[0].duration_s, 2 * 20 * 20 * 200, 1);
  EXPECT_EQ(run.phases[1].facts.at("tasks"), "2 groups of 40 threads");
}

TEST(Formats, AWindowOfHwlatdetectWithoutARecordIsBelowTheThreshold) {
  const core::Phase phase = phase_of("hwlatdetect-0.8.txt");
  ASSERT_EQ(phase.per_cpu.size(), 1u);
  const core::CpuResult& cpu = phase.per_cpu[0];
  EXPECT_EQ(cpu.cpu, 1u);
  EXPECT_EQ(cpu.samples, 20u);
  EXPECT_EQ(cpu.bins[0].high_ns, 10e3);
  EXPECT_EQ(cpu.bins[0].count, 17u);
  EXPECT_EQ(cpu.max_ns, 212e3);
  EXPECT_EQ(cpu.exposure_s, 10);  // half of each second
  ASSERT_EQ(cpu.outliers.size(), 3u);
  EXPECT_EQ(cpu.outliers[0].latency_ns, 212e3);
  EXPECT_NEAR(cpu.outliers[0].t_ns, 2.972428872e9, 1e3);
  EXPECT_THAT(phase.warnings, testing::Contains("hwlatdetect counted 3 SMIs"));
}

TEST(Formats, AHwlatdetectThatFoundNothingHasItsWindows) {
  std::string text = testdata("hwlatdetect-0.8.txt");
  text = text.substr(0, text.find("ts: "));
  text = test::replaced(text, "Max Latency: 212us", "Max Latency: Below threshold");
  text = test::replaced(text, "Samples recorded: 3", "Samples recorded: 0");
  const auto run = imported(text);
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].per_cpu[0].samples, 20u);
  EXPECT_EQ(run->phases[0].per_cpu[0].max_ns, 10e3);
}

TEST(Formats, AReportOfHwlatdetectHasRecordsAlone) {
  const auto run =
      imported("ts: 100.5, inner:12, outer:0, cpu:3, count:2\nts: 101.5, inner:0, outer:17, cpu:0, count:1\n");
  ASSERT_TRUE(run.ok()) << run.error().text;
  const core::Phase& phase = run->phases[0];
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[1].cpu, 3u);
  EXPECT_EQ(phase.per_cpu[1].samples, 1u);
  EXPECT_THAT(phase.warnings, testing::Contains(HasSubstr("no exposure")));
}

// rteval adds the three into one histogram, which is of nothing.
TEST(Formats, TheThreeLatenciesOfTimerlatAreThreePhases) {
  const core::RunResult run = run_of("rtla-timerlat.txt");
  ASSERT_EQ(run.phases.size(), 3u);
  EXPECT_EQ(run.phases[1].name, "timerlat: thread");
  EXPECT_EQ(run.phases[1].kind, "cyclictest");
  ASSERT_EQ(run.phases[1].per_cpu.size(), 2u);
  EXPECT_EQ(run.phases[1].per_cpu[1].cpu, 3u);
  EXPECT_EQ(run.phases[1].per_cpu[0].bins[1].low_ns, 10e3);
  EXPECT_EQ(run.phases[1].per_cpu[0].bins[1].high_ns, 20e3);
  EXPECT_EQ(run.phases[2].per_cpu[0].overflow_count, 1u);
  EXPECT_EQ(run.phases[2].per_cpu[0].max_ns, 124e3);
  EXPECT_EQ(run.phases[0].duration_s, 2);
}

TEST(Formats, NoisesOfOsnoiseAndTheirUnit) {
  const core::Phase phase = phase_of("rtla-osnoise.txt");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[0].max_ns, 290e3);
  EXPECT_EQ(phase.per_cpu[0].overflow_count, 1u);
  EXPECT_EQ(phase.per_cpu[1].cpu, 2u);
  const auto nanoseconds =
      imported(test::replaced(testdata("rtla-osnoise.txt"), "microseconds (us)", "nanoseconds (ns)"));
  ASSERT_TRUE(nanoseconds.ok()) << nanoseconds.error().text;
  EXPECT_EQ(nanoseconds->phases[0].per_cpu[0].max_ns, 290);
}

// Of the tools themselves, in a guest where SMIs of 100 us were planted (tests/guest/smi_peers.guest.sh).
TEST(Formats, WhatTheToolsOfDebian12WroteIsRead) {
  const core::Phase osnoise = phase_of("rtla-6.1-osnoise.txt");
  ASSERT_EQ(osnoise.per_cpu.size(), 1u);
  EXPECT_EQ(osnoise.per_cpu[0].samples, 12u);
  EXPECT_EQ(osnoise.per_cpu[0].overflow_count, 1u);
  EXPECT_EQ(osnoise.per_cpu[0].max_ns, 282e3);
  EXPECT_EQ(osnoise.duration_s, 2);
  const core::RunResult timerlat = run_of("rtla-6.1-timerlat.txt");
  ASSERT_EQ(timerlat.phases.size(), 2u) << "without user space";
  EXPECT_EQ(timerlat.phases[0].per_cpu[0].samples, 2000u);
  const core::CpuResult& thread = timerlat.phases[1].per_cpu[0];
  EXPECT_EQ(thread.samples, 2000u);
  ASSERT_EQ(thread.bins.size(), 3u);
  EXPECT_EQ(thread.bins[1].low_ns, 4000);
  EXPECT_EQ(thread.bins[1].count, 1576u);
  const core::Phase hwlatdetect = phase_of("hwlatdetect-2.4.txt");
  EXPECT_EQ(hwlatdetect.per_cpu[0].samples, 10u) << "windows";
  EXPECT_EQ(hwlatdetect.per_cpu[0].outliers.size(), 9u);
  EXPECT_EQ(hwlatdetect.per_cpu[0].max_ns, 100e3);
  EXPECT_EQ(hwlatdetect.per_cpu[0].exposure_s, 5);
}

TEST(Formats, WhatRtlaMissedMakesThePhaseInvalid) {
  const auto run = imported(testdata("rtla-osnoise.txt") + "missed events: 12\n");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].status, core::PhaseStatus::invalid);
}

// A defect of jitterdebugger: samples of a millisecond and more are in no row, only in the count.
TEST(Formats, WhatIsInNoRowOfJitterdebuggerIsOverflow) {
  const core::Phase phase = phase_of("jitterdebugger-0.3.1.json");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[0].samples, 1950u);
  EXPECT_EQ(phase.per_cpu[0].overflow_count, 3u);
  EXPECT_EQ(phase.per_cpu[0].min_ns, 13e3);
  EXPECT_EQ(phase.per_cpu[0].max_ns, 2332e3);
  EXPECT_EQ(core::quantile_of(phase.per_cpu[0], 0.9999), 2332e3);
}

// A defect: nanoseconds were taken for microseconds.
TEST(Formats, TheUnitOfJitterdebuggerIsAsItsFileTells) {
  const core::Phase phase = phase_of("jitterdebugger-0.3.1-nsec.json");
  EXPECT_EQ(phase.per_cpu.at(0).min_ns, 30'207);
  EXPECT_EQ(phase.per_cpu.at(0).max_ns, 62'522);
  const auto untold = imported(test::replaced(testdata("jitterdebugger-0.3.1-nsec.json"), "resolution_in_ns", "other"));
  ASSERT_TRUE(untold.ok()) << untold.error().text;
  EXPECT_EQ(untold->phases[0].per_cpu[0].max_ns, 62'522e3);
}

TEST(Formats, RtevalHasTheCoresAndNotTheSystem) {
  const core::Phase phase = phase_of("rteval-summary.xml");
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[1].cpu, 3u);
  EXPECT_EQ(phase.per_cpu[0].samples, 5u);
  EXPECT_EQ(phase.per_cpu[0].mean_ns, 11e3);
  EXPECT_EQ(phase.per_cpu[0].stddev_ns, 16.8e3);
  EXPECT_EQ(phase.facts.at("kernel"), "6.12.9-rt");
  EXPECT_EQ(phase.duration_s, 60);
  EXPECT_THAT(phase.command, HasSubstr("-i100"));
}

TEST(Formats, TheRowsOfFtraceAreRangesOrPowersOfTwo) {
  const core::Phase phase = phase_of("ftrace-6.1-hist-buckets.txt", 1000);
  ASSERT_EQ(phase.per_cpu.size(), 2u);
  EXPECT_EQ(phase.per_cpu[1].samples, 340u);
  EXPECT_EQ(phase.per_cpu[1].bins[1].low_ns, 10e3);
  EXPECT_EQ(phase.per_cpu[1].bins[1].high_ns, 20e3);
  const auto powers = imported(
      "# trigger info: hist:keys=pid,delta.log2:vals=hitcount [active]\n"
      "{ pid:  12, cpu:  1, delta: ~ 2^5 } hitcount:  3\n"
      "{ pid:  13, cpu:  1, delta: ~ 2^5 } hitcount:  4\n"
      "Totals:\n"
      "    Hits: 8\n"
      "    Dropped: 1\n",
      1);
  ASSERT_TRUE(powers.ok()) << powers.error().text;
  const core::Phase& lossy = powers->phases[0];
  EXPECT_EQ(lossy.per_cpu[0].cpu, 1u);
  ASSERT_EQ(lossy.per_cpu[0].bins.size(), 1u);
  EXPECT_EQ(lossy.per_cpu[0].bins[0].low_ns, 17);  // 17 to 32
  EXPECT_EQ(lossy.per_cpu[0].bins[0].high_ns, 33);
  EXPECT_EQ(lossy.per_cpu[0].samples, 7u);
  EXPECT_EQ(lossy.status, core::PhaseStatus::invalid);  // dropped
  EXPECT_THAT(lossy.warnings, testing::Contains(HasSubstr("1 event came while")));
}

}  // namespace
}  // namespace maxlat::importing
