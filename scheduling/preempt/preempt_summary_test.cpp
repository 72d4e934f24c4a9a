// SPDX-License-Identifier: MIT
#include "preempt_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_preemption.hpp"

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;

TEST(PreemptConclusion, IsOkWhenEveryPromiseWasTestedKeptOrNot) {
  core::Phase phase = test::preempt_phase();
  phase.status = core::PhaseStatus::interrupted;
  conclude(phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_EQ(phase.facts.at("refused"), "operation not permitted; a cpuset partition");
  phase.pairs[1].waited = phase.pairs[1].untold, phase.pairs[1].untold = 0;
  conclude(phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_EQ(summary_of(phase).broken.size(), 1u);
  EXPECT_EQ(summary_of(phase).kept, 1u);
}

TEST(PreemptConclusion, IsNotValidWhenNoRoundShowsAPromise) {
  core::Phase phase = test::preempt_phase();
  phase.pairs[2] = test::policy_pair("SCHED_FIFO 95", "SCHED_OTHER", core::PolicyPair::Promise::must_not, 0, 0, 100);
  conclude(phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
  EXPECT_THAT(phase.reason, HasSubstr("CPU 1: SCHED_OTHER over SCHED_FIFO 95: in none of 100 rounds"));
}

TEST(PreemptConclusion, APairWithoutAPromiseMayShowNothing) {
  core::Phase phase = test::preempt_phase();
  phase.pairs[0] = test::policy_pair("SCHED_OTHER", "SCHED_BATCH", core::PolicyPair::Promise::may, 0, 0, 100);
  conclude(phase);
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_TRUE(summary_of(phase).not_shown.empty());
}

}  // namespace
}  // namespace maxlat::scheduling
