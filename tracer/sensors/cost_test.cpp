// SPDX-License-Identifier: MIT
// Instructions of a post, counted by single-stepping: figures that noise cannot touch; and those of them that lock. A
// post to a sensor of a global group, as programs have them. The figures bind the compiler that ships (gcc); clang is
// given a tenth more.
#include <gtest/gtest.h>

#include <initializer_list>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/map.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/striped.hpp>
#include <maxlat/sensors/trace_ring.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <string>
#include <string_view>

#include "ring/test_single_step.hpp"

MAXLAT_TRACE_EVENT(weighed, event, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))
MAXLAT_TRACE_EVENT(weighed, nothing)
MAXLAT_TRACE_EVENT(weighed, text, (maxlat::trace::String<1000>, text))

namespace {

using namespace maxlat::sensors;
using maxlat::ring_test::SingleStep;

struct Weighed {
  Counter counter{"counter"};
  SharedCounter shared_counter{"shared_counter"};
  StripedCounter<64> striped_counter{"striped_counter"};
  Gauge gauge{"gauge"};
  Stat stat{"stat"};
  Counters<4> counters{"counters", {"a", "b", "c", "d"}};
  Histogram<> histogram{"histogram"};
  LinearHistogram<Cells{.low = 1, .width = 10, .count = 100}> linear{"linear"};
  Map<Cells{.low = 0, .width = 16, .count = 25}, Cells{.low = 0, .width = 16, .count = 25}> map{
      "map", "ns", {"x"}, {"y"}};
  EventList<64, MAXLAT_LISTED_EVENT(weighed, event)> events{"events"};
  SharedEventList<64, MAXLAT_LISTED_EVENT(weighed, event)> shared_events{"shared_events"};
  VarEventList<64, 2048, MAXLAT_LISTED_EVENT(weighed, event), MAXLAT_LISTED_EVENT(weighed, nothing),
               MAXLAT_LISTED_EVENT(weighed, text)>
      var_events{"var_events"};
  TraceRing<4, 65536, MAXLAT_LISTED_EVENT(weighed, event)> trace{"trace"};
};
constinit SensorGroup<Weighed> weighed;

// As those of one thread, where a kind has both.
struct SharedOnes {
  SharedGauge gauge{"gauge"};
  SharedStat stat{"stat"};
  SharedCounters<4> counters{"counters", {"a", "b", "c", "d"}};
  SharedHistogram<> histogram{"histogram"};
  SharedLinearHistogram<Cells{.low = 1, .width = 10, .count = 100}> linear{"linear"};
  SharedMap<Cells{.low = 0, .width = 16, .count = 25}, Cells{.low = 0, .width = 16, .count = 25}> map{
      "map", "ns", {"x"}, {"y"}};
};
constinit SensorGroup<SharedOnes> shared_ones;

using Post = void (*)(std::uint64_t);
__attribute__((noinline)) void counter(std::uint64_t) { weighed->counter.add(); }
__attribute__((noinline)) void shared_counter(std::uint64_t) { weighed->shared_counter.add(); }
__attribute__((noinline)) void striped_counter(std::uint64_t) { weighed->striped_counter.add(); }
__attribute__((noinline)) void gauge(std::uint64_t value) { weighed->gauge.set(static_cast<std::int64_t>(value)); }
__attribute__((noinline)) void stat(std::uint64_t value) { weighed->stat.post(static_cast<std::int64_t>(value)); }
__attribute__((noinline)) void counters(std::uint64_t value) { weighed->counters.add(value); }
__attribute__((noinline)) void bucket(std::uint64_t value) { weighed->histogram.count_in_range(value); }
__attribute__((noinline)) void histogram(std::uint64_t value) { weighed->histogram.post(value); }
__attribute__((noinline)) void linear_bucket(std::uint64_t value) { weighed->linear.count(value); }
__attribute__((noinline)) void linear(std::uint64_t value) { weighed->linear.post(value); }
__attribute__((noinline)) void map(std::uint64_t value) { weighed->map.post(value, value + 1, value); }
__attribute__((noinline)) void events(std::uint64_t value) {
  MAXLAT_POST(weighed->events, weighed, event, value, 1, 2);
}
__attribute__((noinline)) void shared_events(std::uint64_t value) {
  MAXLAT_POST(weighed->shared_events, weighed, event, value, 1, 2);
}
__attribute__((noinline)) void var_events(std::uint64_t value) {
  MAXLAT_POST(weighed->var_events, weighed, event, value, 1, 2);
}
__attribute__((noinline)) void trace(std::uint64_t value) {
  MAXLAT_POST(weighed->trace, weighed, event, value, 1, 2);
}
__attribute__((noinline)) void var_text(std::uint64_t size) {
  static const std::string text(1000, 'x');
  MAXLAT_POST(weighed->var_events, weighed, text, std::string_view(text).substr(0, size));
}
// What the counting itself costs: the same call of a function that does nothing.
__attribute__((noinline)) void nothing(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

__attribute__((noinline)) std::uint64_t steps_of(Post post, std::uint64_t value = 3) {
  const SingleStep stepper;
  SingleStep::interrupt(UINT64_MAX, nullptr, [&] { post(value); });
  return SingleStep::steps();
}

struct Limit {
  const char* what;
  Post post;
  std::uint64_t instructions;
};

TEST(SensorCost, IsWhatTheHeadersSay) {
  const OwnStripe stripe;
  for (const Limit& limit :
       {Limit{"counter", counter, 1}, Limit{"counter, shared", shared_counter, 1},
        Limit{"counter, striped", striped_counter, 8}, Limit{"gauge", gauge, 1}, Limit{"stat", stat, 10},
        Limit{"counters", counters, 6}, Limit{"histogram, bucket", bucket, 10}, Limit{"histogram", histogram, 27},
        Limit{"linear, bucket", linear_bucket, 10}, Limit{"linear", linear, 17}, Limit{"map", map, 14},
        Limit{"events", events, 43}, Limit{"events, shared", shared_events, 43},
        Limit{"events, varying", var_events, 69}, Limit{"trace", trace, 96}}) {
    limit.post(5);
    limit.post(2);  // the extremes are there
    const std::uint64_t count = steps_of(limit.post) - steps_of(nothing);
    std::printf("%s: %lu instructions\n", limit.what, static_cast<unsigned long>(count));
    testing::Test::RecordProperty(limit.what, std::to_string(count));
#ifdef __clang__
    EXPECT_LE(count, limit.instructions + (limit.instructions + 9) / 10) << limit.what;
#else
    EXPECT_LE(count, limit.instructions) << limit.what;
#endif
  }
}

// The values are new extremes, within the range, beyond it, and again.
std::uint64_t locked_in(Post post, std::initializer_list<std::uint64_t> values = {5, 2, 9, 1ull << 60, 3}) {
  std::uint64_t locked = 0;
  for (const std::uint64_t value : values) {
    steps_of(post, value);
    locked += SingleStep::locked();
  }
  return locked;
}

// The control: what would not be seen if nothing were. An exchange with memory locks without a prefix.
TEST(SensorCost, LockedInstructionsAreSeen) {
  static std::uint64_t word;
  EXPECT_EQ(locked_in([](std::uint64_t value) { asm volatile("lock addq %1, %0"
                                                             : "+m"(word)
                                                             : "r"(value)); }, {1}),
            1u);
  EXPECT_EQ(locked_in([](std::uint64_t value) { asm volatile("xchgq %1, %0" : "+m"(word), "+r"(value)); }, {1}), 1u);
  EXPECT_EQ(
      locked_in([](std::uint64_t value) { asm volatile("cmpxchgq %1, %0"
                                                       : "+m"(word)
                                                       : "r"(value)
                                                       : "rax"); }, {1}),
      0u);
}

TEST(SensorCost, APostOfItsOwnThreadLocksNothing) {
  const OwnStripe stripe;
  trace(1);  // a new packet locks (trace_ring.hpp), and this one begins the first
  struct Own {
    const char* what;
    Post post;
  };
  for (const Own& own :
       {Own{"counter", counter}, Own{"counter, striped", striped_counter}, Own{"gauge", gauge},
        Own{"gauge, added", [](std::uint64_t) { weighed->gauge.add(); }}, Own{"stat", stat}, Own{"counters", counters},
        Own{"histogram, bucket", [](std::uint64_t value) { bucket(value & 7); }}, Own{"histogram", histogram},
        Own{"linear, bucket", linear_bucket}, Own{"linear", linear}, Own{"map", map}, Own{"events", events},
        Own{"events, varying", var_events}, Own{"trace", trace}})
    EXPECT_EQ(locked_in(own.post), 0u) << own.what;
}

TEST(SensorCost, APostToASharedOneLocks) {
  struct Shared {
    const char* what;
    Post post;
  };
  for (const Shared& shared :
       {Shared{"counter", shared_counter}, Shared{"gauge", [](std::uint64_t) { shared_ones->gauge.add(); }},
        Shared{"stat", [](std::uint64_t value) { shared_ones->stat.post(static_cast<std::int64_t>(value)); }},
        Shared{"counters", [](std::uint64_t value) { shared_ones->counters.add(value); }},
        Shared{"histogram, bucket", [](std::uint64_t value) { shared_ones->histogram.count_in_range(value & 7); }},
        Shared{"histogram", [](std::uint64_t value) { shared_ones->histogram.post(value); }},
        Shared{"linear, bucket", [](std::uint64_t value) { shared_ones->linear.count(value); }},
        Shared{"linear", [](std::uint64_t value) { shared_ones->linear.post(value); }},
        Shared{"map", [](std::uint64_t value) { shared_ones->map.post(value, value + 1, value); }},
        Shared{"events", shared_events}})
    for (const std::uint64_t value : {5, 2, 9, 3}) EXPECT_GE(locked_in(shared.post, {value}), 1u) << shared.what;
}

// A large event that comes to a full list takes the bytes of many small ones, or of one: it is all the same to it.
TEST(SensorCost, OfAListDoesNotDependOnWhatIsInIt) {
  var_text(1000);
  var_text(1000);
  const std::uint64_t over_large_ones = steps_of(var_text, 999);
  for (int i = 0; i < 200; ++i) var_text(0);
  EXPECT_EQ(steps_of(var_text, 999), over_large_ones);
  for (int i = 0; i < 200; ++i) MAXLAT_POST(weighed->var_events, weighed, nothing);
  EXPECT_EQ(steps_of(var_text, 999), over_large_ones);
}

}  // namespace
