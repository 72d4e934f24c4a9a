// SPDX-License-Identifier: MIT
#include "preempt_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_preemption.hpp"

namespace maxlat::scheduling {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(PreemptText, ListsWhatMustPreemptAndTheVerdict) {
  const std::string text = preempt_text(test::preempt_phase(), false);
  EXPECT_THAT(text, ContainsRegex("SCHED_OTHER +SCHED_FIFO 95 +must +100 +99 +0 +1 +1.20 us +2.30 us +45.0 us +ok"));
  EXPECT_THAT(text, HasSubstr("Pairs that did as they must: 2 of 2\n"));
  EXPECT_THAT(text,
              HasSubstr("CPU 1: those that must preempt took 1.20 us to 45.0 us, half of them at most 2.30 us\n"));
  EXPECT_THAT(text, HasSubstr("Refused: operation not permitted; a cpuset partition\n"));
  EXPECT_THAT(text, Not(HasSubstr("must not")));
  EXPECT_THAT(text, Not(HasSubstr("BROKEN")));
}

TEST(PreemptText, VerboseListsEveryPair) {
  const std::string text = preempt_text(test::preempt_phase(), true);
  EXPECT_THAT(text, ContainsRegex("SCHED_FIFO 95 +SCHED_OTHER +must not +100 +0 +100 +0 +- +- +- +ok"));
  EXPECT_THAT(text, ContainsRegex("SCHED_OTHER +SCHED_BATCH +may +100 +40 +60 +0"));
  EXPECT_THAT(text, ContainsRegex("SCHED_DEADLINE 500 us of 1 ms +must +0 +0 +0 +0 +- +- +- +refused"));
}

TEST(PreemptText, NamesEachBrokenPromise) {
  core::Phase phase = test::preempt_phase();
  phase.pairs[1].waited = 1, phase.pairs[1].untold = 0;
  phase.pairs[2].preempted = 3, phase.pairs[2].waited = 97;
  const std::string text = preempt_text(phase, false);
  EXPECT_THAT(text, HasSubstr("Pairs that did as they must: 0 of 2\n"));
  EXPECT_THAT(
      text, HasSubstr("Broken: CPU 1: SCHED_FIFO 95 over SCHED_OTHER: must preempt, and did not in 1 of 100 rounds\n"));
  EXPECT_THAT(
      text, HasSubstr("Broken: CPU 1: SCHED_OTHER over SCHED_FIFO 95: must not preempt, and did in 3 of 100 rounds\n"));
  EXPECT_THAT(text, ContainsRegex("SCHED_FIFO 95 +SCHED_OTHER +must not .*BROKEN"))
      << "the table has it without -v, too";
}

TEST(PreemptText, TellsWhoHadTheLargestDelay) {
  core::Phase phase = test::preempt_phase();
  const auto delay = [](double ns, const char* pair) {
    return core::Outlier{.t_ns = 2.5e9, .latency_ns = ns, .cpu = 1, .cause = pair};
  };
  phase.per_cpu[0].outliers = {delay(45'000, "SCHED_FIFO 95 over SCHED_OTHER"),
                               delay(2'300, "SCHED_RR 95 over SCHED_IDLE")};
  EXPECT_THAT(preempt_text(phase, false), Not(HasSubstr("delay"))) << "nobody knows";
  phase.facts["kernel events"] = "recorded by tracefs";
  phase.per_cpu[0].outliers[0].accounting = {{.kind = core::TimeClass::irq, .name = "24 eth0", .ns = 45'000}};
  const std::string text = preempt_text(phase, false);
  EXPECT_THAT(text, HasSubstr("Kernel events recorded by tracefs\n"));
  EXPECT_THAT(text,
              HasSubstr("The largest delay:\n    45.0 us on CPU 1, 2.500000 s after the start, SCHED_FIFO 95 over "
                        "SCHED_OTHER\n            irq 24 eth0 45.0 us\n"));
  EXPECT_THAT(text, Not(HasSubstr("over SCHED_IDLE")));
  EXPECT_THAT(preempt_text(phase, true), HasSubstr("The largest delays:\n"));
  EXPECT_THAT(preempt_text(phase, true), HasSubstr("SCHED_RR 95 over SCHED_IDLE\n"));
}

TEST(PreemptText, TellsWarningsAndTheReason) {
  core::Phase phase = test::preempt_phase();
  phase.status = core::PhaseStatus::interrupted;
  phase.reason = "stopped after 4 pairs";
  phase.warnings = {"cannot lock memory"};
  EXPECT_THAT(preempt_text(phase, false),
              HasSubstr("Warning: cannot lock memory\ninterrupted: stopped after 4 pairs\n"));
}

}  // namespace
}  // namespace maxlat::scheduling
