// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/attribution/ring_page.hpp>

#include "test_page.hpp"

namespace maxlat::attribution {
namespace {

TEST(RingPage, EveryKindOfRecordHasItsTime) {
  const auto bytes =
      TestPage(1000).record(5, 12).long_record(7, 200).extend(1).record(2, 4).discarded(8).record(1, 4).bytes();
  RingPage page;
  ASSERT_TRUE(read_ring_page(bytes, page));
  EXPECT_FALSE(page.lost_before);
  ASSERT_EQ(page.records.size(), 4u);
  EXPECT_EQ(page.records[0].tick, 1005u);
  EXPECT_EQ(page.records[0].bytes.size(), 12u);
  EXPECT_EQ(page.records[0].bytes[11], std::byte{5});
  EXPECT_EQ(page.records[1].tick, 1012u);
  EXPECT_EQ(page.records[1].bytes.size(), 200u);
  EXPECT_EQ(page.records[2].tick, 1014u + (uint64_t{1} << 27));
  EXPECT_EQ(page.records[3].tick, 1016u + (uint64_t{1} << 27)) << "what is discarded took its time";
}

// The kernel has 59 bits for it; a counter that began at some 2^60 has more.
TEST(RingPage, AnAbsoluteTimeHasTheTopmostBitsOfThePage) {
  const uint64_t high = uint64_t{3} << 59;
  const auto bytes = TestPage(high + 1000).stamp(high + (uint64_t{1} << 40) + 17).record(1, 4).bytes();
  RingPage page;
  ASSERT_TRUE(read_ring_page(bytes, page));
  ASSERT_EQ(page.records.size(), 1u);
  EXPECT_EQ(page.records[0].tick, high + (uint64_t{1} << 40) + 18);
}

TEST(RingPage, WhatWasOverwrittenIsTold) {
  RingPage page;
  ASSERT_TRUE(read_ring_page(TestPage(1).record(1, 4).record(1, 4).bytes(TestPage::kLost), page));
  EXPECT_TRUE(page.lost_before);
  ASSERT_TRUE(read_ring_page(TestPage(1).record(1, 4).bytes(), page));
  EXPECT_FALSE(page.lost_before);
  EXPECT_EQ(page.records.size(), 1u) << "the page before is forgotten";
}

TEST(RingPage, HowMuchWasOverwrittenIsToldWhereThereIsRoom) {
  auto bytes = TestPage(1).record(1, 4).record(1, 4).bytes(TestPage::kLost | TestPage::kLostIsCounted);
  const uint64_t lost = 12'345;
  std::memcpy(bytes.data() + 16 + 16, &lost, sizeof lost);  // behind the head and two records
  RingPage page;
  ASSERT_TRUE(read_ring_page(bytes, page));
  EXPECT_TRUE(page.lost_before);
  EXPECT_EQ(page.lost_count, lost);
  ASSERT_TRUE(read_ring_page(TestPage(1).record(1, 4).bytes(TestPage::kLost), page));
  EXPECT_EQ(page.lost_count, std::nullopt);
  bytes.resize(16 + 16 + 7);
  EXPECT_FALSE(read_ring_page(bytes, page));
}

TEST(RingPage, DamageIsAnErrorThatSaysWhere) {
  RingPage page;
  auto bytes = TestPage(1).record(1, 4).record(1, 112).bytes();
  const auto status_with = [&](size_t place, uint32_t word) {
    auto changed = bytes;
    std::memcpy(changed.data() + place, &word, sizeof word);
    return read_ring_page(changed, page);
  };
  EXPECT_THAT(status_with(8, 4081).error().text, testing::HasSubstr("at byte 8 of a page is a length beyond"));
  EXPECT_THAT(status_with(24, 1u << 5).error().text, testing::HasSubstr("at byte 24"));
  EXPECT_EQ(page.records.size(), 1u) << "what was before the damage is there";
  EXPECT_THAT(status_with(8, 9).error().text, testing::HasSubstr("no room for a record"));
  bytes.resize(15);
  EXPECT_FALSE(read_ring_page(bytes, page));
}

}  // namespace
}  // namespace maxlat::attribution
