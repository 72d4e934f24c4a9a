// SPDX-License-Identifier: MIT
// With a real shield: tests/guest/run_shielded.guest.sh.
#include "run_shield.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/core/sys/stop.hpp>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using core::PhaseStatus;
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

// A shield on paper: what becomes of it is written into `events`.
class PaperShield : public RunShield {
 public:
  PaperShield(const shield::ShieldPlan& plan, std::vector<std::string>& events)
      : cpus_(core::to_string(plan.cpus)), events_(events) {
    const std::string system = plan.housekeeping.empty() ? "" : ", system on " + core::to_string(plan.housekeeping);
    events_.push_back("on " + cpus_ + system);
  }
  ~PaperShield() override {
    if (is_on_) events_.push_back("off at the end");
  }
  core::Phase told() const override {
    core::Phase phase;
    phase.name = kShieldStep;
    phase.kind = "preflight";
    phase.status = PhaseStatus::ok;
    phase.facts = {{"CPUs", cpus_}};
    return phase;
  }
  core::Result<core::Phase> audit() const override {
    events_.push_back("audit");
    core::Phase phase;
    phase.status = PhaseStatus::ok;
    return phase;
  }
  TakenOff take_off() override {
    is_on_ = false;
    events_.push_back("off");
    return {"3 changes undone", left_};
  }
  std::vector<std::string> left_{};

 private:
  std::string cpus_;
  std::vector<std::string>& events_;
  bool is_on_ = true;
};

constexpr const char* kShielded = R"(
name = "shielded"
shield = SHIELD
[[phase]]
name = "timer"
kind = "cyclictest"
duration = "1s"
[[phase]]
name = "loop"
kind = "npt"
duration = "1s"
)";

class ShieldedRun : public Orchestrator {
 protected:
  static std::string plan(const std::string& shield) {
    std::string text = kShielded;
    return text.replace(text.find("SHIELD"), 6, shield);
  }
  void shield_leaves(std::vector<std::string> left) {
    bench_.shield = [this, left](const shield::ShieldPlan& asked) {
      auto shield = std::make_unique<PaperShield>(asked, events_);
      shield->left_ = left;
      return core::Result<std::unique_ptr<RunShield>>(std::move(shield));
    };
  }
  void no_shield_is_possible() {
    bench_.shield = [](const shield::ShieldPlan&) {
      return core::Result<std::unique_ptr<RunShield>>(
          core::cannot_run("a shield is set up by root alone", "run as root"));
    };
  }

  std::vector<std::string> events_;
};

TEST_F(ShieldedRun, IsShieldedFromTheFirstReadingToTheLastAndMeasuresTheShieldAlone) {
  shield_leaves({});
  bench_.preflight = [this](const core::CpuList&) {
    events_.push_back("settings");
    return std::vector<core::SettingObservation>{};
  };
  std::vector<core::CpuList> measured;
  script_.on_command = [&](const MeterJob& job) {
    events_.push_back("meter");
    measured.push_back(job.cpus);
    EXPECT_FALSE(job.everywhere) << "cyclictest keeps to the shield, too";
  };
  const auto outcome = run(plan("true").c_str());
  ASSERT_TRUE(outcome.ok()) << outcome.error().text;
  EXPECT_THAT(events_, ElementsAre("on 1", "settings", "audit", "meter", "meter", "settings", "off"));
  EXPECT_THAT(measured, ElementsAre(core::CpuList{1}, core::CpuList{1}));
  EXPECT_THAT(names(on_disk()),
              ElementsAre("shield", "preflight", "shield audit", "timer", "loop", "preflight at the end"));
  EXPECT_EQ(on_disk().verdict.kind, core::Verdict::Kind::not_gated) << "the plan has no limits";
  EXPECT_EQ(phase_named(on_disk(), "shield").facts.at("taken off"), "3 changes undone");
}

TEST_F(ShieldedRun, HasTheHousekeepingCpusOfThePlanAndItsLoadsThere) {
  bench_.cpus = {{0, 1, 2, 3}, {3}};
  const std::string text = plan("true\nhousekeeping = '0'") + "loads = ['command:sleep 0.1']\n";
  for (const bool possible : {true, false}) {
    std::filesystem::remove_all(temporary_ / "run");
    possible ? shield_leaves({}) : no_shield_is_possible();
    const auto outcome = run(text.c_str());
    ASSERT_TRUE(outcome.ok()) << outcome.error().text;
    EXPECT_EQ(phase_named(on_disk(), "loop").facts.at("load CPUs"), "0") << possible;
  }
  EXPECT_EQ(events_.front(), "on 3, system on 0");
}

TEST_F(ShieldedRun, IsRefusedWhenAHousekeepingCpuIsMeasuredOrNotThereAndNothingWasBegun) {
  shield_leaves({});
  bench_.cpus = {{0, 1, 2, 3}, {3}};
  for (const auto& [cpus, why] : {std::pair("0,3", "CPU 3 cannot be measured and keep house"),
                                  std::pair("0,7", "housekeeping: CPU 7 does not exist here")}) {
    const auto outcome = run(plan(fmt::format("true\nhousekeeping = '{}'", cpus)).c_str());
    ASSERT_FALSE(outcome.ok()) << cpus;
    EXPECT_THAT(outcome.error().text, HasSubstr(why));
    EXPECT_FALSE(outcome.error().hint.empty());
    EXPECT_FALSE(std::filesystem::exists(temporary_ / "run/result.json"));
  }
  EXPECT_THAT(events_, testing::IsEmpty());
}

