// SPDX-License-Identifier: MIT
// Many threads, signal handlers in the middle of probes, threads at their end: and books that balance to the event.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <maxlat/trace/probe.hpp>
#include <thread>

#include "session/test_recording.hpp"
#include "session/threads.hpp"

MAXLAT_TRACE_EVENT(threads, always, (std::uint64_t, n), (std::uint32_t, thread))
MAXLAT_TRACE_EVENT(threads, now_and_then, (std::uint64_t, n), (maxlat::trace::String<16>, text))
MAXLAT_TRACE_EVENT(threads, handler, (std::uint64_t, n))

namespace {

using namespace maxlat;
using namespace maxlat::trace;
using namespace maxlat::trace::test;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kEvents = 20'000;
#else
constexpr std::uint64_t kEvents = 300'000;
#endif

ChannelOptions overwriting() {
  return {.name = "all", .when_full = FullBuffer::overwrite, .sub_buffer_size = 4096};
}

void trace_many(std::uint32_t thread, std::uint64_t count) {
  for (std::uint64_t n = 0; n < count; ++n) MAXLAT_TRACE(threads, always, n, thread);
}

// A thread that is prepared has a ring in every later session: the main thread of a test is none when the next begins.
class EachTestBeginsUnprepared : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override { detail::thread_state.prepared = false; }
};
[[maybe_unused]] const bool begins_unprepared = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new EachTestBeginsUnprepared);
  return true;
}();

class Threads : public testing::TestWithParam<ChannelOptions> {};

