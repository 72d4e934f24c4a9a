// SPDX-License-Identifier: MIT
#include "orchestrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/machine/kernel_log.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/version.hpp>
#include <string_view>

#include "meters/control_runner.hpp"
#include "plan/steps.hpp"
#include "test_orchestrator.hpp"
#include "watching_cost.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kThreePhases = R"(
name = "three"
[[phase]]
name = "first"
kind = "hwlat"
duration = "1s"
[[phase]]
name = "second"
kind = "npt"
duration = "1s"
[phase.limits]
max_ns = 6000
[[phase]]
name = "third"
kind = "npt"
duration = "1s"
)";

constexpr const char* kControl = R"(
name = "control"
[[phase]]
name = "control"
kind = "control"
meters = ["npt", "hwlat"]
)";

TEST_F(Orchestrator, RunsThePlanInOrderAndJudgesIt) {
  const auto outcome = run(kThreePhases);
  ASSERT_TRUE(outcome.ok()) << outcome.error().text;
  const core::RunResult stored = on_disk();
  EXPECT_THAT(names(stored), ElementsAre("preflight", "first", "second", "third", "preflight at the end"));
  EXPECT_EQ(stored.state, core::RunResult::State::complete);
  EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::pass);
  EXPECT_EQ(phase_named(stored, "first").kind, "hwlat");
  EXPECT_EQ(phase_named(stored, "second").per_cpu[0].max_ns, 5000);
  EXPECT_THAT(phase_named(stored, "second").warnings, IsEmpty());
  EXPECT_FALSE(stored.machine.empty());
  if (core::activity_of({}).empty()) return;  // a kernel that counts no interrupts
  ASSERT_EQ(phase_named(stored, "second").activity.size(), phase_named(stored, "second").per_cpu.size());
  EXPECT_EQ(phase_named(stored, "second").activity[0].cpu, phase_named(stored, "second").per_cpu[0].cpu);
  EXPECT_TRUE(outcome->has_report);
  EXPECT_TRUE(test::fs::exists(temporary_ / "run/report.html"));
  EXPECT_TRUE(test::fs::exists(temporary_ / "run/kernel-config"));
}

TEST_F(Orchestrator, EachPhaseIsOnDiskBeforeTheNextBegins) {
  std::vector<std::vector<std::string>> seen;
  script_.on_command = [&](const MeterJob&) {
    const core::RunResult stored = on_disk();
    EXPECT_EQ(stored.state, core::RunResult::State::running);
    // Killed here, it has not passed, nor is it merely without limits.
    EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::invalid);
    EXPECT_THAT(stored.verdict.reasons, ElementsAre("the run has not come to its end"));
    seen.push_back(names(stored));
  };
  ASSERT_TRUE(run(kThreePhases).ok());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_THAT(seen[0], ElementsAre("preflight"));
  EXPECT_THAT(seen[1], ElementsAre("preflight", "first"));
  EXPECT_THAT(seen[2], ElementsAre("preflight", "first", "second"));
}

constexpr const char* kTracers = R"(
name = "tracers"
[[phase]]
name = "my tracers"
kind = "tracer"
duration = "1ms"
arms = ["none", "maxlat:timer"]
rounds = 1
[[phase]]
name = "after"
kind = "npt"
duration = "1s"
)";

// A piece of what the tracers' phase measures beside its arms (watching_cost.hpp).
bool is_of_watching(const MeterJob& job) {
  return job.json_path.ends_with(".watching");
}

TEST_F(Orchestrator, AComparisonIsAStepOfSeveralPhases) {
  script_.on_command = [&](const MeterJob& job) {
    const bool compares = !job.arms.empty();
    EXPECT_EQ(job.rounds, compares ? 1u : is_of_watching(job) ? 0u : 8u);
    ASSERT_TRUE(
        core::write_run(temporary_ / "meter.json", compares ? test::arms_result() : test::meter_result(5000)).ok());
  };
  ASSERT_TRUE(run(kTracers).ok());
  core::RunResult stored = on_disk();
  EXPECT_THAT(names(stored), ElementsAre("preflight", "my tracers: none", "my tracers: maxlat:timer", "after",
                                         "preflight at the end"));
  ASSERT_EQ(stored.comparisons.size(), 1u);
  EXPECT_EQ(stored.comparisons[0].name, "my tracers");
  EXPECT_EQ(phase_named(stored, "my tracers: none").facts.at(kWatchingCostFact),
            "not measured: the kernel's events are not recorded")
      << "of paper";

  // Resumed, it is kept as a whole, or measured again as a whole.
  int measured = 0;
  const auto count_and_write = script_.on_command;
  script_.on_command = [&](const MeterJob& job) {
    measured += is_of_watching(job) ? 0 : 1;
    count_and_write(job);
  };
  ASSERT_TRUE(run(kTracers, stored).ok());
  EXPECT_EQ(measured, 0);
  EXPECT_EQ(on_disk().comparisons.size(), 1u);
  const_cast<core::Phase&>(phase_named(stored, "my tracers: maxlat:timer")).status = PhaseStatus::invalid;
  ASSERT_TRUE(run(kTracers, stored).ok());
  EXPECT_EQ(measured, 1);
  EXPECT_THAT(names(on_disk()), ElementsAre("preflight", "my tracers: none", "my tracers: maxlat:timer", "after",
                                            "preflight at the end"));
  EXPECT_EQ(on_disk().comparisons.size(), 1u);
}

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

