// SPDX-License-Identifier: MIT
// Several lists as one sequence: its order, what it waits for and for how long, and the books. Times are made up, but
// where threads post.
#include <gmock/gmock.h>
#include <maxlat/base/counter.h>

#include <atomic>
#include <deque>
#include <map>
#include <maxlat/sensors/event_merge.hpp>
#include <thread>
#include <tuple>
#include <vector>

#include "sensors/test_events.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPatience = 100;
using SharedNumbers = Numbers<MAXLAT_SENSOR_SHARED, 8>;

// A post in two steps, with a time and a CPU of our own.
class BegunPost {
 public:
  BegunPost(SharedNumbers& numbers, std::uint64_t time) {
    auto& list = reinterpret_cast<maxlat_event_list&>(numbers.list);
    const maxlat_event_shape shape = maxlat_event_shape_of(list.sensor.shape[0], list.sensor.shape[1]);
    const maxlat_event_slots slots{reinterpret_cast<std::uint8_t*>(&list) + maxlat_event_slots_offset(shape),
                                   shape.slots, shape.slot_size};
    has_place_ = maxlat_event_claim(MAXLAT_SENSOR_SHARED, &list, slots, &place_);
    place_.time = time;
  }
  void end(std::uint64_t n, std::uint32_t cpu = 0) {
    if (!has_place_) return;
    maxlat_event_store(place_, 0, n);
    maxlat_event_store(place_, 1, ~n);
    maxlat_event_store(place_, 2, 0);
    maxlat_event_commit(place_, 0, cpu);
  }

 private:
  maxlat_event_place place_{};
  bool has_place_ = false;
};

void post(SharedNumbers& numbers, std::uint64_t time, std::uint64_t n, std::uint32_t cpu = 0) {
  BegunPost(numbers, time).end(n, cpu);
}

std::uint64_t number_in(const MergedEvent& one) {
  std::uint64_t n = 0;
  std::memcpy(&n, one.event.payload.data(), sizeof n);
  return n;
}

struct Out {
  std::size_t list;
  std::uint64_t n;
  bool late;
  std::uint64_t lost_before;
};

// Three lists in groups of their own, and a merge of them.
class EventMergeOfThree : public testing::Test {
 protected:
  EventMergeOfThree() { begin({.patience = kPatience}); }
  void begin(const EventMergeOptions& options) {
    merge_ = std::make_unique<EventMerge>(options);
    for (const auto& group : groups_) {
      const GroupView view = group->view();
      merge_->add(view, facts_of(view, "list"));
    }
  }

  SharedNumbers& list(std::size_t number) { return *groups_[number]->operator->(); }
  EventMerge::Take taker() {
    return [this](const MergedEvent& one) {
      out_.push_back({one.list, number_in(one), one.event.late, one.lost_before});
    };
  }
  // The numbers that a round at this time hands out.
  std::vector<std::uint64_t> round(std::uint64_t now) { return numbers_of([&] { merge_->round(now, taker()); }); }
  std::vector<std::uint64_t> finish() { return numbers_of([&] { merge_->finish(taker()); }); }
  template <class Call>
  std::vector<std::uint64_t> numbers_of(const Call& call) {
    out_.clear();
    call();
    std::vector<std::uint64_t> numbers;
    for (const Out& one : out_) numbers.push_back(one.n);
    return numbers;
  }
  void expect_books_to_balance() const {
    for (std::size_t number = 0; number < groups_.size(); ++number) EXPECT_TRUE(merge_->books(number).balance());
  }

  std::vector<std::unique_ptr<TestGroup<SharedNumbers>>> groups_ = [] {
    std::vector<std::unique_ptr<TestGroup<SharedNumbers>>> groups;
    for (const char* name : {"first", "second", "third"})
      groups.push_back(std::make_unique<TestGroup<SharedNumbers>>(name));
    return groups;
  }();
  std::unique_ptr<EventMerge> merge_;
  std::vector<Out> out_;
};