TEST_P(Threads, BooksAreExactWhileOthersEnableStopAndDestroy) {
  Recording recording({GetParam()});
  recording.start("threads:always");
  std::atomic<bool> done{false};
  std::thread control([&] {
    for (int round = 0; !done.load(); ++round) {
      Recording other({GetParam(), {.name = "cpu", .ownership = Ownership::per_cpu, .sub_buffer_size = 4096}}, "other");
      other.start("threads:*");
      Recording::expect_ok(other.session.enable("cpu", round % 2 == 0 ? "*:always" : "*:now*"));
      Recording::expect_ok(recording.session.enable("all", "*:now_and_then"));
      Recording::expect_ok(recording.session.disable("all", "*:now_and_then"));
      Recording::expect_ok(other.session.stop());
      Recording::expect_ok(other.session.start());
    }
  });
  std::vector<std::thread> workers;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    workers.emplace_back([thread] {
      for (std::uint64_t n = 0; n < kEvents; ++n) {
        MAXLAT_TRACE(threads, always, n, thread);
        MAXLAT_TRACE(threads, now_and_then, n, "now");
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  done.store(true);
  control.join();
  const std::vector<Recorded> all = recording.finish();
  const Books books = recording.books();
  const std::uint64_t lost = books.produced() - books.recorded;
  std::uint64_t always = 0;
  for (const Recorded& record : all) always += record.id == MaxlatTraceEvent_threads_always::event.id;
  if (GetParam().when_full == FullBuffer::discard) {
    EXPECT_EQ(books.recorded, all.size());
    EXPECT_GE(always + lost, 4 * kEvents);
  }
  EXPECT_GE(books.produced(), 4 * kEvents);
  EXPECT_LE(books.produced(), 8 * kEvents);
  EXPECT_EQ(books.lost_no_ring, 0u);
}

TEST_P(Threads, ProducedIsRecordedAndLost) {
  Recording recording({GetParam()});
  recording.start("threads:always");
  std::vector<std::thread> workers;
  for (std::uint32_t thread = 0; thread < 4; ++thread) workers.emplace_back(trace_many, thread, kEvents);
  for (std::thread& worker : workers) worker.join();
  recording.finish();
  EXPECT_EQ(recording.books().produced(), 4 * kEvents);
}

TEST_P(Threads, ComeAndGo) {
  ChannelOptions options = GetParam();
  options.slots = 4;
  Recording recording({options});
  recording.start("threads:always");
  for (std::uint32_t thread = 0; thread < 40; ++thread) std::thread(trace_many, thread, 100).join();
  recording.finish();
  const Books books = recording.books();
  EXPECT_EQ(books.produced(), 4000u);
  if (GetParam().ownership == Ownership::per_cpu) {
    EXPECT_EQ(books.lost_no_ring, 0u);
  } else if (GetParam().when_full == FullBuffer::discard) {
    EXPECT_EQ(books.lost_no_ring, 3600u);  // nobody frees a slot
  } else {
    EXPECT_EQ(books.lost_no_ring, 0u);  // the oldest slots are taken again
  }
}

INSTANTIATE_TEST_SUITE_P(
    Channels, Threads,
    testing::Values(ChannelOptions{.name = "all", .sub_buffer_size = 1 << 16}, overwriting(),
                    ChannelOptions{.name = "all", .ownership = Ownership::per_cpu, .sub_buffer_size = 1 << 16},
                    ChannelOptions{.name = "all", .delivery = Delivery::wakeup, .sub_buffer_size = 4096}),
    [](const auto& setting) {
      return std::string(setting.param.ownership == Ownership::per_cpu ? "cpu" : "thread") +
             (setting.param.when_full == FullBuffer::overwrite ? "_overwrite" : "_discard") +
             (setting.param.delivery == Delivery::wakeup ? "_wakeup" : "");
    });

// A session that takes the number of one that is gone: what a thread remembers of the old one is not to be touched. The
// thread is in and out of both calls at any time; ThreadSanitizer sees a ring that was freed, others may crash.
TEST(ThreadsCall, FlushAndPrepareWhileSessionsComeAndGo) {
  std::atomic<bool> done{false};
  std::thread worker([&] {
    while (!done.load(std::memory_order_relaxed)) {
      MAXLAT_TRACE(threads, always, 1, 1u);
      for (int i = 0; i < 50; ++i) flush();
      prepare_thread();
    }
  });
  for (int round = 0; round < 150; ++round) {
    Recording recording({{.name = "all", .sub_buffer_size = 4096, .sub_buffers = 2, .slots = 2}});
    recording.start("threads:always");
    const int events = round % 2 == 0 ? 3 : 0;  // sometimes for as long as the worker needs to be seen in it
    while (recording.books().produced() < static_cast<std::uint64_t>(events)) std::this_thread::yield();
  }
  done.store(true);
  worker.join();
}

TEST(ThreadEnds, ASlotThatTheConsumerFreedIsClaimedAgain) {
  Recording recording({{.name = "all", .sub_buffer_size = 4096, .slots = 1}});
  recording.start("threads:always");
  Memory memory(recording.session);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    std::thread(trace_many, thread, 5).join();
    EXPECT_EQ(memory.slot(0, 0).word & MAXLAT_SHM_STATE_MASK, static_cast<std::uint64_t>(MAXLAT_SHM_ENDED));
    const std::vector<Recorded> taken = memory.take();
    ASSERT_EQ(taken.size(), 5u);
    EXPECT_EQ(taken[0].at<std::uint32_t>(8), thread);
    memory.free_slot(0, 0);
  }
  EXPECT_EQ(recording.books().recorded, 15u);
  EXPECT_EQ(recording.books().lost_no_ring, 0u);
}

// One moment without a free slot is not for the life of the thread: it looks at one more slot with each event it loses.
TEST(ThreadEnds, AThreadThatFoundNoSlotTakesOneThatIsFreedLater) {
  constexpr std::uint32_t kSlots = 3;
  Recording recording({{.name = "all", .sub_buffer_size = 4096, .slots = kSlots}});
  recording.start("threads:always");
  Memory memory(recording.session);
  for (std::uint32_t i = 0; i < kSlots; ++i) std::thread(trace_many, i, 1).join();
  MAXLAT_TRACE(threads, always, 1, 7u);
  EXPECT_EQ(recording.books().lost_no_ring, 1u);
  memory.take();
  memory.free_slot(0, 1);
  trace_many(7, kSlots);
  EXPECT_LE(recording.books().lost_no_ring, kSlots);
  trace_many(7, 10);
  EXPECT_LE(recording.books().lost_no_ring, kSlots);
  EXPECT_EQ(memory.slot(0, 1).word & MAXLAT_SHM_STATE_MASK, static_cast<std::uint64_t>(MAXLAT_SHM_LIVE));
  recording.finish();
  EXPECT_EQ(recording.books().produced(), kSlots + 1 + kSlots + 10u);
}

// As a thread that was stopped by a debugger in the middle of a probe.
TEST(Stop, WaitsForAThreadInsideAProbeAndThenSaysSo) {
  const int before = detail::patience_seconds;
  detail::patience_seconds = 0;
  Recording recording, abandoned({Recording::small()}, "abandoned");
  recording.start("threads:always");
  abandoned.start("threads:handler");
  std::atomic<int> stage{0};
  std::thread stuck([&] {
    MAXLAT_TRACE(threads, always, 1, 1u);
    detail::enter(detail::thread_state);
    stage.store(1);
    while (stage.load() == 1) std::this_thread::yield();
    detail::leave(detail::thread_state);
  });
  while (stage.load() == 0) std::this_thread::yield();
  const base::Status stopped = recording.session.stop();
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().text.find("inside a probe"), std::string::npos);
  EXPECT_EQ(stopped.error().exit_status, base::Exit::invalid);
  EXPECT_FALSE(recording.session.stop().ok());  // asked again, it is no more true
  const base::Status started = recording.session.start();
  ASSERT_FALSE(started.ok());  // that thread would be in both
  EXPECT_NE(started.error().text.find("inside a probe"), std::string::npos) << started.error().text;
  EXPECT_FALSE(abandoned.session.destroy().ok());  // its memory stays
  EXPECT_EQ(abandoned.session.status().state, SessionState::destroyed);
  stage.store(2);
  stuck.join();
  detail::patience_seconds = before;
  Recording::expect_ok(recording.session.stop());
  Recording::expect_ok(recording.session.start());
  Recording::expect_ok(recording.session.destroy());
  EXPECT_EQ(recording.books().produced(), 1u);
}

struct TracesAtTheEnd {
  ~TracesAtTheEnd() { MAXLAT_TRACE(threads, handler, 1); }
};

TEST(ThreadEnds, ThreadLocalDestructorsTrace) {
  Recording recording;
  recording.start("threads:*");
  std::thread([] {
    static thread_local TracesAtTheEnd at_the_end;
    (void)&at_the_end;
    MAXLAT_TRACE(threads, always, 1, 1u);
  }).join();
  EXPECT_EQ(recording.finish().size(), 2u);
}

#ifndef __SANITIZE_THREAD__  // whose own last round is before those in which liburcu is needed here
// A key's destructor that comes back until the last round: the last of its events may be too late, and is counted then.
pthread_key_t late_key;
void late(void* left) {
  MAXLAT_TRACE(threads, handler, 2);
  const auto rounds = reinterpret_cast<std::uintptr_t>(left);
  if (rounds > 1) pthread_setspecific(late_key, reinterpret_cast<void*>(rounds - 1));
}

TEST(ThreadEnds, WhatOtherKeysDestructorsTraceIsRecordedOrCounted) {
  ASSERT_EQ(pthread_key_create(&late_key, late), 0);
  {
    Recording recording;
    recording.start("threads:*");
    std::thread([] {
      pthread_setspecific(late_key, reinterpret_cast<void*>(PTHREAD_DESTRUCTOR_ITERATIONS));
      MAXLAT_TRACE(threads, always, 1, 1u);
    }).join();
    recording.finish();
    EXPECT_EQ(recording.books().produced(), 1u + PTHREAD_DESTRUCTOR_ITERATIONS);
    EXPECT_GE(recording.books().recorded, PTHREAD_DESTRUCTOR_ITERATIONS - 2u);
  }
  pthread_key_delete(late_key);
}
#endif

// Handlers at a high rate, from the thread's very first event, which claims its ring, to the last.
std::atomic<std::uint64_t> handled{0};
void trace_in_handler(int) {
  const std::uint64_t n = handled.fetch_add(1);
  MAXLAT_TRACE(threads, handler, n);
}

TEST_P(Threads, HandlersInTheMiddleOfProbes) {
  struct sigaction action {
  }, before{};
  action.sa_handler = trace_in_handler;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Recording recording({GetParam()});
  recording.start("threads:*");
  handled.store(0);
  std::thread([] {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR1;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    timer_t timer{};
    ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    const itimerspec often{{0, 20'000}, {0, 20'000}};
    ASSERT_EQ(timer_settime(timer, 0, &often, nullptr), 0);
    for (std::uint64_t n = 0; n < kEvents || handled.load() < 200; ++n) {
      if (n < kEvents) MAXLAT_TRACE(threads, always, n, 0u);
    }
    timer_delete(timer);
    timespec pause{0, 1'000'000};
    while (nanosleep(&pause, &pause) != 0) {  // the last of them
    }
  }).join();
  recording.finish();
  EXPECT_GE(handled.load(), 200u);
  EXPECT_EQ(recording.books().produced(), kEvents + handled.load());
  EXPECT_EQ(recording.books().lost_no_ring, 0u);
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
