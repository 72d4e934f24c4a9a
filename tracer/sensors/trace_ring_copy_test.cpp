// SPDX-License-Identifier: MIT
// A trace that is copied, by a fork or when it is published. Another thread may have been in the middle of a post, and
// will never end that in the copy.
#include <gtest/gtest.h>
#include <maxlat/ring/record_write.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/group.hpp>
#include <memory>

#include "sensors/test_trace_ring.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;

// Posts 1 to 100 in the child of a fork, to a trace of which the parent's other thread may have been in a post.
// RETURNS: 0: they can all be read, or as many as there is room for, and none was dropped.
template <class Group>
int posts_and_reads(Group& group) {
  for (std::uint64_t n = 1; n <= 100; ++n) group->post(n);
  if (!group.again()) return 2;
  NumberReader reader(group.view());
  const auto read = reader.read();
  if (read.size() < 3 * kOfSmall || read.back().n != 100) return 3;
  return value_of<EventsValue>(group.view(), "list").posts == 100 && group->ring().header->lost_wrap == 0 ? 0 : 4;
}

// A defect: the copy waited for ever for the end of that post, and after a lap dropped all that came.
TEST(TraceRingCopy, OfAForkInTheMiddleOfAPostBeginsAnew) {
  TestGroup<Small> group;
  const maxlat_ring ring = group->ring();
  group->post(1);
  maxlat_ring_record record;
  ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
  EXPECT_EQ(in_child([&] { return posts_and_reads(group); }), 0);
}

#ifndef __SANITIZE_THREAD__  // which itself needs memory for what a thread does next
TEST(TraceRingCopy, OfAForkWithoutMemoryForACopyBeginsAnew) {
  EXPECT_EQ(in_child([] {
              TestGroup<Traced<4, 65536>> group("little");
              const maxlat_ring ring = group->ring();
              maxlat_ring_record record;
              if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record)) return 5;
              std::uint64_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t now = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
              const rlimit little{now, now};
              setrlimit(RLIMIT_AS, &little);
              return in_child([&] {
                for (std::uint64_t n = 1; n <= 20'000; ++n) group->post(n);
                const maxlat_ring own = group->ring();
                return own.header->lost_wrap == 0 && own.header->records_delivered > 10'000 ? 0 : 1;
              });
            }),
            0);
}
#endif

TEST(TraceRingCopy, OfAForkBetweenPostsKeepsWhatWasPosted) {
  TestGroup<Small> group;
  for (std::uint64_t n = 1; n <= 4; ++n) group->post(n);
  EXPECT_EQ(in_child([&] {
              group->post(5);
              if (!group.again()) return 2;
              return NumberReader(group.view()).read().size() == 5 ? 0 : 1;
            }),
            0);
}

TEST(TraceRingCopy, IsPublishedAsItIsOrAnewInTheMiddleOfAPost) {
  for (const bool in_a_post : {false, true}) {
    OwnedGroup<Small> group;
    const maxlat_ring ring = group->ring();
    for (std::uint64_t n = 1; n <= 4; ++n) group->post(n);
    maxlat_ring_record record;
    if (in_a_post) {
      ASSERT_TRUE(maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, 2, 32, &record));
    }
    ASSERT_TRUE(group.publish("early"));
    for (std::uint64_t n = 5; n <= 7; ++n) group->post(n);
    auto groups = find_groups(getpid());
    const auto view = std::find_if(groups->begin(), groups->end(), [](const auto& g) { return g.group() == "early"; });
    ASSERT_NE(view, groups->end());
    EXPECT_EQ(NumberReader(*view).read().size(), in_a_post ? 3u : 7u);
  }
}

}  // namespace
