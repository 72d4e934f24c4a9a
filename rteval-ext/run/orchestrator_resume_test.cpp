// SPDX-License-Identifier: MIT
//
// What a run keeps that goes on, and what --skip leaves out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <maxlat/core/sys/version.hpp>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

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
  script_.shell = kUntilStoppedWhenReady;
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

TEST_F(Orchestrator, WhatIsLeftOutNeedNotBeHere) {
  ASSERT_TRUE(
      run("[[phase]]\nname='a'\nkind='npt'\nduration='1s'\nloads=['command:nosuchprog']\n"
          "[[phase]]\nname='b'\nkind='npt'\nduration='1s'\n",
          {}, {"a"}));
}

}  // namespace
}  // namespace maxlat::rteval_ext
