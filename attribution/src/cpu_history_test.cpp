// SPDX-License-Identifier: MIT
#include "cpu_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using core::TimeClass;

void account_for(CpuHistory& history, const core::AskedGap& gap, bool begins_asleep = false) {
  history.account_for(
      gap, {.from = gap.end - gap.ticks, .to = gap.end, .thread = test::kMeter, .begins_asleep = begins_asleep});
}

TEST(CpuHistory, KeepsTheLargestGaps) {
  CpuHistory history(2, 100);
  for (const uint64_t ticks : {5u, 9u, 7u, 9u, 3u}) account_for(history, {ticks, 1000 + ticks});
  std::vector<uint64_t> lengths;
  for (const CpuHistory::Kept& kept : history.largest()) lengths.push_back(kept.gap.ticks);
  EXPECT_THAT(lengths, testing::ElementsAre(9, 9));
}

// Who had the CPU when a timer's thread should have run was switched to long before, or not since the record began.
TEST(CpuHistory, OfAThreadThatSleptTheLastSwitchBeforeCounts) {
  CpuHistory history(10, 100);
  history.events() = {test::switch_to(100, 5, "first"), test::switch_to(200, 6, "spinner", 50),
                      test::event(300, EventKind::irq_entry, 24, "eth0"), test::event(340, EventKind::irq_exit, 24),
                      test::back_to_meter(1400)};
  account_for(history, {400, 1400}, true);
  ASSERT_EQ(history.largest()[0].accounting.parts.size(), 1u);
  EXPECT_EQ(history.largest()[0].accounting.parts[0].name, "spinner (tid 6, real-time 49)");
  EXPECT_EQ(history.largest()[0].accounting.parts[0].count, 1u);
  account_for(history, {20, 110}, true);
  EXPECT_EQ(history.largest()[1].accounting.parts[0].kind, TimeClass::before_history);
}

TEST(CpuHistory, WhatWasForgottenIsBeforeTheHistory) {
  constexpr size_t kMostEvents = 1000;
  CpuHistory history(10, kMostEvents);
  for (uint64_t i = 0; i <= kMostEvents; ++i)
    history.events().push_back(test::event(1000 + 10 * i, i % 2 == 0 ? EventKind::irq_entry : EventKind::irq_exit, 7));
  const uint64_t last = history.events().back().tick;
  history.forget_old();
  const uint64_t oldest = history.events().front().tick;
  EXPECT_EQ(history.events().size(), kMostEvents / 2 + 1);
  account_for(history, {oldest - 1000, oldest});
  ASSERT_EQ(history.largest().back().accounting.parts.size(), 1u);
  EXPECT_EQ(history.largest().back().accounting.parts[0].kind, TimeClass::before_history);
  account_for(history, {last - oldest, last});
  EXPECT_EQ(history.largest().front().accounting.parts[0].kind, TimeClass::before_history)
      << "longer ago, and the larger: it stays the first";
  const auto is_lost = [](const Part& part) { return part.kind == TimeClass::before_history; };
  EXPECT_TRUE(std::none_of(history.largest().back().accounting.parts.begin(),
                           history.largest().back().accounting.parts.end(), is_lost));
}

}  // namespace
}  // namespace maxlat::attribution
