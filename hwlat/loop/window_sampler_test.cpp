// SPDX-License-Identifier: MIT
#include "window_sampler.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/test/moved_thread.hpp>
#include <numeric>
#include <thread>

namespace maxlat::hwlat {
namespace {

// A slow machine under ThreadSanitizer takes 14 ms to make a sampler and touch its books. A run begins after that.
constexpr uint64_t kToMakeOne_ns = 100'000'000;

WindowSpec spec_of(uint64_t window_ms, uint64_t width_ms, uint64_t duration_ms) {
  WindowSpec spec;
  spec.window_ns = window_ms * 1'000'000;
  spec.width_ns = width_ms * 1'000'000;
  spec.duration_ns = duration_ms * 1'000'000;
  spec.ticks_per_ns = base::calibrate().ticks_per_ns;
  spec.outliers = 8;
  spec.start_monotonic_ns = base::monotonic_ns() + kToMakeOne_ns;
  return spec;
}

uint64_t ms(const WindowSpec& spec, double milliseconds) {
  return static_cast<uint64_t>(milliseconds * 1e6 * spec.ticks_per_ns);
}

// A machine that stalls for longer than a window spoils a run: then another, until one was left alone to watch
// `least_ms` of every window. Returns the last one's books in any case, for the assertions to judge.
Books books_of_a_quiet_run(uint64_t window_ms, uint64_t width_ms, uint64_t duration_ms, double least_ms) {
  constexpr int kTries = 50;
  for (int attempt = 1;; ++attempt) {
    const WindowSpec spec = spec_of(window_ms, width_ms, duration_ms);
    WindowSampler sampler(spec);
    const std::atomic<bool> stop{false};
    sampler.run(stop);
    const Books books = sampler.books();
    const size_t windows = books.largest_of_window.size();
    if (attempt == kTries || (windows > 0 && books.watched_ticks >= windows * ms(spec, least_ms))) return books;
  }
}

// What is watched is the width of each window, in every book: the sum of all gaps, the exposure, one maximum a window.
TEST(WindowSampler, WatchesTheWidthOfEachWindowAndNothingElse) {
  const WindowSpec spec = spec_of(40, 10, 200);
  const Books books = books_of_a_quiet_run(40, 10, 200, 9.9);
  const size_t windows = books.largest_of_window.size();
  // A machine that stalls for more than a window makes fewer of them, never more.
  EXPECT_GE(windows, 1u);
  EXPECT_LE(windows, 5u);
  EXPECT_EQ(books.histogram.raw().sum, books.watched_ticks);
  EXPECT_GE(books.watched_ticks, windows * ms(spec, 9.9));
  uint64_t largest = 0;
  for (const uint64_t ticks : books.largest_of_window) largest = std::max(largest, ticks);
  EXPECT_EQ(books.histogram.max(), largest);
  EXPECT_EQ(books.outliers.largest_first().front().ticks, largest);
  EXPECT_EQ(books.outliers.largest_first().size(), 8u);
}

TEST(WindowSampler, TheLastWindowMayBeAPartOfOne) {
  const WindowSpec spec = spec_of(1000, 1000, 30);
  const Books books = books_of_a_quiet_run(1000, 1000, 30, 25);
  EXPECT_EQ(books.largest_of_window.size(), 1u);
  EXPECT_GE(books.watched_ticks, ms(spec, 25));
}

// Whoever accounts for the gaps hears of each that was kept, and from when to when they were.
TEST(WindowSampler, EachOutlierIsAskedAbout) {
  core::AskedGaps asked;
  WindowSampler sampler(spec_of(20, 5, 60), &asked);
  const std::atomic<bool> stop{false};
  sampler.run(stop);
  std::vector<core::AskedGap> gaps;
  asked.take([&](const core::AskedGap& gap) { gaps.push_back(gap); });
  ASSERT_TRUE(asked.begun() && asked.ended());
  for (const core::OutlierSample& kept : sampler.books().outliers.largest_first()) {
    EXPECT_TRUE(std::any_of(gaps.begin(), gaps.end(), [&](const core::AskedGap& gap) {
      return gap.ticks == kept.ticks && gap.end == kept.time;
    })) << kept.ticks;
    EXPECT_GE(kept.time - kept.ticks, *asked.begun());
    EXPECT_LE(kept.time, *asked.ended());
  }
}

TEST(WindowSampler, AStopEndsARunWithoutAnEndAndKeepsTheWindowUnderWay) {
  const WindowSpec spec = spec_of(3'600'000, 3'600'000, 0);
  WindowSampler sampler(spec);
  std::atomic<bool> stop{false};
  std::thread thread([&] { sampler.run(stop); });
  // Until it has had the CPU for a while: on a busy machine it may begin late.
  clockid_t its_time;
  ASSERT_EQ(pthread_getcpuclockid(thread.native_handle(), &its_time), 0);
  for (timespec had{}; had.tv_sec == 0 && had.tv_nsec < 20'000'000; clock_gettime(its_time, &had)) {
    std::this_thread::yield();
  }
  stop.store(true);
  thread.join();
  EXPECT_EQ(sampler.books().largest_of_window.size(), 1u);
  EXPECT_GT(sampler.books().histogram.total(), 0u);
}

TEST(WindowSampler, AThreadThatWasMovedEndsAndNobodyIsAskedForItsGap) {
  test::on_a_moved_thread([](const core::HomeCpu& home) {
    core::AskedGaps asked;
    WindowSampler sampler(spec_of(20, 5, 0), &asked);
    const std::atomic<bool> stop{false};
    sampler.run(stop, home);
    EXPECT_FALSE(sampler.why_left().empty());
    EXPECT_EQ(sampler.books().histogram.raw().sum, sampler.books().watched_ticks) << "the books balance all the same";
    EXPECT_EQ(asked.declined(), 1u);
    asked.take([](const core::AskedGap& gap) { ADD_FAILURE() << gap.ticks; });
  });
}

// A copy waits for no reader between two windows. After the last one it does, or that window would be in no book.
TEST(WindowSampler, TheLastWindowIsHandedOutWhateverAReaderHolds) {
  for (int run = 0; run < 20; ++run) {
    WindowSampler sampler(spec_of(1, 1, 1));
    std::atomic<bool> over{false};
    std::thread reader([&] {
      while (!over.load()) (void)sampler.books();
    });
    const std::atomic<bool> stop{false};
    sampler.run(stop);
    over.store(true);
    reader.join();
    EXPECT_EQ(sampler.books().largest_of_window.size(), 1u);
  }
}

}  // namespace
}  // namespace maxlat::hwlat
