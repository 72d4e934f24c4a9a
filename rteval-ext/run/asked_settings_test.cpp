// SPDX-License-Identifier: MIT
//
// What a plan asks of the machine: refused before anything is measured, or told beside every figure.
#include "asked_settings.hpp"

#include <gmock/gmock.h>

#include "test_orchestrator.hpp"

namespace maxlat::rteval_ext {
namespace {

using test::Orchestrator;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

core::SettingObservation governor(core::SettingObservation::Verdict verdict, const char* observed) {
  core::SettingObservation row;
  row.name = "governor";
  row.observed = observed;
  row.expected = "performance";
  row.verdict = verdict;
  return row;
}
using Verdict = core::SettingObservation::Verdict;

TEST_F(Orchestrator, ASettingThatThePlanRequiresAndTheMachineHasNotIsNoRun) {
  for (const Verdict verdict : {Verdict::bad, Verdict::unknown}) {
    bench_.preflight = [&](const core::CpuList&) { return std::vector{governor(verdict, "powersave")}; };
    const auto refused =
        run("[settings]\ngovernor = 'required'\n"
            "[[phase]]\nname = 'first'\nkind = 'npt'\nduration = '1s'\n");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().exit_status, core::Exit::cannot_run);
    EXPECT_THAT(refused.error().text,
                HasSubstr("governor is not as the plan asks: powersave, and should be performance"));
    std::filesystem::remove_all(temporary_ / "run");
  }
}

TEST_F(Orchestrator, ASettingThatIsNotAsThePlanAsksMakesTheResultNotComparable) {
  int readings = 0;
  bench_.preflight = [&](const core::CpuList&) {
    return std::vector{readings++ == 0 ? governor(Verdict::ok, "performance") : governor(Verdict::bad, "powersave")};
  };
  ASSERT_TRUE(
      run("[settings]\ngovernor = 'comparable'\nturbo = 'comparable'\n"
          "[[phase]]\nname = 'first'\nkind = 'npt'\nduration = '1s'\n"));
  EXPECT_THAT(on_disk().verdict.not_comparable,
              IsSupersetOf({"turbo is not as the plan asks: not known",
                            "governor is not as the plan asks: powersave, and should be performance"}))
      << "what changed meanwhile, too";
}

// A defect: a run that was resumed on a mended machine said nothing of the phases before.
TEST_F(Orchestrator, AResumedRunStillTellsWhatWasNotAsThePlanAsks) {
  const char* plan = "[settings]\ngovernor = 'comparable'\n[[phase]]\nname = 'first'\nkind = 'npt'\nduration = '1s'\n";
  bench_.preflight = [&](const core::CpuList&) { return std::vector{governor(Verdict::bad, "powersave")}; };
  ASSERT_TRUE(run(plan));
  bench_.preflight = [&](const core::CpuList&) { return std::vector{governor(Verdict::ok, "performance")}; };
  ASSERT_TRUE(run(plan, on_disk()));
  EXPECT_THAT(on_disk().verdict.not_comparable,
              Contains("governor is not as the plan asks: powersave, and should be performance"));
}

// A defect: what was required at the start was not asked for at the end.
TEST_F(Orchestrator, ARequiredSettingThatGoesWrongDuringTheRunMakesTheResultNotComparable) {
  int readings = 0;
  bench_.preflight = [&](const core::CpuList&) {
    return std::vector{readings++ == 0 ? governor(Verdict::ok, "performance") : governor(Verdict::bad, "powersave")};
  };
  ASSERT_TRUE(
      run("[settings]\ngovernor = 'required'\n"
          "[[phase]]\nname = 'first'\nkind = 'npt'\nduration = '1s'\n"));
  EXPECT_THAT(on_disk().verdict.not_comparable,
              Contains("governor is not as the plan asks: powersave, and should be performance"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
