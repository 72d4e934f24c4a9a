// SPDX-License-Identifier: MIT
#include "orchestrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <maxlat/core/machine/cpu_activity.hpp>

#include "test_orchestrator.hpp"
#include "watching_cost.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST_F(Orchestrator, AUserWhoMayNotMeasureIsToldBeforeAnythingRuns) {
  bench_.may_measure = [] { return core::cannot_run("no SCHED_FIFO", "run as root"); };
  const auto outcome = run(kThreePhases);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().exit_status, core::Exit::cannot_run);
  EXPECT_FALSE(test::fs::exists(temporary_ / "run/result.json"));
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
