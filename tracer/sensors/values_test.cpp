// SPDX-License-Identifier: MIT
// What is posted is what a monitor reads, for each kind, for one thread and for many.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>

#include "sensors/test_group.hpp"
#include "sensors/test_system_calls.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using testing::ElementsAre;
using testing::Pair;

template <class Writers>
class Values : public testing::Test {
 protected:
  TestGroup<OneOfEach<Writers::value>> group_;
  GroupView view_ = group_.view();
};
using BothWriters = testing::Types<std::integral_constant<maxlat_sensor_writers, kThread>,
                                   std::integral_constant<maxlat_sensor_writers, kShared>>;
TYPED_TEST_SUITE(Values, BothWriters);

TYPED_TEST(Values, TheHeadSaysWhatASensorIs) {
  const auto& sensors = this->view_.sensors();
  ASSERT_EQ(sensors.size(), 7u);
  EXPECT_EQ(sensors[0].kind, SensorKind::counter);
  EXPECT_EQ(sensors[0].name, "counter");
  EXPECT_EQ(sensors[0].unit, "packets");
  EXPECT_EQ(sensors[0].about, "what was counted");
  EXPECT_EQ(sensors[0].shared, TypeParam::value == kShared);
  EXPECT_EQ(sensors[1].kind, SensorKind::gauge);
  EXPECT_EQ(sensors[2].kind, SensorKind::stat);
  EXPECT_EQ(sensors[3].kind, SensorKind::counters);
  EXPECT_EQ(sensors[4].kind, SensorKind::histogram);
  EXPECT_EQ(sensors[5].kind, SensorKind::histogram);
  EXPECT_EQ(sensors[6].kind, SensorKind::map);
}

TYPED_TEST(Values, ALinearHistogramIsTheDivision) {
  std::uint64_t expected[5]{}, below = 0, above = 0, sum = 0;
  for (std::uint64_t value = 0; value <= 60; ++value) {
    this->group_->linear.post(value);
    sum += value;
    if (value < 10)
      ++below;
    else if ((value - 10) / 7 < 5)
      ++expected[(value - 10) / 7];
    else
      ++above;
  }
  this->group_->linear.count(~0ull);
  const auto value = value_of<HistogramValue>(this->view_, "linear");
  EXPECT_THAT(value.buckets, testing::ElementsAreArray(expected));
  EXPECT_EQ(value.below, below);
  EXPECT_EQ(value.overflows, above + 1);
  EXPECT_EQ(value.total, 62u);
  EXPECT_EQ(value.sum, sum);
  EXPECT_EQ(value.min, 0u);
  EXPECT_EQ(value.max, 60u);
  EXPECT_EQ(value.low_of(4), 38u);
  EXPECT_EQ(value.high_of(4), 44u);
  EXPECT_EQ(value.quantile(0.5), 30u) << "the 31st of them is 30, in the bucket from 24 to 30";
  EXPECT_EQ(value.quantile(0.01), 9u) << "below: less than the low bound";
  EXPECT_EQ(value.quantile(1), 60u);
}

TYPED_TEST(Values, AMapHasCountAndSumOfEachCell) {
  this->group_->map.post(0, 5, 100);
  this->group_->map.post(7, 7, 50);
  this->group_->map.post(8, 7, 1);
  this->group_->map.post(23, 10, 7);
  for (const auto& [x, y] : {std::pair{24ull, 5ull}, {0, 4}, {0, 11}, {~0ull, ~0ull}}) this->group_->map.post(x, y, 1000);
  const auto value = value_of<MapValue>(this->view_, "map");
  EXPECT_EQ(value.x.name, "width");
  EXPECT_EQ(value.x.unit, "px");
  EXPECT_EQ(value.x.width, 8u);
  EXPECT_EQ(value.x.cells, 3u);
  EXPECT_EQ(value.y.name, "height");
  EXPECT_EQ(value.y.low, 5u);
  EXPECT_EQ(value.y.cells, 2u);
  EXPECT_EQ(value.outside, 4u);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cells;
  for (const MapValue::Cell& cell : value.cells) cells.emplace_back(cell.count, cell.sum);
  EXPECT_THAT(cells, ElementsAre(Pair(2, 150), Pair(1, 1), Pair(0, 0), Pair(0, 0), Pair(0, 0), Pair(1, 7)));
}

