// SPDX-License-Identifier: MIT
// Posts that a signal handler interrupts after every single instruction, and that post to the same sensor: nothing is
// lost, extremes are exact, and a monitor that looks in the middle never takes half a stat for a whole one.
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/sensors/sensors.hpp>

#include "ring/test_single_step.hpp"
#include "sensors/test_group.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using maxlat::ring_test::kApart;
using maxlat::ring_test::SingleStep;

TestGroup<OneOfEach<kThread>>* group;
GroupView* view;
bool good;
// What the interrupted post has, and the handler's: more extreme in both directions, in turn.
constexpr std::int64_t kOuter = 10, kBelow = -20, kAbove = 500;
std::int64_t inner;

// The stat's values are 10, and then what handlers posted: a whole one has the sum of as many as it counts.
void look_at_stat() {
  const auto value = value_of<StatValue>(*view, "stat");
  const auto sum = static_cast<std::int64_t>(value.sum);
  const std::int64_t rest = sum - static_cast<std::int64_t>(value.count / 2) * inner;  // each is one outer, one inner
  if (value.settled && value.count % 2 == 0) good = good && rest == static_cast<std::int64_t>(value.count / 2) * kOuter;
}

void post_from_handler() {
  look_at_stat();
  (*group)->counter.add();
  (*group)->gauge.add(inner);
  (*group)->stat.post(inner);
  (*group)->counters.add(1);
  (*group)->histogram.post(static_cast<std::uint64_t>(inner < 0 ? 1 : 2000));
  look_at_stat();
}

__attribute__((noinline)) void post_all() {
  (*group)->counter.add();
  (*group)->gauge.add(kOuter);
  (*group)->stat.post(kOuter);
  (*group)->counters.add(1);
  (*group)->histogram.post(static_cast<std::uint64_t>(kOuter));
}

TEST(NestedPosts, NothingIsLostAtAnyInstruction) {
  const SingleStep stepper;
  for (const std::int64_t nested : {kBelow, kAbove}) {
    inner = nested;
    std::uint64_t at = 1;
    for (bool longer = true; longer; at += kApart) {
      TestGroup<OneOfEach<kThread>> made;
      GroupView seen = made.view();
      group = &made;
      view = &seen;
      good = true;
      longer = SingleStep::interrupt(at, post_from_handler, post_all);
      if (!longer) break;
      ASSERT_TRUE(good) << at;
      ASSERT_EQ(value_of<CounterValue>(seen, "counter").value, 2u) << at;
      ASSERT_EQ(value_of<GaugeValue>(seen, "gauge").value, kOuter + inner) << at;
      const auto stat = value_of<StatValue>(seen, "stat");
      ASSERT_TRUE(stat.settled) << at;
      ASSERT_EQ(stat.count, 2u) << at;
      ASSERT_EQ(stat.min, std::min(kOuter, inner)) << at;
      ASSERT_EQ(stat.max, std::max(kOuter, inner)) << at;
      ASSERT_EQ(static_cast<std::int64_t>(stat.sum), kOuter + inner) << at;
      ASSERT_EQ(value_of<CountersValue>(seen, "counters").values[1].second, 2u) << at;
      const auto histogram = value_of<HistogramValue>(seen, "histogram");
      ASSERT_EQ(histogram.total, 2u) << at;
      ASSERT_EQ(histogram.sum, static_cast<std::uint64_t>(kOuter + (inner < 0 ? 1 : 2000))) << at;
      ASSERT_EQ(histogram.overflows, inner < 0 ? 0u : 1u) << at;
    }
    EXPECT_GT(at, 40u);
  }
}

}  // namespace
