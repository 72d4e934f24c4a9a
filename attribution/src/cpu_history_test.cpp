// SPDX-License-Identifier: MIT
#include "cpu_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using core::TimeClass;

TEST(CpuHistory, KeepsTheLargestGaps) {
  CpuHistory history(2, 100);
  for (const uint64_t ticks : {5u, 9u, 7u, 9u, 3u}) history.account_for({ticks, 1000 + ticks}, {});
  std::vector<uint64_t> lengths;
  for (const Accounting& gap : history.largest()) lengths.push_back(gap.to - gap.from);
  EXPECT_THAT(lengths, testing::ElementsAre(9, 9));
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
  history.account_for({oldest - 1000, oldest}, {});
  ASSERT_EQ(history.largest().back().parts.size(), 1u);
  EXPECT_EQ(history.largest().back().parts[0].kind, TimeClass::before_history);
  history.account_for({last - oldest, last}, {});
  EXPECT_EQ(history.largest().front().parts[0].kind, TimeClass::before_history)
      << "longer ago, and the larger: it stays the first";
  const auto is_lost = [](const Part& part) { return part.kind == TimeClass::before_history; };
  EXPECT_TRUE(std::none_of(history.largest().back().parts.begin(), history.largest().back().parts.end(), is_lost));
}

}  // namespace
}  // namespace maxlat::attribution
