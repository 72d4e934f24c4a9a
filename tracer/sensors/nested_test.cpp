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

template <maxlat_sensor_writers kWriters>
TestGroup<OneOfEach<kWriters>>* group;

template <maxlat_sensor_writers kWriters>
void post_from_handler() {
  auto& sensors = *group<kWriters>;
  const auto number = static_cast<std::uint64_t>(inner < 0 ? 1 : 2000);
  look_at_stat();
  sensors->counter.add();
  sensors->gauge.add(inner);
  sensors->stat.post(inner);
  sensors->counters.add(1);
  sensors->histogram.post(number);
  sensors->linear.post(number);
  sensors->map.post(number, 5, 3);
  look_at_stat();
}

template <maxlat_sensor_writers kWriters>
__attribute__((noinline)) void post_all() {
  auto& sensors = *group<kWriters>;
  sensors->counter.add();
  sensors->gauge.add(kOuter);
  sensors->stat.post(kOuter);
  sensors->counters.add(1);
  sensors->histogram.post(static_cast<std::uint64_t>(kOuter));
  sensors->linear.post(static_cast<std::uint64_t>(kOuter));
  sensors->map.post(1, 5, 2);
}

void expect_all(std::uint64_t at) {
  const GroupView& seen = *view;
  const auto number = static_cast<std::uint64_t>(inner < 0 ? 1 : 2000), both = kOuter + number;
  ASSERT_EQ(value_of<CounterValue>(seen, "counter").value, 2u) << at;
  ASSERT_EQ(value_of<GaugeValue>(seen, "gauge").value, kOuter + inner) << at;
  const auto stat = value_of<StatValue>(seen, "stat");
  ASSERT_TRUE(stat.settled) << at;
  ASSERT_EQ(stat.count, 2u) << at;
  ASSERT_EQ(stat.min, std::min(kOuter, inner)) << at;
  ASSERT_EQ(stat.max, std::max(kOuter, inner)) << at;
  ASSERT_EQ(static_cast<std::int64_t>(stat.sum), kOuter + inner) << at;
  ASSERT_EQ(value_of<CountersValue>(seen, "counters").values[1].second, 2u) << at;
  for (const char* const name : {"histogram", "linear"}) {
    const auto histogram = value_of<HistogramValue>(seen, name);
    ASSERT_EQ(histogram.total, 2u) << name << " " << at;
    ASSERT_EQ(histogram.sum, both) << name << " " << at;
    ASSERT_EQ(histogram.min, std::min<std::uint64_t>(kOuter, number)) << name << " " << at;
    ASSERT_EQ(histogram.max, std::max<std::uint64_t>(kOuter, number)) << name << " " << at;
    ASSERT_EQ(histogram.overflows, inner < 0 ? 0u : 1u) << name << " " << at;
  }
  const auto map = value_of<MapValue>(seen, "map");
  ASSERT_EQ(map.cells[0].count, inner < 0 ? 2u : 1u) << at;
  ASSERT_EQ(map.cells[0].sum, inner < 0 ? 5u : 2u) << at;
  ASSERT_EQ(map.outside, inner < 0 ? 0u : 1u) << at;
}

template <maxlat_sensor_writers kWriters>
void interrupt_at_each_instruction() {
  const SingleStep stepper;
  for (const std::int64_t nested : {kBelow, kAbove}) {
    inner = nested;
    std::uint64_t at = 1;
    for (bool longer = true; longer; at += kApart) {
      TestGroup<OneOfEach<kWriters>> made;
      GroupView seen = made.view();
      group<kWriters> = &made;
      view = &seen;
      good = true;
      longer = SingleStep::interrupt(at, post_from_handler<kWriters>, post_all<kWriters>);
      if (!longer) break;
      ASSERT_TRUE(good) << at;
      expect_all(at);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(at, 40u);
  }
}

TEST(NestedPosts, NothingIsLostAtAnyInstruction) {
  interrupt_at_each_instruction<kThread>();
}

TEST(NestedPosts, NothingIsLostOfSharedSensors) {
  interrupt_at_each_instruction<kShared>();
}

}  // namespace
