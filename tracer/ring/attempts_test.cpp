// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A writer that is always too late: something else reserves between its look and its compare-exchange, every time. It
// gives up after MAXLAT_RING_ATTEMPTS, says so in the books, and everybody else's events are there (reserve.h,
// progress; model/progress.pml has the bound as 2).
#include <gtest/gtest.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/test_event_probe.h>
#include <maxlat/ring/walk.h>

#include <functional>

#include "test_memory.hpp"

namespace {

using namespace maxlat::ring_test;

uint64_t now;
bool inside;                         // the hook runs nothing in what it runs
std::function<void()> between_look;  // and compare-exchange

class Attempts : public testing::TestWithParam<maxlat_ring_ownership> {
 protected:
  bool event(uint64_t number) { return maxlat_ring_event(GetParam(), &memory_.ring, 7, number, ~number, 0); }
  void while_others_do(const std::function<void()>& what) {
    between_look = [what] {
      if (inside) return;
      inside = true;
      what();
      inside = false;
    };
  }
  ~Attempts() override { between_look = nullptr; }

  RingMemory memory_{options_of(MAXLAT_RING_OVERWRITE, 12, 2)};
};

TEST_P(Attempts, AreBoundedAndTheLostEventIsInTheBooks) {
  ASSERT_TRUE(event(0));
  uint64_t others = 0;
  while_others_do([&] { EXPECT_TRUE(event(++others)); });
  EXPECT_FALSE(event(1'000'000));
  between_look = nullptr;
  EXPECT_GE(others, MAXLAT_RING_ATTEMPTS);
  EXPECT_LE(others, MAXLAT_RING_ATTEMPTS + 1) << "one more on the common path";
  EXPECT_EQ(memory_.ring.header->lost_wrap, 1u);

  maxlat_ring_finalise(GetParam(), &memory_.ring);
  maxlat_ring_view view;
  uint64_t expected = 0;
  while (maxlat_ring_get(&memory_.reader, &view) == MAXLAT_RING_GOT) {
    maxlat_ring_walk walk;
    maxlat_ring_walked record;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT)
      EXPECT_EQ(*reinterpret_cast<const uint64_t*>(record.payload), expected++);
    maxlat_ring_put(&memory_.reader, &view);
  }
  EXPECT_EQ(expected, others + 1);
}

TEST_P(Attempts, TheLastOneMayStillSucceed) {
  ASSERT_TRUE(event(0));
  int left = MAXLAT_RING_ATTEMPTS;
  while_others_do([&] {
    if (left-- > 0) event(1);
  });
  EXPECT_TRUE(event(2));
  EXPECT_EQ(memory_.ring.header->lost_wrap, 0u);
}

INSTANTIATE_TEST_SUITE_P(Rings, Attempts, testing::Values(MAXLAT_RING_THREAD, MAXLAT_RING_CPU),
                         [](const auto& ownership) {
                           return ownership.param == MAXLAT_RING_THREAD ? "thread" : "cpu";
                         });

}  // namespace

// The scheduler's port: the clock is read between the two.
void maxlat_ring_test_step() {}
uint64_t maxlat_ring_test_clock(bool) {
  if (between_look) between_look();
  return now += 10;
}