TEST_F(Orchestrator, ResumeKeepsOkAndSkippedAndMeasuresTheRestAgain) {
  ASSERT_TRUE(run(kThreePhases).ok());
  core::RunResult begun = on_disk();
  begun.state = core::RunResult::State::running;
  const_cast<core::Phase&>(phase_named(begun, "first")).facts["mark"] = "kept";
  core::Phase& second = const_cast<core::Phase&>(phase_named(begun, "second"));
  second.status = PhaseStatus::interrupted;
  second.reason = "killed";
  second.facts["mark"] = "old";
  core::Phase& third = const_cast<core::Phase&>(phase_named(begun, "third"));
  third.status = PhaseStatus::skipped;
  third.reason = "not installed";
  std::vector<std::string> measured;
  script_.on_command = [&](const MeterJob& job) { measured.push_back(job.json_path); };
  quiet_ = false;
  testing::internal::CaptureStderr();
  const bool ran = run(kThreePhases, begun).ok();
  const std::string told = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(ran) << told;
  EXPECT_THAT(told, HasSubstr("first: kept as it was measured\n"));
  EXPECT_THAT(told, HasSubstr("second: ok: largest "));
  EXPECT_THAT(told, HasSubstr("third: not installed\n")) << "what was not measured was not kept as it was measured";
  EXPECT_THAT(measured, ElementsAre(HasSubstr("02-second.json")));
  const core::RunResult stored = on_disk();
  EXPECT_THAT(names(stored), ElementsAre("preflight", "first", "second", "third", "preflight at the end"));
  EXPECT_EQ(phase_named(stored, "first").facts.at("mark"), "kept");
  EXPECT_EQ(phase_named(stored, "second").facts.count("mark"), 0u);
  EXPECT_EQ(phase_named(stored, "second").status, PhaseStatus::ok);
  EXPECT_EQ(phase_named(stored, "third").status, PhaseStatus::skipped);
}

TEST_F(Orchestrator, ARunIsNotResumedOnAnotherMachineOrKernel) {
  const auto machine = [](std::vector<std::pair<std::string, std::string>> kernel) {
    return [kernel] {
      return std::vector<core::FingerprintGroup>{{"cpu", "1", {{"model name", "paper"}}}, {"kernel", "2", kernel}};
    };
  };
  bench_.fingerprint = machine({{"release", "6.1"}, {"command line", "quiet"}, {"tainted", "0"}});
  ASSERT_TRUE(run(kThreePhases).ok());
  const core::RunResult begun = on_disk();

  bench_.fingerprint = machine({{"release", "6.12"}, {"command line", "quiet isolcpus=1"}, {"tainted", "0"}});
  const auto elsewhere = run(kThreePhases, begun, {"first"});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.error().exit_status, core::Exit::error);
  EXPECT_EQ(elsewhere.error().text,
            "the run began on another machine or kernel: kernel release was '6.1' and is '6.12', kernel command line "
            "differs");
  EXPECT_FALSE(elsewhere.error().hint.empty());
  EXPECT_EQ(core::to_json(on_disk()), core::to_json(begun));

  // A module that was loaded since taints the kernel and makes no other of it.
  bench_.fingerprint = machine({{"release", "6.1"}, {"command line", "quiet"}, {"tainted", "4096"}});
  EXPECT_TRUE(run(kThreePhases, begun).ok());
  bench_.fingerprint = machine({{"release", "6.1"}, {"command line", "quiet"}, {"preemption", "full"}});
  EXPECT_TRUE(run(kThreePhases, begun).ok());
  bench_.fingerprint = machine({{"release", "6.1"}});
  EXPECT_FALSE(run(kThreePhases, begun).ok());
}

