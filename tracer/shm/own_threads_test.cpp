// SPDX-License-Identifier: MIT
#include "shm/own_threads.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <stdlib.h>

#include <string>
#include <thread>

namespace maxlat::trace::detail {
namespace {

CpuMask mask(std::string_view list) {
  return cpu_mask(list).value();
}

TEST(OwnThreads, ReadListsAsTheKernelWritesThem) {
  EXPECT_TRUE(mask("").empty());
  EXPECT_TRUE(mask("\n").empty());
  const CpuMask some = mask("0,62-65,8191\n");
  for (const unsigned cpu : {0u, 62u, 63u, 64u, 65u, 8191u}) EXPECT_TRUE(some.has(cpu)) << cpu;
  for (const unsigned cpu : {1u, 61u, 66u, 8190u, 8192u}) EXPECT_FALSE(some.has(cpu)) << cpu;
  for (const char* no_list : {"inherit", "1,", ",1", "3-1", "1-", "-1", "8192", "1 2", "99999999999"})
    EXPECT_FALSE(cpu_mask(no_list).has_value()) << no_list;
}

TEST(OwnThreads, LeaveTheCpusThatAreKeptFree) {
  const auto pinned_and_more = housekeeping_of(mask("0-3"), mask("2-3"));
  EXPECT_EQ(pinned_and_more[0].words, mask("0-1").words);
  const auto pinned = housekeeping_of(mask("3"), mask("2-3"));
  EXPECT_TRUE(pinned[0].empty()) << "the program is on isolated CPUs alone";
  EXPECT_TRUE(pinned[1].has(0) && pinned[1].has(1) && pinned[1].has(4));
  EXPECT_FALSE(pinned[1].has(2) || pinned[1].has(3));
}

// The CPUs of a thread that begins on `start` and then does what ours do.
bool runs_on(unsigned start, unsigned asked) {
  bool there = false;
  std::thread([&] {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(start, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    leave_kept_free_cpus();
    sched_getaffinity(0, sizeof cpus, &cpus);
    there = CPU_ISSET(asked, &cpus) && CPU_COUNT(&cpus) == 1;
  }).join();
  return there;
}

TEST(OwnThreads, GoWhereTheVariableSays) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  unsigned first = 0, last = 0;
  while (!CPU_ISSET(first, &mine)) ++first;
  for (unsigned cpu = first; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) last = cpu;
  if (first == last) GTEST_SKIP() << "one CPU is all there is";
  setenv(kCpusVariable, std::to_string(last).c_str(), 1);
  EXPECT_TRUE(runs_on(first, last));
  testing::internal::CaptureStderr();
  for (const char* stay : {"inherit", "no list", "8191"}) {
    setenv(kCpusVariable, stay, 1);
    EXPECT_TRUE(runs_on(first, first)) << stay;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "maxlat: MAXLAT_TRACE_CPUS: CPUs that the program may have, such as 0,4-7, or inherit, not no list\n");
  unsetenv(kCpusVariable);
}

}  // namespace
}  // namespace maxlat::trace::detail
