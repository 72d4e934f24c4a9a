// SPDX-License-Identifier: MIT
#include "wakeups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/test/moved_thread.hpp>
#include <vector>

namespace maxlat::scheduling {
namespace {

using testing::ElementsAre;
constexpr uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

// Late by what the script says, one number a wake-up; then never.
class ScriptedTimer {
 public:
  explicit ScriptedTimer(std::vector<uint64_t> late) : late_(std::move(late)) {}
  void wait_until(uint64_t ns) {
    due.push_back(ns);
    now_ = ns + (due.size() <= late_.size() ? late_[due.size() - 1] : 0);
  }
  uint64_t now() const { return now_; }
  std::vector<uint64_t> due;

 private:
  std::vector<uint64_t> late_;
  uint64_t now_ = 0;
};

class Wakeups : public testing::Test {
 protected:
  Wakeups() {
    spec_.step_ticks = kSecond;
    spec_.steps = 10;
    spec_.look_every_ticks = kSecond / 10;
    spec_.outliers = 3;
    spec_.stop = &stop_;
    spec_.halt = &halt_;
  }
  void take(ScriptedTimer& timer, uint64_t loops) {
    books_.emplace(2, spec_);
    take_wakeups(timer, {.first_due_ns = 5 * kSecond, .interval_ns = kMs, .loops = loops}, *books_);
  }

  core::JournalSpec spec_;
  std::atomic<bool> stop_{false}, halt_{false};
  std::optional<WakeBooks> books_;
};

TEST_F(Wakeups, EverySampleIsHowLateItsThreadRan) {
  ScriptedTimer timer({3'000, 0, 70'000, 4'000});
  take(timer, 4);
  EXPECT_THAT(timer.due, ElementsAre(5 * kSecond, 5 * kSecond + kMs, 5 * kSecond + 2 * kMs, 5 * kSecond + 3 * kMs));
  EXPECT_EQ(books_->histogram.total(), 4u);
  EXPECT_EQ(books_->histogram.min(), 0u);
  EXPECT_EQ(books_->histogram.max(), 70'000u);
  EXPECT_EQ(books_->missed, 0u);
  EXPECT_EQ(books_->last_ns, 5 * kSecond + 3 * kMs + 4'000);
  EXPECT_EQ(books_->journal.max(), 70'000u);
}

// The defect that is feared: after a long stall a thread that wakes at once for each cycle it missed has a row of small
// latencies, and the next samples are not on the grid of the first.
TEST_F(Wakeups, CyclesThatPassedMeanwhileAreCountedAndLeftOut) {
  ScriptedTimer timer({0, 3 * kMs + 200'000, 0});
  take(timer, 3);
  EXPECT_THAT(timer.due, ElementsAre(5 * kSecond, 5 * kSecond + kMs, 5 * kSecond + 5 * kMs));
  EXPECT_EQ(books_->missed, 3u);
  EXPECT_EQ(books_->histogram.total(), 3u);
  EXPECT_EQ(books_->histogram.max(), 3 * kMs + 200'000);
}

TEST_F(Wakeups, LateByExactlyAnIntervalTheNextCycleIsGone) {
  ScriptedTimer timer({kMs, 0});
  take(timer, 2);
  EXPECT_THAT(timer.due, ElementsAre(5 * kSecond, 5 * kSecond + 2 * kMs));
  EXPECT_EQ(books_->missed, 1u);
}

TEST_F(Wakeups, TheLatestAreKeptWithTheirTimes) {
  ScriptedTimer timer({9'000, 1'000, 8'000, 2'000, 7'000});
  take(timer, 5);
  const auto kept = books_->journal.outliers().largest_first();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].ticks, 9'000u);
  EXPECT_EQ(kept[0].time, 5 * kSecond + 9'000);
  EXPECT_EQ(kept[2].ticks, 7'000u);
}

TEST_F(Wakeups, OneAboveTheLimitIsTheLastAndStopsTheOthers) {
  spec_.break_above = 50'000;
  ScriptedTimer timer({50'000, 50'001, 0, 0});
  take(timer, 4);
  EXPECT_EQ(timer.due.size(), 2u);
  EXPECT_EQ(books_->histogram.total(), 2u);
  EXPECT_EQ(books_->journal.breaking_gap(), 50'001u);
  EXPECT_TRUE(halt_);
}

TEST_F(Wakeups, ItEndsAtItsTimeAndWhenItIsToldTo) {
  spec_.duration_ticks = 3 * kMs;
  ScriptedTimer timer({});
  take(timer, 100);
  EXPECT_EQ(books_->histogram.total(), 4u);
  EXPECT_EQ(books_->journal.why(), core::Journal::Why::duration_over);
  stop_ = true;
  ScriptedTimer stopped({});
  take(stopped, 100);
  EXPECT_EQ(books_->journal.why(), core::Journal::Why::stopped);
  EXPECT_EQ(books_->histogram.total(), 1u);
}

// A stop is seen within a tenth of a second, and not only at the next record.
TEST_F(Wakeups, AQuietThreadSeesAStop) {
  class StoppingTimer : public ScriptedTimer {
   public:
    StoppingTimer(std::atomic<bool>& stop) : ScriptedTimer({}), stop_(stop) {}
    void wait_until(uint64_t ns) {
      ScriptedTimer::wait_until(ns);
      if (due.size() == 50) stop_ = true;
    }

   private:
    std::atomic<bool>& stop_;
  } timer(stop_);
  books_.emplace(2, spec_);
  take_wakeups(timer, {.first_due_ns = kSecond, .interval_ns = kMs, .loops = 100'000}, *books_);
  EXPECT_LE(timer.due.size(), 50u + 100u);
  EXPECT_EQ(books_->journal.why(), core::Journal::Why::stopped);
}

TEST_F(Wakeups, AThreadThatWasMovedEnds) {
  test::on_a_moved_thread([this](const core::HomeCpu& home) {
    spec_.home = home, spec_.look_every_ticks = 0;
    ScriptedTimer timer({3'000, 0, 70'000, 4'000});
    take(timer, 4);
    EXPECT_EQ(books_->journal.why(), core::Journal::Why::away);
    EXPECT_FALSE(books_->journal.why_left().empty());
    EXPECT_EQ(books_->histogram.total(), 1u);
  });
}

}  // namespace
}  // namespace maxlat::scheduling
