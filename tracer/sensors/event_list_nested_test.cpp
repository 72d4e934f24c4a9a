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

constexpr std::uint64_t kInterrupted = 1000;

// What a handler posts to, and reads: it has no arguments.
template <class List>
struct Nested {
  static inline TestGroup<List>* group;
  static inline NumberReader* reader;
  static inline std::uint64_t posts;
  static inline std::vector<Number> seen;

  static void post() {
    for (std::uint64_t n = 1; n <= posts; ++n) (*group)->post(n);
    seen = reader->read();
  }
  __attribute__((noinline)) static void post_interrupted() { (*group)->post(kInterrupted); }
};

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

// Of as many as there is room for, all are there.
template <class List>
void look_at_each_instruction(std::uint64_t room) {
  using Handler = Nested<List>;
  const SingleStep stepper;
  for (const std::uint64_t nested : {1u, 3u, 9u}) {
    Handler::posts = nested;
    std::uint64_t at = 1;
    for (;; at += kApart) {
      TestGroup<List> group;
      const GroupView view = group.view();
      NumberReader reader(view);
      Handler::group = &group;
      Handler::reader = &reader;
      Handler::seen.clear();
      if (!SingleStep::interrupt(at, Handler::post, Handler::post_interrupted)) break;
      std::vector<Number> seen = Handler::seen;
      for (const Number& number : reader.read()) seen.push_back(number);
      EXPECT_LE(look_at(seen), 1) << at;
      const EventBooks books = reader.books();
      ASSERT_TRUE(books.balance()) << at;
      ASSERT_EQ(books.posts, nested + 1) << at;
      ASSERT_EQ(books.delivered + books.late, seen.size()) << at;
      ASSERT_EQ(books.pending + books.open, 0u) << at;
      if (nested < room) {
        ASSERT_EQ(seen.size(), nested + 1) << at << ": an event is missing";
      }
    }
    EXPECT_GT(at, 20u);
  }
}

TEST(NestedEvents, EachPostIsInTheBooksAtAnyInstruction) {
  look_at_each_instruction<Numbers<kThread, 4>>(4);
}
// Of which five have room in the bytes, and sixteen in the slots; and the other way round.
TEST(NestedEvents, SoIsEachOfAListWhoseEventsVary) {
  look_at_each_instruction<VarNumbers<16, 128>>(5);
  look_at_each_instruction<VarNumbers<4, 1024>>(4);
}

}  // namespace
