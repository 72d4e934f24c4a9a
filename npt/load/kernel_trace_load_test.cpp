// SPDX-License-Identifier: MIT
//
// What a phase says of the traced kernel beside it. That the kernel is traced, npt/tests/npt_compare.py looks at.
#include "load/kernel_trace_load.hpp"

#include <gmock/gmock.h>

namespace maxlat::npt {
namespace {

TEST(KernelTraceLoad, IsAFactOfThePhase) {
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  KernelTraceLoad().enter(phase, {.events = 12});
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_THAT(phase.facts.at("load"), testing::StartsWith("the kernel traced: 12 events of "));
}

TEST(KernelTraceLoad, ThatHadNoEventWasNone) {
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  KernelTraceLoad().enter(phase, {});
  EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
  EXPECT_EQ(phase.reason, "the kernel's tracer recorded nothing meanwhile");
}

TEST(KernelTraceLoad, KeepsTheReasonOfAPhaseThatFailed) {
  core::Phase phase;
  phase.status = core::PhaseStatus::failed;
  phase.reason = "no such file";
  KernelTraceLoad().enter(phase, {});
  EXPECT_EQ(phase.status, core::PhaseStatus::failed);
  EXPECT_EQ(phase.reason, "no such file");
}

}  // namespace
}  // namespace maxlat::npt