TEST_F(Orchestrator, ARunIsNotResumedByAnotherBuild) {
  ASSERT_TRUE(run(kThreePhases).ok());
  core::RunResult begun = on_disk();
  begun.build = core::build_id();
  EXPECT_TRUE(run(kThreePhases, begun).ok());

  begun.build = "0123456789abcdef";
  const auto another = run(kThreePhases, begun, {"first"});
  ASSERT_FALSE(another.ok());
  EXPECT_EQ(another.error().exit_status, core::Exit::error);
  EXPECT_EQ(another.error().text,
            "the run began with another build of maxlat: 0123456789abcdef, this is " + core::build_id());
}

TEST_F(Orchestrator, TheSnapshotOfAKilledPhaseIsKept) {
  ASSERT_TRUE(run(kThreePhases).ok());
  core::RunResult begun = on_disk();
  begun.phases.resize(2);  // killed in the second phase: its meter's snapshot is there, its phase is not
  std::ofstream(temporary_ / "run/phases/02-second.json") << "snapshot";
  ASSERT_TRUE(run(kThreePhases, begun).ok());
  std::ifstream kept(temporary_ / "run/phases/02-second.json.interrupted");
  std::string text;
  kept >> text;
  EXPECT_EQ(text, "snapshot");
  EXPECT_EQ(phase_named(on_disk(), "second").status, PhaseStatus::ok);
}

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
    script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; while :; do sleep 0.05; done";
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
  script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; while :; do sleep 0.05; done";
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

