// SPDX-License-Identifier: MIT
//
// Controls within a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/machine/kernel_log.hpp>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Orchestrator, AControlIsOneStepForEachMeter) {
  script_.shell = kUntilStoppedWhenReady;
  ASSERT_TRUE(run(kControl).ok());
  const core::RunResult stored = on_disk();
  EXPECT_THAT(names(stored), ElementsAre("preflight", "control (npt)", "control (hwlat)", "preflight at the end"));
  const core::Phase& control = phase_named(stored, "control (npt)");
  EXPECT_EQ(control.status, PhaseStatus::ok) << control.reason;
  ASSERT_TRUE(control.control);
  EXPECT_EQ(control.control->meter, "npt");
  EXPECT_EQ(control.control->stated_error_ns, 1000);
  EXPECT_EQ(control.control->stalls.size(), 3u);
  EXPECT_TRUE(control.per_cpu.empty());  // planted stalls are no measurement
}

// A defect: controls alone did not tell what the machine did beside them.
TEST_F(Orchestrator, AControlIsWatchedAsEveryPhaseIs) {
  script_.shell = kUntilStoppedWhenReady;
  ASSERT_TRUE(run(kControl).ok());
  const core::RunResult stored = on_disk();
  for (const char* name : {"control (npt)", "control (hwlat)"}) {
    const core::Phase& control = phase_named(stored, name);
    EXPECT_EQ(control.kernel_messages.has_value(), core::KernelLog({}).messages().has_value()) << name;
    if (core::activity_of({}).empty()) continue;  // a kernel that counts no interrupts
    ASSERT_EQ(control.activity.size(), 1u) << name;
    EXPECT_EQ(control.activity[0].cpu, 1u) << "that on which stalls were planted";
  }
}

TEST_F(Orchestrator, AMeterThatDoesNotFindTheStallsMakesTheRunInvalid) {
  script_.shell = kUntilStoppedWhenReady;
  script_.finds_stalls = false;
  ASSERT_TRUE(run(kControl).ok());
  const core::RunResult stored = on_disk();
  EXPECT_EQ(phase_named(stored, "control (npt)").status, PhaseStatus::invalid);
  EXPECT_THAT(phase_named(stored, "control (npt)").reason,
              HasSubstr("0 of 3 planted stalls found, 3 missed: for example"));
  EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::invalid);
}

TEST_F(Orchestrator, AMeterThatEndsBeforeTheStallsIsAFailedControl) {
  script_.shell = "exit 1";
  ASSERT_TRUE(run(kControl).ok());
  EXPECT_EQ(phase_named(on_disk(), "control (npt)").status, PhaseStatus::failed);
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::invalid);
}

TEST_F(Orchestrator, TheVerdictSaysThatAMeterWasNotControlled) {
  const std::string control = kControl;
  const std::string plan = kThreePhases + control.substr(control.find("[[phase]]"));
  ASSERT_TRUE(run(plan.c_str(), {}, {"control"}).ok());
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::pass);
  EXPECT_THAT(on_disk().verdict.reasons,
              ElementsAre("not controlled: control (npt), control (hwlat): left out by --skip", "1 rule met"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
