// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <thread>
#include <vector>

namespace maxlat::core {
namespace {

TEST(AskedGaps, EachIsTakenOnceOrRefused) {
  AskedGaps gaps;
  constexpr uint64_t kAsked = 200'000;
  std::vector<uint64_t> seen;
  uint64_t refused = 0;
  std::thread meter([&] {
    gaps.watch(42);
    for (uint64_t i = 1; i <= kAsked; ++i) refused += gaps.ask(i, 2 * i) ? 0 : 1;
  });
  const auto take = [&] {
    gaps.take([&](const AskedGap& gap) {
      EXPECT_EQ(gap.end, 2 * gap.ticks);
      EXPECT_EQ(gaps.thread(), 42);
      seen.push_back(gap.ticks);
    });
  };
  while (seen.size() < 1000) take();
  meter.join();
  take();
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.size() + refused, kAsked);
}

TEST(AskedGaps, WhoSeesTheBeginningKnowsWhoBegan) {
  AskedGaps gaps;
  EXPECT_FALSE(gaps.begun());
  std::thread meter([&] {
    gaps.watch(42);
    gaps.begin(1'000);
    gaps.end(2'000);
  });
  while (!gaps.begun()) std::this_thread::yield();
  EXPECT_EQ(gaps.thread(), 42);
  EXPECT_EQ(gaps.begun(), 1'000u);
  meter.join();
  EXPECT_EQ(gaps.ended(), 2'000u);
}

TEST(AskedGaps, WhatFindsNoRoomIsRefused) {
  AskedGaps gaps;
  for (uint64_t i = 0; i < 1024; ++i) EXPECT_TRUE(gaps.ask(i, i));
  EXPECT_FALSE(gaps.ask(1024, 1024));
  size_t taken = 0;
  gaps.take([&](const AskedGap&) { ++taken; });
  EXPECT_EQ(taken, 1024u);
  EXPECT_TRUE(gaps.ask(1025, 1025)) << "there is room again";
}

}  // namespace
}  // namespace maxlat::core