// On a busy host npt got no CPU to write its result on, beside its own load, and was killed with all that it had.
TEST_F(Orchestrator, TheLoadsEndBeforeAMeterIsKilled) {
  bench_.grace = std::chrono::seconds(1);
  const std::string pid = temporary_ / "pid";
  script_.shell = "until [ -s " + pid + " ]; do sleep 0.05; done; while kill -0 $(cat " + pid +
                  "); do sleep 0.05; done; cp $RESULT $JSON";
  const std::string plan = "[[phase]]\nname = 'loaded'\nkind = 'npt'\nduration = '1s'\nloads = [\"command:sh -c 'echo $$ > " +
                           pid + "; while :; do :; done'\"]\n";
  ASSERT_TRUE(run(plan.c_str()).ok());
  const core::RunResult stored = on_disk();
  const core::Phase& phase = phase_named(stored, "loaded");
  EXPECT_EQ(phase.status, PhaseStatus::ok) << phase.reason;
  EXPECT_THAT(phase.warnings, testing::Contains(HasSubstr("the loads were stopped")));
  ASSERT_EQ(phase.load.size(), 1u);
  EXPECT_TRUE(phase.load[0].alive) << phase.load[0].reason;
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

TEST_F(Orchestrator, AControlIsOneStepForEachMeter) {
  script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; touch $JSON.ready; while :; do sleep 0.05; done";
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
  script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; touch $JSON.ready; while :; do sleep 0.05; done";
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
  script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; touch $JSON.ready; while :; do sleep 0.05; done";
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

TEST_F(Orchestrator, SkipLeavesPhasesOutByNameOrKindAndSaysSo) {
  ASSERT_TRUE(run(kThreePhases, {}, {"hwlat", "third"}).ok());
  const core::RunResult stored = on_disk();
  EXPECT_EQ(phase_named(stored, "first").status, PhaseStatus::skipped);
  EXPECT_EQ(phase_named(stored, "second").status, PhaseStatus::ok);
  EXPECT_EQ(phase_named(stored, "third").status, PhaseStatus::skipped);
  EXPECT_THAT(phase_named(stored, "third").reason, HasSubstr("--skip"));
  test::fs::remove_all(temporary_ / "run");
  const auto wrong = run(kThreePhases, {}, {"fourth"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().text, HasSubstr("fourth"));
}

TEST_F(Orchestrator, SkipReplacesNoResultThatIsThere) {
  ASSERT_TRUE(run(kThreePhases).ok());
  core::RunResult begun = on_disk();
  ASSERT_TRUE(run(kThreePhases, begun, {"second"}).ok());
  EXPECT_EQ(phase_named(on_disk(), "second").status, PhaseStatus::ok);

  // A control that failed is kept and spoils the run: it can neither be erased nor be measured again by leaving it out.
  test::fs::remove_all(temporary_ / "run");
  script_.shell = "trap 'cp $RESULT $JSON; exit 0' INT; touch $JSON.ready; while :; do sleep 0.05; done";
  script_.finds_stalls = false;
  ASSERT_TRUE(run(kControl).ok());
  begun = on_disk();
  script_.finds_stalls = true;
  script_.on_command = [](const MeterJob& job) { test::fs::remove(job.json_path + ".ready"); };
  ASSERT_TRUE(run(kControl, begun, {"control (npt)"}).ok());
  const core::RunResult stored = on_disk();
  EXPECT_EQ(phase_named(stored, "control (npt)").status, PhaseStatus::invalid);
  EXPECT_EQ(phase_named(stored, "control (hwlat)").status, PhaseStatus::ok);
  EXPECT_EQ(stored.verdict.kind, core::Verdict::Kind::invalid);
}

TEST_F(Orchestrator, TheVerdictSaysThatAMeterWasNotControlled) {
  const std::string control = kControl;
  const std::string plan = kThreePhases + control.substr(control.find("[[phase]]"));
  ASSERT_TRUE(run(plan.c_str(), {}, {"control"}).ok());
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::pass);
  EXPECT_THAT(on_disk().verdict.reasons,
              ElementsAre("not controlled: control (npt), control (hwlat): left out by --skip", "1 rule met"));
}

TEST_F(Orchestrator, AUserWhoMayNotMeasureIsToldBeforeAnythingRuns) {
  bench_.may_measure = [] { return core::cannot_run("no SCHED_FIFO", "run as root"); };
  const auto outcome = run(kThreePhases);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().exit_status, core::Exit::cannot_run);
  EXPECT_FALSE(test::fs::exists(temporary_ / "run/result.json"));
}

TEST_F(Orchestrator, WhatIsLeftOutNeedNotBeHere) {
  ASSERT_TRUE(
      run("[[phase]]\nname='a'\nkind='npt'\nduration='1s'\nloads=['command:nosuchprog']\n"
          "[[phase]]\nname='b'\nkind='npt'\nduration='1s'\n",
          {}, {"a"}));
}

TEST(LeftBySkip, IsThePlanAsItWouldRun) {
  const Plan plan = *parse_plan(
      "[[phase]]\nname='before'\nkind='control'\nmeters=['npt','hwlat']\n"
      "[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n",
      "p");
  const auto left = [&](const std::vector<std::string>& skip) {
    std::vector<std::string> steps;
    const auto rest = left_by_skip(plan, skip);
    if (!rest) return std::vector{rest.error().text};
    const auto planned = steps_of(*rest, {{0, 1}, {}});
    for (const Step& step : *planned) steps.push_back(step.name);
    return steps;
  };
  EXPECT_THAT(left({}), ElementsAre("before (npt)", "before (hwlat)", "a"));
  EXPECT_THAT(left({"control"}), ElementsAre("a"));
  EXPECT_THAT(left({"before (npt)"}), ElementsAre("before (hwlat)", "a"));
  EXPECT_THAT(left({"npt"}), ElementsAre("before (npt)", "before (hwlat)"));
  EXPECT_THAT(left({"a", "x"}), ElementsAre(HasSubstr("'x'")));
  EXPECT_THAT(left({"a", "before"}), ElementsAre(HasSubstr("no phase of the plan is left")));
}

// The control was on all CPUs but the first, and cyclictest measured the first, too.
TEST(Steps, AControlCoversTheCpusOfItsMetersPhases) {
  const auto cpus_of = [](const std::string& control, const std::string& phases) {
    const Plan plan =
        *parse_plan("[[phase]]\nname='c'\nkind='control'\nmeters=['cyclictest','npt']\n" + control + phases, "p");
    const auto steps = steps_of(plan, {{0, 1, 2, 3}, {}});
    std::vector<std::string> cpus;
    for (const Step& step : *steps)
      if (step.phase->kind == &kControlPhase) cpus.push_back(core::to_string(step.placement.measured));
    return cpus;
  };
  const std::string cyclictest = "[[phase]]\nname='a'\nkind='cyclictest'\nduration='1s'\n";
  const std::string npt = "[[phase]]\nname='b'\nkind='npt'\nduration='1s'\n";
  EXPECT_THAT(cpus_of("", cyclictest + npt), ElementsAre("0-3", "1-3"));
  EXPECT_THAT(cpus_of("", ""), ElementsAre("0-3", "1-3"));
  EXPECT_THAT(
      cpus_of("", cyclictest + "cpus='2'\n" + npt + "cpus='0'\n[[phase]]\nname='d'\nkind='npt'\nduration='1s'\n"),
      ElementsAre("2", "0-3"));
  EXPECT_THAT(cpus_of("cpus='1'\n", cyclictest + npt), ElementsAre("1", "1"));

  // Pre-flight looks at the CPUs of the gap meters: a control of cyclictest everywhere must not make all CPUs such.
  const Plan plan = *parse_plan("[[phase]]\nname='c'\nkind='control'\nmeters=['cyclictest']\n" + npt, "p");
  EXPECT_THAT(watched_cpus(*steps_of(plan, {{0, 1, 2, 3}, {}})), ElementsAre(1u, 2u, 3u));
}

TEST_F(Orchestrator, WhatChangedDuringTheRunIsAWarning) {
  int readings = 0;
  bench_.preflight = [&](const core::CpuList&) {
    core::SettingObservation row;
    row.verdict = core::SettingObservation::Verdict::bad;
    row.name = "governor";
    row.observed = readings++ == 0 ? "performance" : "powersave";
    row.expected = "performance";
    return std::vector{row};
  };
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_THAT(phase_named(on_disk(), "preflight").warnings, IsEmpty());
  EXPECT_THAT(phase_named(on_disk(), "preflight at the end").warnings,
              ElementsAre(HasSubstr("was performance, it is powersave")));
  EXPECT_EQ(on_disk().preflight[0].observed, "performance");
}

TEST_F(Orchestrator, AReportThatCannotBeMadeIsAWarningOnly) {
  bench_.write_report = [](const core::RunResult&, const std::string&) -> core::Status {
    return core::Error{"gnuplot is not installed", "apt install gnuplot-nox"};
  };
  const auto outcome = run(kThreePhases);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->has_report);
  EXPECT_THAT(outcome->warnings, ElementsAre(HasSubstr("apt install gnuplot-nox")));
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::pass);
}