TYPED_TEST(Values, ACounterIsTheSum) {
  EXPECT_EQ(value_of<CounterValue>(this->view_, "counter").value, 0u);
  this->group_->counter.add();
  this->group_->counter.add(1ull << 40);
  EXPECT_EQ(value_of<CounterValue>(this->view_, "counter").value, (1ull << 40) + 1);
  this->group_->counter.add(0ull - (1ull << 40));
  EXPECT_EQ(value_of<CounterValue>(this->view_, "counter").value, 1u);
}

TYPED_TEST(Values, AGaugeGoesUpAndDownAndKnowsItsLimits) {
  this->group_->gauge.set(4);
  this->group_->gauge.subtract(9);
  GaugeValue value = value_of<GaugeValue>(this->view_, "gauge");
  EXPECT_EQ(value.value, -5);
  EXPECT_EQ(value.lowest, -5);
  EXPECT_EQ(value.highest, 5);
  EXPECT_TRUE(value.within());
  this->group_->gauge.add(11);
  value = value_of<GaugeValue>(this->view_, "gauge");
  EXPECT_EQ(value.value, 6);
  EXPECT_FALSE(value.within());
}

TYPED_TEST(Values, AStatHasTheExtremesOfSignedValues) {
  EXPECT_EQ(value_of<StatValue>(this->view_, "stat").count, 0u);
  for (const std::int64_t value : {3, -7, 5}) this->group_->stat.post(value);
  const StatValue value = value_of<StatValue>(this->view_, "stat");
  EXPECT_TRUE(value.settled);
  EXPECT_EQ(value.count, 3u);
  EXPECT_EQ(value.value, 5);
  EXPECT_EQ(value.min, -7);
  EXPECT_EQ(value.max, 5);
  EXPECT_EQ(static_cast<std::int64_t>(value.sum), 1);
}

TYPED_TEST(Values, CountersHaveLabelsAndAPlaceForWhatIsOutside) {
  this->group_->counters.add(0);
  this->group_->counters.add(2, 5);
  this->group_->counters.add(3);
  this->group_->counters.add(~std::size_t{0});
  const auto value = value_of<CountersValue>(this->view_, "counters");
  EXPECT_THAT(value.values, ElementsAre(Pair("first", 1), Pair("1", 0), Pair("third", 5)));
  EXPECT_EQ(value.outside, 2u);
}

// Against base's own, which is tested by itself.
TYPED_TEST(Values, AHistogramIsTheOneThatBaseMakes) {
  constexpr maxlat_histogram_shape kShape{2, 10};
  alignas(64) std::uint8_t memory[1024 + 512];
  maxlat_histogram_head* const expected = maxlat_shaped_make(memory, sizeof memory, kShape);
  ASSERT_NE(expected, nullptr);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    maxlat_shaped_record(expected, kShape, value, 7);
    this->group_->histogram.post(value, 7);
  }
  const auto value = value_of<HistogramValue>(this->view_, "histogram");
  EXPECT_EQ(value.total, 10000u);
  EXPECT_EQ(value.overflows, expected->overflow_count);
  EXPECT_EQ(value.min, expected->min);
  EXPECT_EQ(value.max, expected->max);
  EXPECT_EQ(value.sum, expected->sum);
  ASSERT_EQ(value.buckets.size(), maxlat_shape_buckets(kShape));
  for (std::uint32_t i = 0; i < value.buckets.size(); ++i)
    EXPECT_EQ(value.buckets[i], maxlat_shaped_count_at(expected, i)) << i;
  for (const double part : {0.0, 0.01, 0.5, 0.9, 1.0}) {
    const auto rank = static_cast<std::uint64_t>(std::max(1.0, part * 10000));
    EXPECT_EQ(value.quantile(part), maxlat_shaped_value_at_rank(expected, kShape, rank)) << part;
  }
  // The rest of the head is not handed out one by one: what base makes of it must be the same.
  const auto& words = reinterpret_cast<const maxlat_histogram_sensor&>(this->group_->histogram);
  EXPECT_EQ(words.head.sum_sq_low, expected->sum_sq_low);
  EXPECT_EQ(words.head.sum_sq_high, expected->sum_sq_high);
  EXPECT_EQ(words.head.overflow[15].value, expected->overflow[15].value);
  EXPECT_EQ(words.head.overflow[15].time, 7u);
  ASSERT_EQ(value.outliers.size(), 16u);
  for (std::size_t i = 0; i < value.outliers.size(); ++i) {
    EXPECT_EQ(value.outliers[i].value, expected->overflow[i].value);
    EXPECT_EQ(value.outliers[i].time, 7u);
  }
}

