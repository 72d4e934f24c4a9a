// SPDX-License-Identifier: MIT
#include "placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meters/cyclictest_meter.hpp"
#include "meters/own_meter.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PhasePlan phase_of(PhaseKind kind, bool loaded = true) {
  PhasePlan phase;
  phase.name = "phase";
  phase.kind = kind;
  if (loaded) phase.loads = {"cpu"};
  return phase;
}

Placement placed(const PhasePlan& phase, const core::MachineCpus& machine) {
  const core::Result<Placement> placement = place(phase, machine);
  if (!placement) ADD_FAILURE() << placement.error().text;
  return placement ? *placement : Placement{};
}

const core::MachineCpus kFour{{0, 1, 2, 3}, {}};
const core::MachineCpus kIsolated{{0, 1, 2, 3}, {2, 3}};
const core::MachineCpus kOne{{0}, {}};

TEST(Placement, GapMetersLeaveTheFirstCpuToTheLoads) {
  const Placement p = placed(phase_of(&kNptPhase), kFour);
  EXPECT_THAT(p.measured, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(p.loads, ElementsAre(0u));
  EXPECT_THAT(p.warnings, IsEmpty());
}

TEST(Placement, CyclictestAndItsLoadsRunEverywhereWithoutIsolation) {
  const Placement p = placed(phase_of(&kCyclictestPhase), kFour);
  EXPECT_THAT(p.measured, ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_THAT(p.loads, ElementsAre(0u, 1u, 2u, 3u));
}

TEST(Placement, IsolatedCpusAreMeasuredAndNeverLoaded) {
  for (const PhaseKind kind : {&kNptPhase, &kHwlatPhase, &kCyclictestPhase}) {
    const Placement p = placed(phase_of(kind), kIsolated);
    EXPECT_THAT(p.measured, ElementsAre(2u, 3u));
    EXPECT_THAT(p.loads, ElementsAre(0u, 1u));
  }
}

TEST(Placement, OneCpuIsSharedWithAWarning) {
  const Placement p = placed(phase_of(&kNptPhase), kOne);
  EXPECT_THAT(p.measured, ElementsAre(0u));
  EXPECT_THAT(p.loads, ElementsAre(0u));
  EXPECT_THAT(p.warnings, ElementsAre(HasSubstr("share")));
}

TEST(Placement, LoadsKeepToTheHousekeepingCpusOfTheShieldAndGoElsewhereOnlyByName) {
  PhasePlan phase = phase_of(&kCyclictestPhase);
  const auto loads = [&](const core::MachineCpus& machine) {
    const core::Result<Placement> placement = place(phase, machine, {0});
    return placement ? placement->loads : core::CpuList{};
  };
  EXPECT_THAT(loads(kIsolated), ElementsAre(0u));
  EXPECT_THAT(loads(kFour), ElementsAre(0u)) << "though cyclictest measures everywhere";
  phase.load_cpus = "housekeeping";
  EXPECT_THAT(loads(kIsolated), ElementsAre(0u));
  phase.load_cpus = "1";
  EXPECT_THAT(loads(kIsolated), ElementsAre(1u));
}

TEST(Placement, ThePlansCpusWinOverTheDefaults) {
  PhasePlan phase = phase_of(&kCyclictestPhase);
  phase.cpus = "0";
  phase.load_cpus = "1";
  const Placement p = placed(phase, kFour);
  EXPECT_THAT(p.measured, ElementsAre(0u));
  EXPECT_THAT(p.loads, ElementsAre(1u));
  EXPECT_FALSE(p.everywhere);
}

TEST(Placement, TheWordsMeanThisMachinesCpus) {
  PhasePlan phase = phase_of(&kCyclictestPhase);
  phase.cpus = "measured";
  phase.load_cpus = "housekeeping";
  EXPECT_THAT(placed(phase, kFour).measured, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(placed(phase, kFour).loads, ElementsAre(0u));
  phase.load_cpus = "all";
  EXPECT_THAT(placed(phase, kIsolated).loads, ElementsAre(0u, 1u, 2u, 3u));
}

TEST(Placement, AnIdlePhaseHasNoLoadCpus) {
  EXPECT_THAT(placed(phase_of(&kNptPhase, false), kFour).loads, IsEmpty());
}

TEST(Placement, ACpuThatIsNotThereIsNamed) {
  PhasePlan phase = phase_of(&kNptPhase);
  phase.cpus = "1,9";
  const core::Result<Placement> placement = place(phase, kFour);
  ASSERT_FALSE(placement.ok());
  EXPECT_THAT(placement.error().text, HasSubstr("CPU 9"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