TEST_F(Orchestrator, AFullDiskIsAnErrorAndLosesNothing) {
  const auto in_a_process_of_its_own = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    script_.on_command = [&](const MeterJob& job) {
      if (job.json_path.find("02-second") == std::string::npos) return;
      const rlimit none_left{16, 16};
      ::setrlimit(RLIMIT_FSIZE, &none_left);
    };
    const auto outcome = run(kThreePhases);
    const bool error = !outcome.ok() && outcome.error().exit_status == core::Exit::error &&
                       outcome.error().hint.find("--resume") != std::string::npos;
    const core::RunResult stored = on_disk();
    ::_exit(error && names(stored) == std::vector<std::string>{"preflight", "first"} ? 42 : 1);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(42), "");
}

TEST_F(Orchestrator, APlanForAnotherMachineIsRefusedBeforeAnythingRuns) {
  for (const char* phase : {"cpus = '7'", "loads = ['nonsense']", "loads = ['cpu', 'command:nosuchprog -x']",
                            "loads = ['kernel:/nowhere']"}) {
    const auto outcome = run((std::string("[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n") + phase + "\n").c_str());
    ASSERT_FALSE(outcome.ok()) << phase;
    EXPECT_FALSE(outcome.error().hint.empty());
    EXPECT_FALSE(test::fs::exists(temporary_ / "run/result.json"));
    test::fs::remove_all(temporary_ / "run");
  }
}

TEST_F(Orchestrator, ProcessorsStayAwakeWhileSomethingMeasuresAndNoLonger) {
  std::weak_ptr<int> held;
  bench_.stay_awake = [&] {
    const auto latency = std::make_shared<int>(0);
    held = latency;
    return core::Result<std::shared_ptr<void>>(std::shared_ptr<void>(latency));
  };
  script_.on_command = [&](const MeterJob&) { EXPECT_FALSE(held.expired()); };
  ASSERT_TRUE(run(kThreePhases).ok());
  EXPECT_TRUE(held.expired());
  EXPECT_EQ(phase_named(on_disk(), "first").facts.at("idle latency"), "/dev/cpu_dma_latency held at 0");
}

TEST_F(Orchestrator, WhoHoldsProcessorsAwakeAndWhyNotStandsInTheResult) {
  const auto told = [&](const std::string& plan, const char* phase) {
    EXPECT_TRUE(run(plan.c_str()).ok());
    const std::string text = phase_named(on_disk(), phase).facts.at("idle latency");
    test::fs::remove_all(temporary_ / "run");
    return text;
  };
  EXPECT_EQ(told(kThreePhases, "second"), "not held: a machine of paper is always awake");
  EXPECT_EQ(told(std::string("dma_latency = false\n") + kThreePhases, "second"), "left as it was: --no-dma-latency");
  EXPECT_EQ(told("[[phase]]\nname = 'timer'\nkind = 'cyclictest'\nduration = '1s'\n", "timer"),
            "held as the meter's own arguments say");
  EXPECT_EQ(told("[[phase]]\nname = 'timer'\nkind = 'cyclic'\nduration = '1s'\n", "timer"),
            "held as the meter's own arguments say");
}

}  // namespace
}  // namespace maxlat::rteval_ext