TEST_F(EventMergeOfThree, InTheOrderOfTimes) {
  const std::uint64_t times[3][4] = {{1, 5, 9, 10}, {2, 3, 4, 11}, {6, 7, 8, 12}};
  for (std::size_t number = 0; number < 3; ++number)
    for (const std::uint64_t time : times[number]) post(list(number), time, time);
  EXPECT_THAT(round(1000), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  for (const Out& one : out_) EXPECT_FALSE(one.late);
  EXPECT_EQ(merge_->books(1).delivered, 4u);
  expect_books_to_balance();
}

TEST_F(EventMergeOfThree, AtOneTimeByCpuThenByListThenByPosition) {
  post(list(2), 7, 1, 0);
  post(list(2), 7, 4, 1);
  post(list(1), 7, 3, 1);
  post(list(0), 7, 5, 2);
  post(list(0), 7, 6, 2);
  post(list(1), 8, 7, 0);
  post(list(0), 7, 2, 1);  // behind 5 and 6 in its list, and of a CPU before theirs
  EXPECT_THAT(round(1000), ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST_F(EventMergeOfThree, WhatIsYoungerThanThePatienceIsHeld) {
  post(list(0), 500, 1);
  EXPECT_THAT(round(500 + kPatience), IsEmpty());
  EXPECT_EQ(merge_->books(0).pending, 1u);
  EXPECT_EQ(merge_->held(), 1u);
  expect_books_to_balance();
  post(list(1), 499, 0);  // whose program was held up in the middle of the post
  EXPECT_THAT(round(501 + kPatience), ElementsAre(0, 1));
  EXPECT_FALSE(out_[1].late);
}

TEST_F(EventMergeOfThree, APostThatHasNotEndedHoldsUpWhatCameAfterIt) {
  post(list(0), 500, 1);
  BegunPost begun(list(0), 510);
  post(list(1), 505, 2);
  post(list(1), 520, 4);
  // Its time is not known yet: 500 at the earliest.
  EXPECT_THAT(round(540 + kPatience), ElementsAre());
  begun.end(3);
  EXPECT_THAT(round(541 + kPatience), ElementsAre(1, 2, 3, 4));
  for (const Out& one : out_) EXPECT_FALSE(one.late);
}

TEST_F(EventMergeOfThree, AfterThePatienceItIsPassedOverAndComesLate) {
  BegunPost begun(list(0), 510);
  post(list(0), 511, 1);
  post(list(1), 520, 2);
  EXPECT_THAT(round(600), IsEmpty());
  EXPECT_THAT(round(620 + kPatience), ElementsAre(1, 2));
  EXPECT_EQ(merge_->books(0).open, 1u);
  expect_books_to_balance();
  begun.end(3);
  EXPECT_THAT(round(621 + kPatience), ElementsAre(3));
  EXPECT_TRUE(out_[0].late);
  EXPECT_EQ(merge_->books(0).late, 1u);
  EXPECT_EQ(merge_->books(0).delivered, 1u);
  expect_books_to_balance();
}

// As many as it likes: each of them may hold up its list for the patience, but all of them together no other.
TEST_F(EventMergeOfThree, AListOfPostsThatNeverEndHoldsUpNoOther) {
  std::deque<BegunPost> never;
  for (std::uint64_t i = 0; i < 6; ++i) never.emplace_back(list(0), 500 + i);
  post(list(0), 510, 1);
  post(list(1), 505, 2);
  EXPECT_THAT(round(505 + 2 * kPatience), IsEmpty());
  EXPECT_THAT(round(506 + 2 * kPatience), ElementsAre(2));
  std::vector<std::uint64_t> last;
  for (std::uint64_t now = 506 + 3 * kPatience; last.empty() && now < 506 + 20 * kPatience; now += kPatience)
    last = round(now);
  EXPECT_THAT(last, ElementsAre(1));
  EXPECT_EQ(merge_->books(0).open, 6u);
  expect_books_to_balance();
}

TEST_F(EventMergeOfThree, WhatWasLostIsToldWhereItWas) {
  for (std::uint64_t n = 0; n < 3; ++n) post(list(0), n, n);
  EXPECT_THAT(round(1000), ElementsAre(0, 1, 2));
  for (std::uint64_t n = 3; n < 16; ++n) post(list(0), n, n);
  EXPECT_THAT(round(1000), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(out_[0].lost_before, 5u);
  for (std::size_t i = 1; i < out_.size(); ++i) EXPECT_EQ(out_[i].lost_before, 0u);
  EXPECT_EQ(merge_->books(0).overwritten, 5u);
  expect_books_to_balance();
}

TEST_F(EventMergeOfThree, ATimeInTheFutureHoldsUpNothing) {
  post(list(0), ~0ull, 1);
  post(list(0), ~0ull, 2);
  post(list(1), 500, 3);
  EXPECT_THAT(round(501 + kPatience), ElementsAre(3));
  const std::uint64_t now = maxlat_counter_plain();
  post(list(1), now, 4);
  EXPECT_THAT(round(now + kPatience + 1), ElementsAre(1, 2, 4)) << "at the time at which they were read";
  expect_books_to_balance();
}

// A defect: it was put in order, at the square of their number.
TEST_F(EventMergeOfThree, OfAListWhoseTimesGoBackThePostsStandAsTheyCame) {
  for (std::uint64_t n = 1; n <= 5; ++n) post(list(0), 1000 - n, n);
  EXPECT_THAT(round(2000), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(EventMergeOfThree, WhatIsHeldHasABound) {
  begin({.patience = kPatience, .most_held = 5});
  for (std::uint64_t n = 1; n <= 8; ++n) post(list(0), 1000 + n, n);
  post(list(1), 1000, 9);
  EXPECT_THAT(round(1010), ElementsAre(1, 2, 3));
  EXPECT_THAT(round(1009 + kPatience), ElementsAre(9, 4, 5, 6, 7, 8));
  EXPECT_TRUE(out_[0].late);
  expect_books_to_balance();
}

TEST_F(EventMergeOfThree, InTheEndEverythingIsHandedOut) {
  BegunPost never(list(0), 1);
  post(list(0), 3, 1);
  post(list(1), 2, 0);
  EXPECT_THAT(finish(), ElementsAre(0, 1));
  EXPECT_EQ(merge_->books(0).open, 1u);
  EXPECT_TRUE(merge_->is_over(0));
  expect_books_to_balance();
}

TEST_F(EventMergeOfThree, AListThatHasEndedIsReadToItsEndAndLetGo) {
  BegunPost never(list(0), 500);
  post(list(0), 501, 1);
  merge_->end(0);
  post(list(1), 502, 2);
  EXPECT_THAT(round(503), IsEmpty());
  EXPECT_FALSE(merge_->is_over(0));
  EXPECT_THAT(round(503 + kPatience), ElementsAre(1, 2));
  EXPECT_TRUE(merge_->is_over(0));
  EXPECT_FALSE(merge_->is_over(1));
  expect_books_to_balance();
  EXPECT_THAT(round(2000), IsEmpty());
}

TEST_F(EventMergeOfThree, AListMayComeLater) {
  post(list(0), 600, 2);
  EXPECT_THAT(round(601 + kPatience), ElementsAre(2));
  TestGroup<SharedNumbers> more("fourth");
  post(*more.operator->(), 599, 1);
  post(*more.operator->(), 601, 3);
  const GroupView view = more.view();
  EXPECT_EQ(merge_->add(view, facts_of(view, "list")), 3u);
  EXPECT_THAT(round(602 + kPatience), ElementsAre(1, 3));
  EXPECT_TRUE(out_[0].late) << "it has been there before the merge knew of it";
  EXPECT_EQ(merge_->books(3).delivered, 1u);
}

// Eight threads, each with a list of its own, and all of them with one, while the merge goes on.
TEST(EventMerge, OfThreadsEachEventOnceAndInOrder) {
  constexpr std::size_t kThreads = 8, kPosts = 4000;
  struct Lists {
    Numbers<MAXLAT_SENSOR_SHARED, 1024> numbers;
  };
  std::vector<std::unique_ptr<TestGroup<Lists>>> groups;
  EventMerge merge({.patience = 1'000'000});
  for (std::size_t i = 0; i <= kThreads; ++i) {
    groups.push_back(std::make_unique<TestGroup<Lists>>("of" + std::to_string(i)));
    const GroupView view = groups.back()->view();
    merge.add(view, facts_of(view, "list"));
  }
  std::vector<std::map<std::uint64_t, unsigned>> seen(groups.size());
  std::tuple<std::uint64_t, std::uint32_t, std::size_t> last;
  std::uint64_t lost = 0, late = 0;
  const auto take = [&](const MergedEvent& one) {
    ++seen[one.list][number_in(one)];
    lost += one.lost_before;
    const std::tuple now{one.event.ticks, one.event.cpu.value_or(UINT32_MAX), one.list};
    EXPECT_EQ(one.event.late, now < last);
    late += one.event.late ? 1 : 0;
    last = std::max(last, now);
  };
  std::atomic<std::size_t> running = kThreads;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (std::uint64_t n = 0; n < kPosts; ++n) {
        (*groups[i])->numbers.post(n);
        (*groups[kThreads])->numbers.post(i * kPosts + n);
      }
      --running;
    });
  }
  while (running != 0) merge.round(maxlat_counter_plain(), take);
  for (std::thread& thread : threads) thread.join();
  merge.finish(take);
  EventBooks all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const EventBooks books = merge.books(i);
    EXPECT_TRUE(books.balance());
    EXPECT_EQ(books.posts, i < kThreads ? kPosts : kThreads * kPosts);
    EXPECT_EQ(books.pending + books.open, 0u);
    EXPECT_EQ(seen[i].size(), books.delivered + books.late);
    for (const auto& [n, count] : seen[i]) EXPECT_EQ(count, 1u) << n;
    all.late += books.late;
    all.overwritten += books.overwritten + books.dropped + books.unfinished;
  }
  EXPECT_EQ(late, all.late);
  EXPECT_LE(lost, all.overwritten);
}

// Where nothing is handed out before all have posted, nothing can be behind its turn.
TEST(EventMerge, OfThreadsThatHaveEndedNoneIsLate) {
  constexpr std::size_t kThreads = 8;
  struct Lists {
    Numbers<MAXLAT_SENSOR_SHARED, 1024> numbers;
  };
  std::vector<std::unique_ptr<TestGroup<Lists>>> groups;
  EventMerge merge({.patience = 1});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    groups.push_back(std::make_unique<TestGroup<Lists>>("of" + std::to_string(i)));
    const GroupView view = groups.back()->view();
    merge.add(view, facts_of(view, "list"));
  }
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { for (std::uint64_t n = 0; n < 1000; ++n) (*groups[i])->numbers.post(n); });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t events = 0, late = 0, last = 0;
  merge.finish([&](const MergedEvent& one) {
    ++events;
    late += one.event.late ? 1 : 0;
    EXPECT_GE(one.event.ticks, last);
    last = one.event.ticks;
  });
  EXPECT_EQ(events, kThreads * 1000);
  EXPECT_EQ(late, 0u);
}

}  // namespace
