// SPDX-License-Identifier: MIT
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <maxlat/sensors/striped.hpp>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "sensors/test_group_copy.hpp"

namespace maxlat::sensors {
namespace {

using test::TestGroup;
using test::value_of;

constexpr std::size_t kStripes = 3;

struct ManyPost {
  StripedCounter<kStripes> jobs{"jobs", "jobs", "that were done"};
  StripedCounters<kStripes, 2> answers{"answers", {"yes", "no"}};
  StripedHistogram<kStripes> latency{"latency", "ns", "from request to answer"};
  StripedLinearHistogram<kStripes, Cells{.low = 10, .width = 5, .count = 4}> level{"level"};
};

void post_to_all(TestGroup<ManyPost>& group, std::uint64_t value) {
  group->jobs.add(value);
  group->answers.add(value % 3);
  group->latency.post(value);
  group->level.post(value);
}

// Threads that are all there at once, so that each has a stripe of its own, as far as there are any.
void post_at_once(TestGroup<ManyPost>& group, int threads, std::uint64_t posts) {
  std::atomic<int> there{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      const OwnStripe stripe;
      there.fetch_add(1);
      while (there.load() < threads) std::this_thread::yield();
      for (std::uint64_t n = 1; n <= posts; ++n) post_to_all(group, n % 40);
    });
  for (std::thread& thread : all) thread.join();
}

TEST(Striped, AMonitorSeesTheSumOfAllThreads) {
  for (const int threads : {1, static_cast<int>(kStripes), static_cast<int>(kStripes) + 3}) {
    TestGroup<ManyPost> group;
    constexpr std::uint64_t kPosts = 4000;
    post_at_once(group, threads, kPosts);
    post_to_all(group, 7);  // without a stripe
    const auto times = static_cast<std::uint64_t>(threads);
    const GroupView view = group.view();
    EXPECT_EQ(value_of<CounterValue>(view, "jobs").value, times * kPosts / 40 * (40 * 39 / 2) + 7);
    const auto answers = value_of<CountersValue>(view, "answers");
    EXPECT_EQ(answers.values[0].first, "yes");
    EXPECT_EQ(answers.values[0].second + answers.values[1].second + answers.outside, times * kPosts + 1);
    EXPECT_EQ(answers.outside, times * kPosts / 40 * 13);
    const auto latency = value_of<HistogramValue>(view, "latency");
    EXPECT_EQ(latency.total, times * kPosts + 1);
    EXPECT_EQ(latency.buckets[39], times * kPosts / 40);
    EXPECT_TRUE(latency.has_moments);
    EXPECT_EQ(latency.min, 0u);
    EXPECT_EQ(latency.max, 39u);
    EXPECT_EQ(latency.sum, times * kPosts / 40 * (40 * 39 / 2) + 7);
    const double all = static_cast<double>(latency.total), squares = static_cast<double>(times * kPosts / 40 * 20540 + 49);
    const double mean = static_cast<double>(latency.sum) / all;
    EXPECT_NEAR(latency.deviation.value_or(-1), std::sqrt(squares / all - mean * mean), 1e-9);
    const auto level = value_of<HistogramValue>(view, "level");
    EXPECT_EQ(level.below, times * kPosts / 40 * 10 + 1);
    EXPECT_EQ(level.overflows, times * kPosts / 40 * 10);
    EXPECT_EQ(level.total, times * kPosts + 1);
  }
}

TEST(Striped, IsOneSensorOfItsKind) {
  TestGroup<ManyPost> group;
  const GroupView view = group.view();
  ASSERT_EQ(view.sensors().size(), 4u);
  const SensorFacts& jobs = test::facts_of(view, "jobs");
  EXPECT_EQ(jobs.kind, SensorKind::counter);
  EXPECT_EQ(jobs.unit, "jobs");
  EXPECT_EQ(jobs.about, "that were done");
  EXPECT_TRUE(jobs.shared);
  EXPECT_EQ(test::facts_of(view, "level").kind, SensorKind::histogram);
}

// A program that lies about its stripes: heads of which each is a sensor's, but that do not belong together.
TEST(Striped, StripesThatAreNoneAreRefused) {
  struct One {
    StripedCounters<2, 2> striped{"striped", {"a", "b"}};
  };
  const TestGroup<One> group("lying");
  const test::GroupCopy copy("lying");
  std::uint64_t at = 0;  // of the sensor: its head begins with the magic number, as the first stripe's does
  while (std::memcmp(copy.bytes() + at, "SNSN", 4) != 0) at += MAXLAT_SENSOR_ALIGNMENT;
  auto* const heads = reinterpret_cast<maxlat_sensor*>(copy.bytes() + at);
  const maxlat_sensor striped = heads[0], stripe = heads[1];
  ASSERT_EQ(striped.kind, MAXLAT_SENSOR_STRIPED);
  ASSERT_EQ(stripe.kind, MAXLAT_SENSOR_COUNTERS);
  ASSERT_TRUE(GroupView::attach(copy.descriptor()));
  const auto refused = [&] {
    const auto view = GroupView::attach(copy.descriptor());
    const bool is_refused = !view && view.error().text.find("striped") != std::string::npos;
    heads[0] = striped;
    heads[1] = stripe;
    return is_refused;
  };
  heads[1].kind = MAXLAT_SENSOR_GAUGE;
  EXPECT_TRUE(refused());
  heads[1].magic = 0;
  EXPECT_TRUE(refused());
  heads[1].layout_version = 99;
  EXPECT_TRUE(refused());
  heads[1].shape[0] = 1000;  // counters, and no place for them
  EXPECT_TRUE(refused());
  heads[0].shape[0] = 2;
  EXPECT_TRUE(refused());
  heads[0].shape[0] = 3 * 256;
  heads[0].shape[1] /= 256;
  EXPECT_TRUE(refused());
  ASSERT_TRUE(GroupView::attach(copy.descriptor()));
}

TEST(Striped, EachThreadHasItsOwn) {
  std::uint32_t first = 0, second = 0, none = 1, again = 0;
  std::thread([&] {
    none = detail::own_stripe;
    const OwnStripe stripe;
    first = detail::own_stripe;
    std::thread([&] {
      const OwnStripe other;
      second = detail::own_stripe;
      const OwnStripe within;  // changes nothing, and its end neither
      again = detail::own_stripe;
    }).join();
    EXPECT_EQ(detail::own_stripe, first);
  }).join();
  EXPECT_EQ(none, 0u);
  EXPECT_NE(first, 0u);
  EXPECT_NE(second, 0u);
  EXPECT_NE(first, second);
  EXPECT_EQ(again, second);
  EXPECT_EQ(detail::own_stripe, 0u);
}

TEST(Striped, ANumberThatIsGivenBackIsGivenAgain) {
  std::uint32_t first = 0, second = 0;
  for (std::uint32_t* number : {&first, &second})
    std::thread([number] {
      const OwnStripe stripe;
      *number = detail::own_stripe;
    }).join();
  EXPECT_EQ(first, second);
}

// What one thread has here stands for as many threads: each of them would find no number of its own.
TEST(Striped, WithoutAFreeNumberAThreadSharesAStripe) {
  std::vector<std::unique_ptr<OwnStripe>> taken;
  std::set<std::uint32_t> numbers;
  for (unsigned i = 1; i < MAXLAT_STRIPED_MAX; ++i) {
    detail::own_stripe = 0;
    taken.push_back(std::make_unique<OwnStripe>());
    numbers.insert(detail::own_stripe);
  }
  EXPECT_EQ(numbers.size(), MAXLAT_STRIPED_MAX - 1);
  EXPECT_EQ(*numbers.begin(), 1u);
  detail::own_stripe = 0;
  {
    const OwnStripe one_too_many;
    EXPECT_EQ(detail::own_stripe, 0u);
  }
  taken.pop_back();
  const OwnStripe free_again;
  EXPECT_EQ(detail::own_stripe, MAXLAT_STRIPED_MAX - 1);
}

TEST(Striped, AChildHasTheNumbersOfThreadsThatItHasNot) {
  const OwnStripe stripe;
  const std::uint32_t mine = detail::own_stripe;
  std::atomic<bool> there{false}, end{false};
  std::thread other([&] {
    const OwnStripe its_own;
    there.store(true);
    there.notify_all();
    end.wait(false);
  });
  there.wait(false);
  TestGroup<ManyPost> group;  // forks are watched from the first group on
  const pid_t child = fork();
  if (child == 0) {
    std::uint32_t next = 0;
    const bool kept = detail::own_stripe == mine;
    detail::own_stripe = 0;  // as a second thread of the child would find it
    {
      const OwnStripe second;
      next = detail::own_stripe;
    }
    _exit(kept && next != 0 && next != mine && next <= 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  end.store(true);
  end.notify_all();
  other.join();
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace maxlat::sensors
