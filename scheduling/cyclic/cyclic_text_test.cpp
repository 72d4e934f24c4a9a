// SPDX-License-Identifier: MIT
#include "cyclic_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;
using testing::Not;

core::Phase phase() {
  core::Phase phase;
  core::CpuResult cpu;
  cpu.cpu = 3;
  cpu.samples = 1000;
  cpu.min_ns = 900;
  cpu.max_ns = 45'600;
  cpu.quantiles_ns = {{"p50", 2'000}, {"p99.9", 9'000}};
  cpu.outliers = {{.t_ns = 2.5e9, .latency_ns = 45'600, .cpu = 3, .cause = {}},
                  {.t_ns = 1e9, .latency_ns = 9'000, .cpu = 3, .cause = {}}};
  phase.per_cpu = {cpu};
  phase.facts["missed cycles"] = "none";
  return phase;
}

TEST(CyclicText, ARowForEachCpuAndNoFigureThatSoFewSamplesDoNotShow) {
  const std::string text = cyclic_text(phase(), false);
  EXPECT_THAT(text, testing::ContainsRegex("3 +1000 +900 ns +2\\.00 us +9\\.00 us +- +45\\.6 us"));
  EXPECT_THAT(text, Not(HasSubstr("missed")));
  EXPECT_THAT(text, Not(HasSubstr("latest")));
}

TEST(CyclicText, MissedCyclesAndWarningsAreTold) {
  core::Phase late = phase();
  late.facts["missed cycles"] = "3 cycles without a sample, due while a thread was late";
  late.warnings = {"cannot lock memory"};
  const std::string text = cyclic_text(late, false);
  EXPECT_THAT(text, HasSubstr("3 cycles without a sample"));
  EXPECT_THAT(text, HasSubstr("warning: cannot lock memory"));
}

TEST(CyclicText, TheLatestComeFirst) {
  const std::string text = cyclic_text(phase(), true);
  const size_t first = text.find("45.6 us on CPU 3, 2.500000 s after the start");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_GT(text.find("9.00 us on CPU 3, 1.000000 s"), first);
  core::Phase known = phase();
  known.per_cpu[0].outliers[0].accounting = {{.kind = core::TimeClass::irq, .name = "24 eth0", .ns = 45'600}};
  known.status = core::PhaseStatus::interrupted;
  known.reason = "stopped after 2 s";
  EXPECT_THAT(cyclic_text(known, false), HasSubstr("The latest wake-up:\n    45.6 us on CPU 3"));
  EXPECT_THAT(cyclic_text(known, false), HasSubstr("irq 24 eth0 45.6 us"));
  EXPECT_THAT(cyclic_text(known, false), HasSubstr("  interrupted: stopped after 2 s\n"));
}

TEST(CyclicText, VerboseSaysWhatTheKernelRan) {
  core::Phase watched = phase();
  watched.interference = {
      {.cpu = 3,
       .watched_ns = 1e9,
       .undisturbed_ns = 1e9 - 1'000,
       .rows = {{.kind = core::TimeClass::task, .name = "kworker/3:1", .count = 1, .ns = 1'000, .largest_ns = 1'000}}}};
  EXPECT_THAT(cyclic_text(watched, false), testing::Not(HasSubstr("What the kernel ran")));
  EXPECT_THAT(cyclic_text(watched, true),
              HasSubstr("What the kernel ran, by its events:\n  CPU 3: 99.9999 % of 1 s idle or the meter's own\n"));
  EXPECT_THAT(cyclic_text(watched, true), HasSubstr("task kworker/3:1\n"));
}

}  // namespace
}  // namespace maxlat::scheduling
