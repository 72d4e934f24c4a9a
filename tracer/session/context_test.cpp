// SPDX-License-Identifier: MIT
// The CPU of each event, as context of a channel: it is the right one, on every way that a probe can take, and no
// channel ever gets a record of the other kind.
#include <sched.h>

#include <array>
#include <atomic>
#include <maxlat/trace/probe.hpp>
#include <thread>

#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(context, fixed, (std::uint64_t, a), (std::uint64_t, b))
MAXLAT_TRACE_EVENT(context, text, (maxlat::trace::String<32>, words))
MAXLAT_TRACE_EVENT(context, bare)

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

ChannelOptions with_cpu(std::string name = "all") {
  return {.name = std::move(name), .sub_buffer_size = 1 << 16, .context = Context::cpu};
}

// The calling thread on one CPU after another, and then where it was.
template <class Function>
void on_each_cpu(Function function) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
    function(cpu);
  }
  sched_setaffinity(0, sizeof(before), &before);
}

class ContextByDelivery : public testing::TestWithParam<Delivery> {
 protected:
  ChannelOptions channel() const {
    ChannelOptions options = with_cpu();
    options.delivery = GetParam();
    return options;
  }
};

TEST_P(ContextByDelivery, IsTheCpuThatTheEventWasTracedOn) {
  Recording recording({channel()});
  recording.start("context:*");
  std::vector<unsigned> cpus;
  on_each_cpu([&](unsigned cpu) {
    cpus.push_back(cpu);
    MAXLAT_TRACE(context, fixed, cpu, 7);
    MAXLAT_TRACE(context, text, "some words");
    MAXLAT_TRACE(context, bare);
  });
  const std::vector<Recorded> all = recording.finish();
  ASSERT_EQ(all.size(), 3 * cpus.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].at<std::uint64_t>(0), cpus[i / 3]) << i;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    ASSERT_EQ(all[i].payload.size(), 24u);
    EXPECT_EQ(all[i].at<std::uint64_t>(8), cpus[i / 3]);
    EXPECT_EQ(all[i].at<std::uint64_t>(16), 7u);
    ASSERT_EQ(all[i + 1].payload.size(), 24u);
    EXPECT_STREQ(reinterpret_cast<const char*>(all[i + 1].payload.data()) + 8, "some words");
    EXPECT_EQ(all[i + 2].payload.size(), 8u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ContextByDelivery, testing::Values(Delivery::timer, Delivery::wakeup),
                         [](const auto& delivery) { return delivery.param == Delivery::timer ? "timer" : "wakeup"; });

TEST(Context, EachOfTwoChannelsGetsItsOwnKindOfRecord) {
  Recording recording({with_cpu("with"), {.name = "without", .sub_buffer_size = 1 << 16}});
  for (const char* channel : {"with", "without"}) Recording::expect_ok(recording.session.enable(channel, "context:*"));
  Recording::expect_ok(recording.session.start());
  MAXLAT_TRACE(context, fixed, 1, 2);
  MAXLAT_TRACE(context, bare);
  const std::vector<Recorded> all = recording.finish();
  ASSERT_EQ(all.size(), 4u);
  for (const Recorded& record : all) {
    const bool is_fixed = record.payload.size() >= 16;
    EXPECT_EQ(record.payload.size(), (is_fixed ? 16u : 0u) + (record.channel == 0 ? 8u : 0u));
    if (is_fixed) {
      EXPECT_EQ(record.at<std::uint64_t>(record.channel == 0 ? 8 : 0), 1u);
    }
  }
}

// Packets begin and end, and the ring is full in the end: every way into it.
TEST(Context, IsInEveryRecordOfAFullRing) {
  ChannelOptions small = with_cpu();
  small.sub_buffer_size = 4096;
  small.sub_buffers = 2;
  for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
    small.when_full = mode;
    Recording recording({small});
    recording.start("context:*");
    for (std::uint64_t i = 0; i < 1000; ++i) {
      MAXLAT_TRACE(context, fixed, i, ~i);
      MAXLAT_TRACE(context, text, "abcdefghijklmnopqrstuvwxyz");
    }
    const std::vector<Recorded> all = recording.finish();
    EXPECT_GT(all.size(), 100u);
    for (const Recorded& record : all) {
      EXPECT_LT(record.at<std::uint64_t>(0), static_cast<std::uint64_t>(CPU_SETSIZE));
      if (record.payload.size() == 24) {
        EXPECT_EQ(record.at<std::uint64_t>(8), ~record.at<std::uint64_t>(16));
      }
    }
    const Books books = recording.books();
    EXPECT_EQ(books.produced(), 2000u);
    EXPECT_EQ(books.recorded + books.lost_full, 2000u);
  }
}

// The same event goes to a channel of the one kind, then of the other, which may have the number of the first, while
// threads trace it.
TEST(Context, NoChannelGetsARecordOfTheOtherKindWhileSessionsComeAndGo) {
  std::atomic<bool> enough{false};
  std::array<std::thread, 3> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (std::uint64_t i = 0; !enough.load(); ++i) MAXLAT_TRACE(context, fixed, i, ~i);
    });
  }
  std::size_t seen = 0;
  for (int round = 0; round < 40 || seen == 0; ++round) {
    const bool cpu = round % 2 == 0;
    Recording recording({cpu ? with_cpu() : Recording::small()}, cpu ? "with" : "without");
    recording.start("context:*");
    std::this_thread::yield();
    for (const Recorded& record : recording.finish()) {
      ASSERT_EQ(record.payload.size(), cpu ? 24u : 16u) << "round " << round;
      ASSERT_EQ(record.at<std::uint64_t>(cpu ? 8 : 0), ~record.at<std::uint64_t>(cpu ? 16 : 8));
      ++seen;
    }
  }
  enough.store(true);
  for (std::thread& thread : threads) thread.join();
}

TEST(Context, RingsPerCpuDoNotTakeIt) {
  auto session = *Session::create({.name = "refuses"});
  ChannelOptions options = with_cpu();
  options.ownership = Ownership::per_cpu;
  const auto refused = session.add_channel(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text.find("with rings per CPU"), std::string::npos);
  Recording::expect_ok(session.destroy());
}

}  // namespace
