// SPDX-License-Identifier: MIT
// A storm: four threads make, start, stop and destroy sessions at random, while four others trace, flush, fork and have
// threads that end; signals come at any moment, and their handlers take time and trace. Every session that was stopped
// must have in its rings what its books say.
//
// MAXLAT_STORM_SECONDS: how long, 2 by default. MAXLAT_STORM_SEED: the order of steps; only the kernel's is not in it.
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <maxlat/trace/probe.hpp>
#include <optional>
#include <random>
#include <thread>

#include "session/test_child.hpp"
#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(storm, number, (std::uint64_t, n))
MAXLAT_TRACE_EVENT(storm, text, (std::uint64_t, n), (maxlat::trace::String<24>, text))
MAXLAT_TRACE_EVENT(storm, handler, (std::uint64_t, n))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using Random = std::mt19937_64;

constexpr unsigned kControllers = 4, kWorkers = 4;
#ifdef __SANITIZE_THREAD__  // a process with threads that forks is nothing for it
constexpr bool kForks = false;
#else
constexpr bool kForks = true;
#endif

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

std::uint64_t below(Random& random, std::uint64_t end) {
  return random() % end;
}

// What was done, so that a storm in which nothing happens is no pass.
struct Done {
  std::atomic<std::uint64_t> sessions{0}, starts{0}, recorded{0}, forks{0}, threads{0}, flushes{0}, signals{0};
};

ChannelOptions some_channel(Random& random, const char* name) {
  const bool per_cpu = below(random, 3) == 0;
  return {.name = name,
          .when_full = below(random, 2) == 0 ? FullBuffer::discard : FullBuffer::overwrite,
          .ownership = per_cpu ? Ownership::per_cpu : Ownership::per_thread,
          .sub_buffer_size = 4096,
          .sub_buffers = 2,
          .slots = static_cast<std::uint32_t>(1 + below(random, 8)),
          .context = per_cpu || below(random, 2) == 0 ? Context::none : Context::cpu};
}

// One controller's session, from its making to its end.
class StormySession {
 public:
  StormySession(Random& random, unsigned controller, Done& done)
      : options_{some_channel(random, "one"), some_channel(random, "two")},
        recording_({options_.begin(), options_.end()}, "storm" + std::to_string(controller)),
        done_(done) {
    ++done_.sessions;
  }
  ~StormySession() {
    stop();
    if (started_) compare_with_books();
  }
  StormySession(const StormySession&) = delete;
  StormySession& operator=(const StormySession&) = delete;

  void step(Random& random) {
    const char* channel = below(random, 2) == 0 ? "one" : "two";
    const char* pattern = std::array{"storm:*", "*:number", "storm:text", "*:handler"}[below(random, 4)];
    switch (below(random, 5)) {
      case 0:
        return Recording::expect_ok(recording_.session.enable(channel, pattern));
      case 1:
        return Recording::expect_ok(recording_.session.disable(channel, pattern));
      case 2:
        return start();
      case 3:
        return stop();
      default:
        (void)recording_.session.status();
    }
  }

 private:
  void start() {
    if (running_) return;
    Recording::expect_ok(recording_.session.start());
    running_ = started_ = true;
    ++done_.starts;
  }
  void stop() {
    if (!running_) return;
    Recording::expect_ok(recording_.session.stop());
    running_ = false;
  }

  // What is overwritten is in no ring any more.
  void compare_with_books() {
    std::array<std::uint64_t, 2> found{};
    for (const Recorded& record : Memory(recording_.session).take()) ++found.at(record.channel);
    for (std::size_t channel = 0; channel < found.size(); ++channel) {
      const std::uint64_t recorded = recording_.books(channel).recorded;
      if (options_[channel].when_full == FullBuffer::discard)
        EXPECT_EQ(found[channel], recorded);
      else
        EXPECT_LE(found[channel], recorded);
      done_.recorded += found[channel];
    }
  }

  std::array<ChannelOptions, 2> options_;
  Recording recording_;
  Done& done_;
  bool running_ = false, started_ = false;
};

void trace_some(Random& random) {
  for (std::uint64_t n = below(random, 300); n > 0; --n) {
    MAXLAT_TRACE(storm, number, n);
    MAXLAT_TRACE(storm, text, n, "a text of some length");
  }
}

void control(Random random, unsigned number, const std::atomic<bool>& over, Done& done) {
  while (!over.load(std::memory_order_relaxed)) {
    StormySession session(random, number, done);
    for (std::uint64_t steps = below(random, 20); steps > 0; --steps) session.step(random);
  }
}

void work(Random random, const std::atomic<bool>& over, Done& done) {
  while (!over.load(std::memory_order_relaxed)) {
    switch (below(random, 64)) {
      case 0: {
        if (!kForks) break;
        ++done.forks;
        EXPECT_EQ(in_child([] {
                    MAXLAT_TRACE(storm, number, 0);
                    return Session::all().empty() ? 0 : 1;
                  }),
                  0);
        break;
      }
      case 1:
      case 2: {
        ++done.threads;
        std::thread([seed = random()] {
          Random own(seed);
          if (below(own, 2) == 0) (void)prepare_thread();
          trace_some(own);
        }).join();
        break;
      }
      case 3:
        (void)prepare_thread();
        break;
      case 4:
      case 5: {
        ++done.flushes;
        flush();
        break;
      }
      default:
        trace_some(random);
    }
  }
}

// The delays: a handler that takes up to 100 us, wherever its thread is just then.
std::atomic<std::uint64_t> handled{0};
void delay(int) {
  const int error = errno;
  const std::uint64_t n = handled.fetch_add(1);
  MAXLAT_TRACE(storm, handler, n);
  const timespec pause{0, static_cast<long>(n % 101) * 1000};
  nanosleep(&pause, nullptr);
  errno = error;
}

TEST(Storm, OfSessionsOverThreadsThatTraceFlushForkAndEnd) {
  const std::uint64_t seconds = setting("MAXLAT_STORM_SECONDS", 2), seed = setting("MAXLAT_STORM_SEED", 1);
  struct sigaction action {
  }, before{};
  action.sa_handler = delay;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Random random(seed);
  Done done;
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < kControllers; ++n)
    threads.emplace_back([n, &over, &done, own = Random(random())] { control(own, n, over, done); });
  for (unsigned n = 0; n < kWorkers; ++n)
    threads.emplace_back([&over, &done, own = Random(random())] { work(own, over, done); });

  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const auto all_seen = [&] {
    return done.sessions > 20 && done.starts > 0 && done.recorded > 0 && (done.forks > 0 || !kForks) &&
           done.threads > 0 && done.flushes > 0 && done.signals > 0;
  };
  // A machine that is busy may need longer until each kind of thing has happened once.
  while (std::chrono::steady_clock::now() < end || !all_seen()) {
    EXPECT_EQ(pthread_kill(threads[below(random, threads.size())].native_handle(), SIGUSR1), 0);
    ++done.signals;
    std::this_thread::sleep_for(std::chrono::microseconds(below(random, 500)));
  }
  over.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Session::all().empty());
  std::printf("seed %lu: %lu sessions, %lu starts, %lu events read, %lu forks, %lu threads, %lu flushes, %lu signals\n",
              seed, done.sessions.load(), done.starts.load(), done.recorded.load(), done.forks.load(),
              done.threads.load(), done.flushes.load(), done.signals.load());
  EXPECT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

}  // namespace
