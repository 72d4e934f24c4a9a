// SPDX-License-Identifier: MIT
//
// The text reports over books made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cyclictest_text.hpp"
#include "histogram_rows.hpp"
#include "npt_text.hpp"

namespace maxlat::npt {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two CPUs, 2 and 5, of a 2 GHz counter: gaps of 20 ns, one of 1.5 us, one of 5 ms; CPU 5 also one beyond every range.
Measurement two_cpus() {
  Measurement m;
  m.clock = base::clock_with_rate(2.0);
  m.cost = {18.4, 19.5};
  for (unsigned cpu : {2u, 5u}) {
    CpuMeasurement c;
    c.cpu = cpu;
    for (int i = 0; i < 98; ++i) c.histogram.record(40);
    c.histogram.record(3'000);
    c.histogram.record(10'000'000);
    if (cpu == 5) c.histogram.record(1ull << 41, 77);
    c.samples = c.histogram.total();
    m.phase.per_cpu.push_back(core::cpu_result_from(cpu, c.histogram, m.clock));
    m.cpus.push_back(std::move(c));
  }
  m.phase.status = core::PhaseStatus::ok;
  return m;
}

// Of the rows under `heading`, the sum of the second column.
uint64_t sum_of_rows(const std::string& text) {
  std::istringstream lines(text);
  uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    uint64_t value = 0, count = 0;
    std::string rest;
    if (words >> value >> count && !(words >> rest)) sum += count;
  }
  return sum;
}

TEST(NptScreen, HasOneBlockPerCpuUnderItsNumber) {
  const std::string text = npt_screen(two_cpus(), {});
  EXPECT_THAT(text, HasSubstr("# CPU affinity set on CPU 2\n# Application priority set to 99\n100 loops done.\n"));
  EXPECT_THAT(text, HasSubstr("# CPU affinity set on CPU 5\n# Application priority set to 99\n101 loops done.\n"));
  EXPECT_THAT(text,
              HasSubstr("# Loop cost: 19.50 ns a loop with all bookkeeping, 18.40 ns of it the bare counter read"));
}

TEST(NptScreen, SaysWhoHadTheLargestGap) {
  Measurement m = two_cpus();
  m.phase.facts["kernel events"] = "recorded by tracefs";
  core::Outlier largest;
  largest.latency_ns = 83'000;
  largest.accounting = {{.kind = core::TimeClass::irq, .name = "24 eth0", .ns = 61'000, .count = 1},
                        {.kind = core::TimeClass::softirq, .name = "NET_RX", .ns = 22'000, .count = 1}};
  m.phase.per_cpu[1].outliers = {largest};
  const std::string text = npt_screen(m, {});
  EXPECT_THAT(text, HasSubstr("# Kernel events: recorded by tracefs\n"));
  EXPECT_THAT(text, HasSubstr("# Largest gap: 83.0 us on CPU 5: irq 24 eth0 61.0 us, softirq NET_RX 22.0 us\n"));
  EXPECT_THAT(text, Not(HasSubstr("on CPU 2: ")));
}

TEST(NptScreen, VerboseSaysWhatTheKernelRanOnEachCpu) {
  Measurement m = two_cpus();
  m.phase.interference = {
      {.cpu = 5,
       .watched_ns = 1e9,
       .undisturbed_ns = 1e9 - 500'000,
       .rows = {{.kind = core::TimeClass::local_timer, .count = 250, .ns = 500'000, .largest_ns = 9'000}}}};
  EXPECT_THAT(npt_screen(m, {}), Not(HasSubstr("What the kernel ran")));
  const std::string text = npt_screen(m, {kMicroseconds, false, true});
  EXPECT_THAT(text, HasSubstr("# What the kernel ran, by its events:\n# CPU 5: 99.9500 % of 1 s idle or the meter's own\n"));
  EXPECT_THAT(text, HasSubstr("#   250  500 us  0.0500 %  9.00 us  local timer\n"));
}

TEST(NptScreen, AnArmWithoutPathsSaysWhy) {
  Measurement m = two_cpus();
  for (const char* arm : {"", "none"}) {
    m.phase.arm = arm;
    EXPECT_THAT(npt_screen(m, {}), Not(HasSubstr("Paths of")));
  }
  m.phase.arm = "lttng-ust:timer";
  EXPECT_THAT(npt_screen(m, {}), HasSubstr("# Paths of lttng-ust:timer: not known: only maxlat's own tracer says"));
  m.phase.arm = "maxlat:timer";
  m.phase.facts["counter"] = "raw-clock";
  EXPECT_THAT(npt_screen(m, {}), HasSubstr("# Paths of maxlat:timer: not known: the gaps are of another clock"));
  m.phase.paths.push_back({"ordinary event", false, m.phase.per_cpu[0]});
  EXPECT_THAT(npt_screen(m, {}), Not(HasSubstr("not known")));
}

TEST(NptScreen, EveryLineOfNptIsThere) {
  const std::string text = npt_screen(two_cpus(), {});
  for (const char* line :
       {"Loops duration:\n", "\tmin:\t\t0.020000 us\n", "\tmax:\t\t5000.000000 us\n", "\tmean:\t\t50.034600 us\n",
        "\tsum:\t\t5003.460000 us\n", "\tvariance:\t", "\tstd dev:\t", "duration (us)\tnb. loops\n", "\n0\t\t98\n",
        "\n1\t\t1\n", "\n5000\t\t1\n", "Overruns (1000000+): 0\n", "Overruns (1000000+): 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(NptScreen, RowsAndOverrunsAreTheSamples) {
  for (const Unit& unit : {kMicroseconds, kNanoseconds, kPicoseconds}) {
    const Measurement m = two_cpus();
    uint64_t rows = 0, overruns = 0;
    for (const CpuMeasurement& cpu : m.cpus) {
      const HistogramRows h = histogram_rows(cpu.histogram, m.clock, unit.ns, 1'000'000);
      overruns += h.overruns;
      for (const HistogramRow& row : h.rows) rows += row.count;
    }
    EXPECT_EQ(rows + overruns, 201u) << unit.name;
    EXPECT_EQ(sum_of_rows(npt_screen(m, {unit})), rows) << unit.name;
    EXPECT_EQ(sum_of_rows(npt_file(m, unit)), rows) << unit.name;
  }
}

TEST(NptScreen, QuietHasTheStatisticsWithoutTheRows) {
  const std::string text = npt_screen(two_cpus(), {kMicroseconds, false, false});
  EXPECT_THAT(text, HasSubstr("std dev:"));
  EXPECT_THAT(text, Not(HasSubstr("nb. loops")));
}

TEST(CyclictestText, HasTheLinesThatScriptsGrepFor) {
  const std::string text = cyclictest_text(two_cpus(), 3);
  EXPECT_THAT(text, HasSubstr("# Histogram\n000000 000098\t000098\n000001 000001\t000001\n000002 000000\t000000\n"));
  EXPECT_THAT(text, HasSubstr("# Total: 000099 000099\n"));
  EXPECT_THAT(text, HasSubstr("# Min Latencies: 000000 000000\n"));
  EXPECT_THAT(text, HasSubstr("# Avg Latencies: 000050 "));
  EXPECT_THAT(text, HasSubstr("# Max Latencies: 005000 1099511627\n"));
  EXPECT_THAT(text, HasSubstr("# Histogram Overflows: 000001 000002\n"));
}

}  // namespace
}  // namespace maxlat::npt
