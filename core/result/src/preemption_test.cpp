// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/run_result.hpp>

namespace maxlat::core {
namespace {

using Promise = PolicyPair::Promise;
using Verdict = PolicyPair::Verdict;

PolicyPair pair_of(Promise promise, uint64_t preempted, uint64_t waited, uint64_t untold) {
  PolicyPair pair{.cpu = 1, .running = "SCHED_OTHER", .woken = "SCHED_FIFO 95", .promise = promise, .latency = {}};
  pair.rounds = preempted + waited + untold;
  pair.preempted = preempted;
  pair.waited = waited;
  pair.untold = untold;
  if (preempted > 0) pair.latency = PreemptionLatency{.min_ns = 1, .median_ns = 2, .max_ns = 3};
  return pair;
}

TEST(PolicyPair, OneRoundBreaksAPromise) {
  EXPECT_EQ(pair_of(Promise::must, 100, 0, 0).verdict(), Verdict::kept);
  EXPECT_EQ(pair_of(Promise::must, 99, 1, 0).verdict(), Verdict::broken);
  EXPECT_EQ(pair_of(Promise::must_not, 0, 100, 0).verdict(), Verdict::kept);
  EXPECT_EQ(pair_of(Promise::must_not, 1, 99, 0).verdict(), Verdict::broken);
  EXPECT_EQ(pair_of(Promise::may, 50, 50, 0).verdict(), Verdict::no_promise);
}

TEST(PolicyPair, WhatIsBrokenIsToldAsASentence) {
  EXPECT_EQ(broken_text(pair_of(Promise::must, 99, 1, 0)),
            "CPU 1: SCHED_FIFO 95 over SCHED_OTHER: must preempt, and did not in 1 of 100 rounds");
  EXPECT_EQ(broken_text(pair_of(Promise::must_not, 1, 0, 0)),
            "CPU 1: SCHED_FIFO 95 over SCHED_OTHER: must not preempt, and did in 1 of 1 round");
}

TEST(PolicyPair, WhatNoRoundShowsIsNotKept) {
  for (const Promise promise : {Promise::must, Promise::must_not, Promise::may}) {
    EXPECT_EQ(pair_of(promise, 0, 0, 100).verdict(), Verdict::not_shown);
    EXPECT_EQ(pair_of(promise, 0, 0, 0).verdict(), Verdict::not_shown);
    PolicyPair refused = pair_of(promise, 0, 0, 0);
    refused.refused = "operation not permitted";
    EXPECT_EQ(refused.verdict(), Verdict::refused);
  }
  EXPECT_EQ(pair_of(Promise::must, 1, 0, 99).verdict(), Verdict::kept);
}

// Each kind of mistake in the books of a pair, and the sound one.
TEST(PolicyPair, BooksThatDoNotAddUpAreNotWritten) {
  const auto wrong_with = [](const std::vector<PolicyPair>& pairs) -> std::string {
    RunResult run;
    run.phases.resize(1);
    run.phases[0].name = "x";
    run.phases[0].pairs = pairs;
    const Status valid = validate(run);
    return valid ? "" : valid.error().text;
  };
  const PolicyPair sound = pair_of(Promise::must, 98, 1, 1);
  EXPECT_EQ(wrong_with({sound}), "");
  EXPECT_THAT(wrong_with({sound, sound}), testing::HasSubstr("CPU 1: SCHED_FIFO 95 over SCHED_OTHER is there twice"));
  PolicyPair pair = sound;
  ++pair.rounds;
  EXPECT_THAT(wrong_with({pair}), testing::HasSubstr("do not add up"));
  pair = sound;
  pair.latency.reset();
  EXPECT_THAT(wrong_with({pair}), testing::HasSubstr("if and only if"));
  pair = sound;
  pair.refused = "no";
  EXPECT_THAT(wrong_with({pair}), testing::HasSubstr("refused"));
  pair = sound;
  pair.latency->median_ns = 4;
  EXPECT_THAT(wrong_with({pair}), testing::HasSubstr("order"));
}

}  // namespace
}  // namespace maxlat::core
