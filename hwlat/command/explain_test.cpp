// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::hwlat {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Two CPUs; CPU 0 has a gap of 50 us at one second, CPU 1 has none.
Measurement one_gap() {
  Measurement measured;
  for (const unsigned cpu : {0u, 1u}) {
    core::CpuResult result;
    result.cpu = cpu;
    measured.phase.per_cpu.push_back(result);
  }
  measured.phase.per_cpu[0].outliers = {{1e9, 50'000, 0, ""}, {2e9, 5'000, 0, ""}};
  return measured;
}

std::string cause(Measurement measured, const core::MachineChange& change, bool interrupts_off = true) {
  explain(measured, change, Settings{}, interrupts_off);
  EXPECT_EQ(measured.phase.per_cpu[0].outliers[1].cause, "") << "below the threshold nothing is explained";
  return measured.phase.per_cpu[0].outliers[0].cause;
}

TEST(Explain, ByExclusionInTheOrderOfTheTable) {
  core::MachineChange change;
  EXPECT_EQ(cause(one_gap(), change), "");
  change.hypervisor = true;
  EXPECT_EQ(cause(one_gap(), change, true), "host: this is a guest");
  EXPECT_THAT(cause(one_gap(), change, false), HasSubstr("interrupt or scheduling"));
  change.steal_s[0] = 0.25;
  EXPECT_THAT(cause(one_gap(), change), HasSubstr("250 ms"));

  Measurement both = one_gap();
  both.phase.per_cpu[1].outliers = {{1e9 + 10'000, 48'000, 1, ""}};
  EXPECT_THAT(cause(both, change), StartsWith("global stall"));
  EXPECT_THAT(cause(both, change, false), testing::Not(HasSubstr("global"))) << "timer ticks come together, too";

  Finding finding;
  finding.cpu = 0;
  finding.t_ns = 1e9;
  finding.nmi_count = 2;
  both.findings = {finding};
  EXPECT_EQ(cause(both, change), "NMI: 2 in its window");

  change.smi[0] = 1;
  EXPECT_EQ(cause(both, change), "firmware: 1 SMI on this CPU during the run");
}

TEST(Explain, TheGapsOwnCountIsBetterThanTheRuns) {
  core::MachineChange change;
  change.smi[0] = 1;
  Finding finding;
  finding.t_ns = 1e9;
  finding.smi_count = 0;
  Measurement measured = one_gap();
  measured.findings = {finding};
  EXPECT_EQ(cause(measured, change), "") << "the run's SMI came at another time";
  measured.findings[0].nmi_count = 1;
  EXPECT_EQ(cause(measured, change), "NMI: 1 in it");
  measured.findings[0].smi_count = 2;
  EXPECT_EQ(cause(measured, change), "firmware: 2 SMIs in it");
}

TEST(Explain, AnotherCpusCountsSayNothing) {
  core::MachineChange change;
  change.smi[1] = 5;
  change.steal_s[1] = 5;
  EXPECT_EQ(cause(one_gap(), change), "");
}

TEST(Explain, AGapAtAnotherTimeOrMuchSmallerIsNoGlobalStall) {
  for (const core::Outlier& other : {core::Outlier{1.1e9, 50'000, 1, ""}, core::Outlier{1e9, 11'000, 1, ""}}) {
    Measurement measured = one_gap();
    measured.phase.per_cpu[1].outliers = {other};
    EXPECT_EQ(cause(measured, {}), "");
  }
}

}  // namespace
}  // namespace maxlat::hwlat