TEST_F(ShieldedRun, GoesOnWithoutOneWhereThePlanOnlyWantsItAndSaysSo) {
  no_shield_is_possible();
  ASSERT_TRUE(run(plan("true").c_str()).ok());
  const core::RunResult stored = on_disk();
  const core::Phase& told = phase_named(stored, "shield");
  EXPECT_EQ(told.status, PhaseStatus::skipped);
  EXPECT_THAT(told.reason, HasSubstr("a shield is set up by root alone"));
}

TEST_F(ShieldedRun, IsRefusedWithoutOneWhereThePlanRequiresItAndNothingWasBegun) {
  no_shield_is_possible();
  const auto outcome = run(plan("\"required\"").c_str());
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(outcome.error().text, HasSubstr("a shield is set up by root alone"));
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "run/result.json"));
}

TEST_F(ShieldedRun, WithEveryCpuMeasuredThereIsNoneLeftForTheRestAndOnlyThatShieldIsMissing) {
  shield_leaves({});
  bench_.cpus = {{0}, {}};
  const auto refused = run(plan("\"required\"").c_str());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text, HasSubstr("no CPU is left for the rest of the system"));
  std::filesystem::remove_all(temporary_ / "run");
  ASSERT_TRUE(run(plan("true").c_str()).ok()) << "standard and soak run on one CPU, too";
  const core::RunResult stored = on_disk();
  EXPECT_THAT(phase_named(stored, "shield").reason, HasSubstr("no CPU is left for the rest of the system"));
  EXPECT_THAT(events_, testing::IsEmpty());
}

TEST_F(ShieldedRun, WithoutOneTheRunSaysWhatItWouldDoHere) {
  core::CpuList asked;
  bench_.shield_would = [&](const shield::ShieldPlan& would) {
    asked = would.cpus;
    return core::Result<std::string>("make 9 settings right");
  };
  quiet_ = false;
  testing::internal::CaptureStderr();
  const bool ran = run(plan("false").c_str()).ok();
  const std::string told = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(ran) << told;
  const std::string sentence = "not shielded: for CPU 1, maxlat run --shield would make 9 settings right";
  EXPECT_EQ(asked, core::CpuList{1}) << "as for the shield itself";
  EXPECT_THAT(told, HasSubstr(sentence));
  EXPECT_EQ(phase_named(on_disk(), "preflight").facts.at("shield"), sentence);
}

TEST_F(ShieldedRun, WithoutOneTheRunSaysWhyNoneIsPossible) {
  bench_.shield_would = [](const shield::ShieldPlan&) {
    return core::Result<std::string>(core::cannot_run("a shield is set up by root alone", "run as root"));
  };
  ASSERT_TRUE(run(plan("false").c_str()).ok());
  EXPECT_EQ(phase_named(on_disk(), "preflight").facts.at("shield"),
            "not shielded, and cannot be: a shield is set up by root alone");
}

TEST_F(ShieldedRun, WhatCouldNotBeUndoneStandsInTheResult) {
  shield_leaves({"not undone: governor of CPU 1"});
  ASSERT_TRUE(run(plan("true").c_str()).ok());
  EXPECT_THAT(phase_named(on_disk(), "shield").warnings, ElementsAre("not undone: governor of CPU 1"));
}

// A defect: behind what was left, the sentence about the journal said that all is undone.
TEST(TakenOffShield, WhoseJournalStaysIsNotSaidToBeUndoneWhole) {
  shield::UndoReport undone;
  undone.undone = 3;
  undone.left = {"nmi_watchdog: was 1"};
  undone.journal_stays = "cannot remove shield.journal: read-only file system";
  const TakenOff off = taken_off(undone);
  EXPECT_THAT(off.told, testing::StartsWith("3 changes undone"));
  EXPECT_THAT(off.left,
              ElementsAre("left as it is: nmi_watchdog: was 1",
                          "the shield is off, but its journal stays: cannot remove shield.journal: read-only file "
                          "system; when it can be: maxlat shield off removes it, and maxlat shield on begins anew"));
}

TEST_F(ShieldedRun, AnErrorTakesTheShieldOffAllTheSameAndTellsWhatIsLeft) {
  shield_leaves({"not undone: governor of CPU 1"});
  script_.on_command = [&](const MeterJob&) { std::filesystem::remove_all(temporary_ / "run"); };
  const auto outcome = run(plan("true").c_str());
  ASSERT_FALSE(outcome.ok()) << "the folder is gone";
  EXPECT_THAT(outcome.error().text, HasSubstr("; shield: not undone: governor of CPU 1"));
  EXPECT_EQ(events_.back(), "off");
}

// A stop request is for the whole process, so this test has one of its own.
TEST_F(ShieldedRun, AStopTakesTheShieldOffAllTheSame) {
  const auto in_a_process_of_its_own = [&] {
    core::catch_stop_signals();
    shield_leaves({});
    script_.on_command = [](const MeterJob&) { core::request_stop(); };
    const auto outcome = run(plan("true").c_str());
    const bool right =
        outcome.ok() && outcome->run.state == core::RunResult::State::interrupted && events_.back() == "off";
    ::_exit(right ? 42 : 1);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace maxlat::rteval_ext
