// SPDX-License-Identifier: MIT
#include "pair_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace maxlat::scheduling {
namespace {

using core::Policy;
using Promise = core::PolicyPair::Promise;

constexpr core::Scheduling kIdle{Policy::idle, 0}, kBatch{Policy::batch, 0}, kOther{Policy::other, 0},
    kLowFifo{Policy::fifo, 94}, kFifo{Policy::fifo, 95}, kLowRr{Policy::round_robin, 94}, kRr{Policy::round_robin, 95},
    kDeadline{Policy::deadline, 0, 500'000, 1'000'000};

TEST(PairTable, TheHigherMustPreempt) {
  for (const core::Scheduling& fair : {kIdle, kBatch, kOther})
    for (const core::Scheduling& real_time : {kLowFifo, kFifo, kLowRr, kRr, kDeadline})
      EXPECT_EQ(promise_of(fair, real_time), Promise::must) << to_string(real_time) << " over " << to_string(fair);
  for (const core::Scheduling& low : {kLowFifo, kLowRr})
    for (const core::Scheduling& high : {kFifo, kRr, kDeadline})
      EXPECT_EQ(promise_of(low, high), Promise::must) << to_string(high) << " over " << to_string(low);
  for (const core::Scheduling& high : {kFifo, kRr}) EXPECT_EQ(promise_of(high, kDeadline), Promise::must);
}

TEST(PairTable, TheLowerMustNot) {
  for (const core::Scheduling& real_time : {kLowFifo, kFifo, kLowRr, kRr})
    for (const core::Scheduling& fair : {kIdle, kBatch, kOther})
      EXPECT_EQ(promise_of(real_time, fair), Promise::must_not) << to_string(fair) << " over " << to_string(real_time);
  for (const core::Scheduling& high : {kFifo, kRr})
    for (const core::Scheduling& low : {kLowFifo, kLowRr}) EXPECT_EQ(promise_of(high, low), Promise::must_not);
}

// Equal priorities: SCHED_FIFO runs until it blocks, whoever waits; a slice of SCHED_RR may end in a round.
TEST(PairTable, EqualFifoMustNotAndEqualRoundRobinMay) {
  EXPECT_EQ(promise_of(kFifo, kFifo), Promise::must_not);
  EXPECT_EQ(promise_of(kFifo, kRr), Promise::must_not);
  EXPECT_EQ(promise_of(kRr, kFifo), Promise::may);
  EXPECT_EQ(promise_of(kRr, kRr), Promise::may);
}

TEST(PairTable, BetweenFairPoliciesNothingIsPromised) {
  for (const core::Scheduling& a : {kIdle, kBatch, kOther})
    for (const core::Scheduling& b : {kIdle, kBatch, kOther}) EXPECT_EQ(promise_of(a, b), Promise::may);
}

TEST(PairTable, HasEveryPairOnceAndEachKindOfPromise) {
  std::set<std::string> names;
  std::map<Promise, int> promises;
  for (const PairOfPolicies& pair : pairs_of_policies(50)) {
    names.insert(to_string(pair.running) + " " + to_string(pair.woken));
    ++promises[pair.promise];
    EXPECT_NE(pair.running.policy, Policy::deadline);
  }
  EXPECT_EQ(names.size(), 7u * 8u);
  EXPECT_EQ(promises[Promise::must], 23);
  EXPECT_EQ(promises[Promise::must_not], 20);
  EXPECT_EQ(promises[Promise::may], 13);
  EXPECT_TRUE(names.contains("SCHED_FIFO 49 SCHED_FIFO 50"));
  EXPECT_TRUE(names.contains("SCHED_FIFO 50 SCHED_FIFO 50"));
}

}  // namespace
}  // namespace maxlat::scheduling