TYPED_TEST(Values, AHistogramHasTheDeviationOfItsValues) {
  EXPECT_FALSE(value_of<HistogramValue>(this->view_, "histogram").deviation);
  for (const std::uint64_t value : {2u, 4u, 4u, 4u, 5u, 5u, 7u, 9u}) this->group_->histogram.post(value);
  EXPECT_DOUBLE_EQ(value_of<HistogramValue>(this->view_, "histogram").deviation.value_or(-1), 2);
  this->group_->histogram.post(1u << 20, 11);
  const auto value = value_of<HistogramValue>(this->view_, "histogram");
  ASSERT_EQ(value.outliers.size(), 1u);
  EXPECT_EQ(value.outliers[0].value, 1u << 20);
  EXPECT_EQ(value.outliers[0].time, 11u);
}

// What does something on a terminal is not shown: controls of one byte, and those of two in UTF-8.
TEST(Texts, HaveNoControls) {
  struct Hostile {
    Counters<2> counters{"counters", {"a\x1b[1m", "b\xc2\x9b""1m"}, "\xc2\x9b" "31m", "\x9b""5m \xe2\x80\x9c\xc3\xa9"};
    Map<Cells{}, Cells{}> map{"map", "", {"x\xc2\x9b", "\xc2\x85"}, {"y"}};
  };
  TestGroup<Hostile> group("hostile");
  const GroupView view = group.view();
  EXPECT_EQ(facts_of(view, "counters").unit, "?31m");
  EXPECT_EQ(facts_of(view, "counters").about, "?5m \xe2\x80\x9c\xc3\xa9");
  EXPECT_THAT(value_of<CountersValue>(view, "counters").values, ElementsAre(Pair("a?[1m", 0), Pair("b?1m", 0)));
  EXPECT_EQ(value_of<MapValue>(view, "map").x.name, "x?");
  EXPECT_EQ(value_of<MapValue>(view, "map").x.unit, "?");
}

// Labels that are the same do not compile; those that are made when the program runs become different.
TEST(Texts, NoTwoCountersHaveOneLabel) {
  using Labels = std::array<Text<MAXLAT_COUNTERS_LABEL>, 3>;
  static_assert(maxlat::sensors::detail::are_apart(Labels{"a", "", "b"}));
  static_assert(!maxlat::sensors::detail::are_apart(Labels{"a", "b", "a"}));
  static_assert(!maxlat::sensors::detail::are_apart(Labels{"1", "", "a"}));
  static_assert(!maxlat::sensors::detail::are_apart(Labels{"a", "(outside)", "b"}));
  struct Same {
    Counters<4> counters{"counters", std::array<Text<MAXLAT_COUNTERS_LABEL>, 4>{"a", "a", "(outside)", "a"}};
  };
  TestGroup<Same> group("same");
  EXPECT_THAT(value_of<CountersValue>(group.view(), "counters").values,
              ElementsAre(Pair("a", 0), Pair("a#1", 0), Pair("(outside)#2", 0), Pair("a#3", 0)));
}

