// SPDX-License-Identifier: MIT
//
// How a phase may end: stopped, killed, late, without its meter or its load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/stop.hpp>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::HasSubstr;

TEST_F(Orchestrator, APhaseThatWatchedMoreThanItsTimeIsInvalid) {
  core::RunResult of_the_meter = test::meter_result(5000);
  of_the_meter.phases[0].exposure_s = of_the_meter.phases[0].per_cpu[0].exposure_s = 100;
  ASSERT_TRUE(core::write_run(temporary_ / "meter.json", of_the_meter).ok());
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_EQ(phase_named(on_disk(), "second").status, PhaseStatus::invalid);
  EXPECT_THAT(phase_named(on_disk(), "second").reason, HasSubstr("CPU 1 is said to have been watched for 1 m 40 s"));
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::invalid);
}

// A stop request is for the whole process, so this test has one of its own.
TEST_F(Orchestrator, AStopKeepsWhatWasMeasuredAndDoesNotPass) {
  const auto in_a_process_of_its_own = [&] {
    core::catch_stop_signals();
    script_.shell = kUntilStopped;
    script_.on_second = [](core::Child&) { ::raise(SIGINT); };
    const auto outcome = run(kThreePhases);
    const core::RunResult stored = on_disk();
    const core::Phase& first = phase_named(stored, "first");
    const bool right = outcome.ok() && stored.state == core::RunResult::State::interrupted &&
                       first.status == PhaseStatus::interrupted && first.per_cpu.size() == 1 && !first.reason.empty() &&
                       names(stored).size() == 3 && stored.verdict.kind == core::Verdict::Kind::invalid &&
                       outcome->has_report;
    ::_exit(right && !HasFailure() ? 42 : 1);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(42), "");
}

TEST_F(Orchestrator, AMeterThatFailsIsAFailedPhaseAndTheRunGoesOn) {
  script_.shell = "exit 1";
  ASSERT_TRUE(run(kThreePhases).ok());
  const core::RunResult stored = on_disk();
  EXPECT_EQ(phase_named(stored, "first").status, PhaseStatus::failed);
  EXPECT_THAT(phase_named(stored, "first").reason, HasSubstr("exit status 1"));
  EXPECT_EQ(phase_named(stored, "third").status, PhaseStatus::failed);
  EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::invalid);
}

TEST_F(Orchestrator, AMeterThatDiesOrLeavesRubbishIsAFailedPhase) {
  for (const char* shell : {"kill -9 $$", "echo '{' > $JSON", "true"}) {
    test::fs::remove_all(temporary_ / "run");
    script_.shell = shell;
    ASSERT_TRUE(run(kThreePhases).ok());
    EXPECT_EQ(phase_named(on_disk(), "second").status, PhaseStatus::failed) << shell;
    EXPECT_FALSE(phase_named(on_disk(), "second").reason.empty()) << shell;
  }
}

TEST_F(Orchestrator, AMeterThatIsNotInstalledIsSkippedWithThePackage) {
  script_.command_status = core::Error{"cyclictest is not installed", "apt install rt-tests", core::Exit::cannot_run};
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_EQ(phase_named(on_disk(), "first").status, PhaseStatus::skipped);
  EXPECT_THAT(phase_named(on_disk(), "first").reason, HasSubstr("apt install rt-tests"));
  // A limit on a phase that was not measured is not passed.
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::invalid);
}

TEST_F(Orchestrator, ALoadThatDiesMakesThePhaseInvalidAndEndsIt) {
  script_.shell = kUntilStopped;
  ASSERT_TRUE(run(R"(
[[phase]]
name = "loaded"
kind = "npt"
duration = "1h"
loads = ["command:sh -c 'sleep 1; exit 3'"]
)")
                  .ok());
  const core::RunResult stored = on_disk();
  const core::Phase& phase = phase_named(stored, "loaded");
  EXPECT_EQ(phase.status, PhaseStatus::invalid);
  EXPECT_THAT(phase.reason, HasSubstr("died"));
  ASSERT_EQ(phase.load.size(), 1u);
  EXPECT_FALSE(phase.load[0].alive);
  EXPECT_EQ(phase.per_cpu.size(), 1u);  // what was measured until then is kept
  EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::invalid);
}

// On a busy host npt got no CPU to write its result on, beside its own load, and was killed with all that it had. A
// meter that measures on behind its loads has not measured under them.
TEST_F(Orchestrator, TheLoadsEndBeforeAMeterIsKilled) {
  bench_.grace = std::chrono::seconds(1);
  const std::string pid = temporary_ / "pid";
  script_.shell = "until [ -s " + pid + " ]; do sleep 0.05; done; while kill -0 $(cat " + pid +
                  "); do sleep 0.05; done; cp $RESULT $JSON";
  const std::string plan =
      "[[phase]]\nname = 'loaded'\nkind = 'npt'\nduration = '1s'\nloads = [\"command:sh -c 'echo $$ > " + pid +
      "; while :; do :; done'\"]\n";
  const auto with_a_meter_of = [&](double measured_s, bool tells_its_start) {
    test::fs::remove_all(temporary_ / "run");
    test::fs::remove(pid);
    script_.on_command = [&, measured_s, tells_its_start](const MeterJob&) {
      core::RunResult result = test::meter_result(5000);
      if (tells_its_start) core::set_start(result.phases[0], base::monotonic_ns());
      result.phases[0].duration_s = measured_s;
      ASSERT_TRUE(core::write_run(temporary_ / "meter.json", result).ok());
    };
    EXPECT_TRUE(run(plan.c_str()).ok());
    core::RunResult stored = on_disk();
    return phase_named(stored, "loaded");
  };
  const core::Phase late = with_a_meter_of(1, true);
  EXPECT_EQ(late.status, PhaseStatus::ok) << late.reason;
  EXPECT_THAT(late.warnings, testing::Contains(HasSubstr("it had measured all before")));
  ASSERT_EQ(late.load.size(), 1u);
  EXPECT_TRUE(late.load[0].alive) << late.load[0].reason;
  for (const core::Phase& phase : {with_a_meter_of(1000, true), with_a_meter_of(1, false)}) {
    EXPECT_EQ(phase.status, PhaseStatus::invalid);
    EXPECT_THAT(phase.reason, HasSubstr("may have measured on without them"));
  }
}

TEST_F(Orchestrator, AMeterThatOutlivesItsTimeIsKilled) {
  bench_.grace = std::chrono::seconds(1);
  script_.shell = "trap '' TERM; while :; do sleep 0.05; done";
  ASSERT_TRUE(run("[[phase]]\nname = 'hung'\nkind = 'npt'\nduration = '1s'\n").ok());
  const core::RunResult stored = on_disk();
  const core::Phase& phase = phase_named(stored, "hung");
  EXPECT_EQ(phase.status, PhaseStatus::failed);
  EXPECT_THAT(phase.reason, HasSubstr("after its time and was killed"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
