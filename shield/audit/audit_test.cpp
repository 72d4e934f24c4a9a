// SPDX-License-Identifier: MIT
#include "audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/test/fake_root.hpp>

#include "audit_text.hpp"

namespace maxlat::shield {
namespace {

using core::CpuActivity;
using Kind = core::Interruption::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using Verdict = CpuVerdict::Kind;

const AuditPlan kPlan{.cpus = {1}};

CpuActivity ticking(uint64_t ticks) {
  return {.cpu = 1,
          .switches = 0,
          .counted = {{.kind = Kind::timer, .name = "LOC", .what = "Local timer interrupts", .count = ticks},
                      {.kind = Kind::softirq, .name = "TIMER", .count = ticks}}};
}

TEST(Audit, ACpuThatNothingInterruptsIsQuiet) {
  const CpuVerdict verdict = judge({.cpu = 1, .switches = 0}, kPlan, 10);
  EXPECT_EQ(verdict.kind, Verdict::quiet);
  EXPECT_EQ(verdict.most, "");
  EXPECT_EQ(judge(ticking(10), kPlan, 10).kind, Verdict::quiet) << "1 a second, softirqs not counted again";
  EXPECT_EQ(judge(ticking(11), kPlan, 10).kind, Verdict::only_ticks);
}

TEST(Audit, TheTickAloneIsNoDisturbanceAndIsSaid) {
  const CpuVerdict verdict = judge(ticking(2500), kPlan, 10);
  EXPECT_EQ(verdict.kind, Verdict::only_ticks);
  EXPECT_DOUBLE_EQ(verdict.per_s, 250);
  EXPECT_DOUBLE_EQ(verdict.timer_per_s, 250);
}

TEST(Audit, EachOfTheOthersDisturbsAndTheMostFrequentIsNamed) {
  for (const auto& [kind, name] : {std::pair{Kind::device, "24"}, {Kind::sent, "CAL"}, {Kind::other, "NMI"}}) {
    CpuActivity cpu = ticking(2500);
    cpu.counted.push_back({.kind = kind, .name = name, .what = "this one", .count = 11});
    const CpuVerdict verdict = judge(cpu, kPlan, 10);
    EXPECT_EQ(verdict.kind, Verdict::disturbed) << name;
    EXPECT_EQ(verdict.most, std::string("1.1/s ") + (kind == Kind::device ? "interrupt " : "") + name + " (this one)");
  }
  CpuActivity cpu = ticking(0);
  cpu.switches = 30;
  EXPECT_EQ(judge(cpu, kPlan, 10).most, "3.0/s switches to tasks") << "counted and not named";
  cpu.named = {{.kind = Kind::task, .name = "hog", .what = "real-time 50", .by = "sh on CPU 0", .count = 20},
               {.kind = Kind::function, .name = "tick", .count = 900}};
  EXPECT_EQ(judge(cpu, kPlan, 10).most, "2.0/s hog (real-time 50), by sh on CPU 0");
  EXPECT_EQ(judge(cpu, kPlan, 10).kind, Verdict::disturbed);
}

TEST(Audit, TasksOfItsOwnAreNoInterruption) {
  CpuActivity cpu = ticking(0);
  cpu.switches = 1005;
  cpu.named = {{.kind = Kind::task, .name = "control-loop", .by = "idle on CPU 1", .count = 1000},
               {.kind = Kind::task, .name = "kworker/1:0", .count = 5}};
  AuditPlan plan = kPlan;
  EXPECT_EQ(judge(cpu, plan, 10).kind, Verdict::disturbed);
  plan.own = {"control-loop"};
  const CpuVerdict verdict = judge(cpu, plan, 10);
  EXPECT_EQ(verdict.kind, Verdict::quiet);
  EXPECT_DOUBLE_EQ(verdict.per_s, 0.5);
  EXPECT_THAT(verdict.most, HasSubstr("kworker/1:0"));
}

TEST(Audit, WhatATaskOfItsOwnSendsToItsOwnCpuIsNone) {
  CpuActivity cpu = ticking(0);
  cpu.switches = 0;
  cpu.counted.push_back({.kind = Kind::sent, .name = "IWI", .what = "IRQ work interrupts", .count = 620});
  cpu.named = {{.kind = Kind::sent, .name = "cgrp_dead_tasks_iwork_fn", .by = "control-loop on CPU 1", .count = 600},
               {.kind = Kind::sent, .name = "do_sync_core", .by = "control-loop on CPU 0", .count = 20}};
  EXPECT_EQ(judge(cpu, kPlan, 10).kind, Verdict::disturbed);
  AuditPlan plan = kPlan;
  plan.own = {"control-loop"};
  EXPECT_DOUBLE_EQ(judge(cpu, plan, 10).per_s, 2) << "another CPU's are an interruption";
  EXPECT_EQ(judge(cpu, plan, 10).most, "2.0/s do_sync_core, by control-loop on CPU 0");
}

// /proc/schedstat is not in every kernel: then the events' switches are those there are.
TEST(Audit, SwitchesThatOnlyEventsCountAreCounted) {
  CpuActivity cpu = ticking(0);
  cpu.switches.reset();
  EXPECT_EQ(judge(cpu, kPlan, 10).kind, Verdict::quiet);
  add_names({{.kind = Kind::task, .name = "hog", .count = 100}, {.kind = Kind::work, .name = "w", .count = 7}}, cpu);
  EXPECT_DOUBLE_EQ(judge(cpu, kPlan, 10).per_s, 10);
  add_names({{.kind = Kind::task, .name = "hog", .count = 300}}, cpu);
  EXPECT_EQ(cpu.switches, 100u) << "counted already";
}

// A defect: switches counted from events passed for known, though events were lost, and the CPU for quiet.
TEST(Audit, LostEventsAreNoVerdictWhereSwitchesAreKnownByThemAlone) {
  core::Phase counted_by_kernel;
  counted_by_kernel.status = core::PhaseStatus::ok;
  counted_by_kernel.activity = {ticking(0)};
  tell_lost(0, kPlan, counted_by_kernel);
  EXPECT_TRUE(counted_by_kernel.warnings.empty());
  tell_lost(7, kPlan, counted_by_kernel);
  EXPECT_EQ(counted_by_kernel.status, core::PhaseStatus::ok);
  EXPECT_THAT(counted_by_kernel.warnings, ElementsAre(HasSubstr("7 events found no room")));

  core::Phase counted_by_events = counted_by_kernel;
  counted_by_events.activity[0].switches.reset();
  tell_lost(7, kPlan, counted_by_events);
  EXPECT_EQ(counted_by_events.status, core::PhaseStatus::invalid);
  EXPECT_THAT(counted_by_events.reason, HasSubstr("7 events found no room, and the switches"));

  AuditPlan with_own = kPlan;
  with_own.own = {"control-loop"};
  tell_lost(7, with_own, counted_by_kernel);
  EXPECT_EQ(counted_by_kernel.status, core::PhaseStatus::invalid) << "which of them are its own is known by events";
}

class AuditOfABox : public testing::Test {
 protected:
  void SetUp() override {
    root_.file("/proc/interrupts",
               "            CPU0       CPU1\n 24:  1  2  MSI  1-edge  net0\nLOC: 5 5 Local timer\n");
  }
  core::Result<core::Phase> audited(AuditPlan plan) {
    plan.duration_s = 0.001;
    core::MachineView machine;
    machine.root = root_.path();
    return audit(plan, machine);
  }
  test::FakeRoot root_;
};

TEST_F(AuditOfABox, WithoutTracefsThereAreCountsAndTheReasonWhyNobodyIsNamed) {
  const auto phase = audited(kPlan);
  ASSERT_TRUE(phase);
  ASSERT_EQ(phase->activity.size(), 1u);
  EXPECT_EQ(phase->activity[0].cpu, 1u);
  EXPECT_TRUE(phase->activity[0].counted.empty()) << "the files of this box do not change";
  EXPECT_THAT(phase->facts.at("names"), HasSubstr("none: this kernel has no tracefs"));
  EXPECT_THAT(text_of(*phase, kPlan), HasSubstr("quiet"));
  EXPECT_THAT(text_of(*phase, kPlan), HasSubstr("limit: 1.0 a second"));
  EXPECT_EQ(phase->facts.at("limit"), "1.0 interruptions a second");
  EXPECT_EQ(phase->facts.at(verdict_fact(1)), "quiet, 0.0 interruptions a second, 0.0 of them by the timer");
}

TEST_F(AuditOfABox, TheCallerIsWhereItWasAfterwards) {
  const core::CpuList before = *core::allowed_cpus();
  ASSERT_TRUE(audited(kPlan));
  EXPECT_EQ(*core::allowed_cpus(), before);
}

TEST_F(AuditOfABox, OwnTasksCannotBeToldWithoutNames) {
  AuditPlan plan = kPlan;
  plan.own = {"control-loop"};
  const auto phase = audited(plan);
  ASSERT_FALSE(phase);
  EXPECT_THAT(phase.error().text, HasSubstr("--own needs names of tasks"));
}

TEST_F(AuditOfABox, ACpuThatWasOfflineIsNotCalledQuiet) {
  AuditPlan plan = kPlan;
  plan.cpus = {1, 3};
  const auto phase = audited(plan);
  ASSERT_TRUE(phase);
  EXPECT_EQ(phase->status, core::PhaseStatus::invalid);
  EXPECT_EQ(phase->reason, "CPU 3 was offline");
}

TEST_F(AuditOfABox, WithoutCountsThereIsNoVerdict) {
  root_.remove("/proc/interrupts");
  const auto phase = audited(kPlan);
  ASSERT_FALSE(phase);
  EXPECT_EQ(phase.error().exit_status, core::Exit::cannot_run);
}

}  // namespace
}  // namespace maxlat::shield