TYPED_TEST(Values, BucketsAloneHaveNoMoments) {
  this->group_->histogram.count_in_range(1000);
  const auto value = value_of<HistogramValue>(this->view_, "histogram");
  EXPECT_EQ(value.total, 1u);
  EXPECT_FALSE(value.has_moments);
  EXPECT_GE(value.quantile(0.5), 1000u);
}

// A monitor that looks while threads post: what is called settled is one state, after a whole number of posts.
TEST(SharedValues, ASettledStatIsOfWholePosts) {
  TestGroup<OneOfEach<kShared>> group("looked_at");
  const GroupView view = group.view();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      while (!done.load()) group->stat.post(7);
    });
  }
  std::uint64_t posts = 0;
  for (int look = 0; look < 20000 || posts < 1000; ++look) {
    const auto stat = value_of<StatValue>(view, "stat");
    posts = stat.count;
    if (!stat.settled || stat.count == 0) continue;
    ASSERT_EQ(stat.sum, 7 * stat.count);
    ASSERT_EQ(stat.min, 7);
    ASSERT_EQ(stat.max, 7);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(value_of<StatValue>(view, "stat").settled);
}

TEST(SharedValues, NoPostIsASystemCall) {
  TestGroup<OneOfEach<kShared>> group("sealed_off");
  const int status = status_without_system_calls([&] {
    for (int i = 0; i < 100; ++i) {
      group->counter.add();
      group->gauge.set(i);
      group->stat.post(i);
      group->counters.add(static_cast<std::size_t>(i));
      group->histogram.post(static_cast<std::uint64_t>(i) * 100);
      group->linear.post(static_cast<std::uint64_t>(i));
      group->map.post(static_cast<std::uint64_t>(i), 7, 1);
    }
  });
  if (status == kNoSeccomp) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0) << "a system call";
}

TEST(SharedValues, NoPostOfAnyThreadIsLost) {
  constexpr int kThreads = 4, kPosts = 20000;
  TestGroup<OneOfEach<kShared>> group("shared");
  const GroupView view = group.view();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&group, thread] {
      for (int i = 0; i < kPosts; ++i) {
        group->counter.add();
        group->gauge.add(i % 2 == 0 ? 3 : -2);
        group->stat.post(i * (thread % 2 == 0 ? 1 : -1));
        group->counters.add(static_cast<std::size_t>(i % 4));
        group->histogram.post(static_cast<std::uint64_t>(i % 2000));
        group->linear.post(static_cast<std::uint64_t>(i % 50));
        group->map.post(static_cast<std::uint64_t>(i % 25), 5, 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr std::uint64_t kAll = kThreads * kPosts;
  EXPECT_EQ(value_of<CounterValue>(view, "counter").value, kAll);
  EXPECT_EQ(value_of<GaugeValue>(view, "gauge").value, static_cast<std::int64_t>(kAll / 2));
  const StatValue stat = value_of<StatValue>(view, "stat");
  EXPECT_TRUE(stat.settled);
  EXPECT_EQ(stat.count, kAll);
  EXPECT_EQ(stat.min, 1 - kPosts);
  EXPECT_EQ(stat.max, kPosts - 1);
  EXPECT_EQ(stat.sum, 0u);
  const auto counters = value_of<CountersValue>(view, "counters");
  EXPECT_EQ(counters.outside, kAll / 4);
  EXPECT_EQ(counters.values[2].second, kAll / 4);
  EXPECT_EQ(value_of<HistogramValue>(view, "histogram").total, kAll);
  const auto linear = value_of<HistogramValue>(view, "linear");
  EXPECT_EQ(linear.total, kAll);
  EXPECT_EQ(linear.below, kAll / 5);
  EXPECT_EQ(linear.overflows, kAll / 50 * 5);
  EXPECT_EQ(linear.sum, kAll / 50 * (49 * 50 / 2));
  const auto map = value_of<MapValue>(view, "map");
  EXPECT_EQ(map.outside, kAll / 25);
  for (std::size_t cell = 0; cell < 3; ++cell) {
    EXPECT_EQ(map.cells[cell].count, kAll / 25 * 8);
    EXPECT_EQ(map.cells[cell].sum, kAll / 25 * 16);
  }
}

}  // namespace
