// SPDX-License-Identifier: MIT
// Posts to a list that a signal handler interrupts after every single instruction, and that posts to the same list:
// once, and for more than a lap. Every post is in a reader's books, what is read is whole, and the events that handlers
// posted are in their order.
#include <gtest/gtest.h>

#include "ring/test_single_step.hpp"
#include "sensors/test_events.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;
using maxlat::ring_test::kApart;
using maxlat::ring_test::SingleStep;
using ListGroup = TestGroup<Numbers<kThread, 4>>;

constexpr std::uint64_t kInterrupted = 1000;
ListGroup* interrupted_group;
NumberReader* watching;
std::uint64_t nested_posts;
std::vector<Number> seen_meanwhile;

void post_nested() {
  for (std::uint64_t n = 1; n <= nested_posts; ++n) (*interrupted_group)->post(n);
  seen_meanwhile = watching->read();
}

__attribute__((noinline)) void post_one() {
  (*interrupted_group)->post(kInterrupted);
}

// What was seen in the handler, and after it. RETURNS: how often the interrupted one came.
int look_at(const std::vector<Number>& seen) {
  int interrupted = 0;
  std::uint64_t last = 0;
  for (const Number& number : seen) {
    if (number.n == kInterrupted) {
      ++interrupted;
      continue;
    }
    EXPECT_GT(number.n, last);
    last = number.n;
  }
  return interrupted;
}

TEST(NestedEvents, EachPostIsInTheBooksAtAnyInstruction) {
  const SingleStep stepper;
  for (const std::uint64_t nested : {1u, 3u, 9u}) {
    nested_posts = nested;
    std::uint64_t at = 1;
    for (;; at += kApart) {
      ListGroup group;
      const GroupView view = group.view();
      NumberReader reader(view);
      interrupted_group = &group;
      watching = &reader;
      seen_meanwhile.clear();
      if (!SingleStep::interrupt(at, post_nested, post_one)) break;
      std::vector<Number> seen = seen_meanwhile;
      for (const Number& number : reader.read()) seen.push_back(number);
      EXPECT_LE(look_at(seen), 1) << at;
      const EventBooks books = reader.books();
      ASSERT_TRUE(books.balance()) << at;
      ASSERT_EQ(books.posts, nested + 1) << at;
      ASSERT_EQ(books.delivered + books.late, seen.size()) << at;
      ASSERT_EQ(books.pending + books.open, 0u) << at;
      // Of three there is room for all of them.
      if (nested < 4) {
        ASSERT_EQ(seen.size(), nested + 1) << at << ": an event is missing";
      }
    }
    EXPECT_GT(at, 20u);
  }
}

}  // namespace
