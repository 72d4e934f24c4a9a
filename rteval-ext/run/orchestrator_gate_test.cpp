// SPDX-License-Identifier: MIT
//
// What the limits of a plan and of a gate make of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using namespace test;
using testing::HasSubstr;

TEST_F(Orchestrator, ALimitThatIsExceededFails) {
  script_.on_command = [&](const MeterJob&) {
    ASSERT_TRUE(core::write_run(temporary_ / "meter.json", test::meter_result(7000)).ok());
  };
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::fail);
}

// A phase of 5 us, a limit of 6 us in the plan, one of 4 us in the gate.
TEST_F(Orchestrator, TheLimitsOfPlanAndGateMustBothBeKept) {
  gate_text_ = "[[limits]]\nphase = \"second\"\nmax = \"4us\"\n";
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_EQ(on_disk().verdict.rules.size(), 2u);
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::fail);
}

// A defect: hours were measured before a name with a typing error was told.
TEST_F(Orchestrator, AGateThatIsAboutAnotherPhaseIsToldBeforeAnythingIsMeasured) {
  unsigned measured = 0;
  script_.on_command = [&](const MeterJob&) { ++measured; };
  const std::string limits = "[[limits]]\nmax = \"4us\"\nphase = ";
  const std::string baseline =
      "[baseline]\nruns = \"" + (temporary_ / "baseline.json") + "\"\nratio = { max = 2 }\nphase = ";
  ASSERT_TRUE(core::write_run(temporary_ / "baseline.json", test::meter_result(5000)).ok());
  for (const std::string& kind_of_mistake : {limits, baseline}) {
    gate_text_ = kind_of_mistake + "\"secnd\"\n";
    const auto ran = run(kThreePhases);
    ASSERT_FALSE(ran);
    EXPECT_THAT(ran.error().text, HasSubstr("no phase of the plan is called 'secnd', or is of this kind"));
    EXPECT_EQ(ran.error().hint, "the plan has first, hwlat, second, npt, third");
    std::filesystem::remove_all(temporary_ / "run");
  }
  EXPECT_EQ(measured, 0U);
  for (const char* name : {"second", "hwlat", "first", "preflight", "*"}) {
    gate_text_ = limits + "\"" + name + "\"\n";
    EXPECT_TRUE(run(kThreePhases, {}, {"first"})) << name;
    std::filesystem::remove_all(temporary_ / "run");
  }
}

TEST_F(Orchestrator, AWaiverOfTheGateCountsForThePlanToo) {
  script_.on_command = [&](const MeterJob&) {
    ASSERT_TRUE(core::write_run(temporary_ / "meter.json", test::meter_result(7000)).ok());
  };
  gate_text_ =
      "[[limits]]\nexposure = \"1ns\"\n[[waiver]]\nphase = \"second\"\nlimit = \"max\"\nreason = \"known\"\n"
      "until = 9999-12-31\n";
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::pass);
  EXPECT_EQ(on_disk().verdict.rules.at(0).outcome, core::RuleResult::Outcome::waived);
}

}  // namespace
}  // namespace maxlat::rteval_ext
