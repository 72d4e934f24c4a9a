// SPDX-License-Identifier: MIT
//
// What a shield of a large box takes, counted and not timed: a second on a slow machine is no other work than on a fast
// one (bench/shield_bench.cpp has the times of the same box).
#include <gtest/gtest.h>

#include <cstdint>
#include <maxlat/test/temporary_folder.hpp>

#include "change/test_large_box.hpp"
#include "shield.hpp"

namespace maxlat::shield {
namespace {

// System calls of this process that read or write.
uint64_t calls_so_far() {
  uint64_t sum = 0;
  std::istringstream text(core::read_text("/proc/self/io").value_or(""));
  std::string name;
  for (uint64_t value = 0; text >> name >> value;)
    if (name == "syscr:" || name == "syscw:") sum += value;
  return sum;
}

class CountingLooks : public FakeSurface {
 public:
  using FakeSurface::FakeSurface;
  std::vector<core::Task> tasks() const override {
    ++looks;
    return FakeSurface::tasks();
  }
  mutable int looks = 0;  // over all threads
};

struct Work {
  int changes = 0, looks = 0;
  uint64_t calls = 0;
};

Work of_on_and_off(unsigned cpus, int tasks) {
  const LargeBox box(cpus, tasks);
  const test::TemporaryFolder folder;
  const ShieldPlan plan{.cpus = box.shielded, .housekeeping = box.housekeeping, .journal = folder / "shield.journal"};
  CountingLooks surface(box.fake, box.view());
  const uint64_t before = calls_so_far();
  EXPECT_TRUE(shield_on(plan, surface));
  const auto off = shield_off(plan.journal, surface, false);
  EXPECT_TRUE(off && off->left.empty() && off->failed.empty());
  return {surface.changes, surface.looks, calls_so_far() - before};
}

// That 2,000 threads take less than a second is a matter of the machine; that each takes as much as the last is not.
TEST(ShieldWork, OfALargeBoxGrowsWithItsThreadsAndNotFaster) {
  if (calls_so_far() == 0) GTEST_SKIP() << "this kernel does not count system calls (/proc/self/io)";
  const Work none = of_on_and_off(64, 0), some = of_on_and_off(64, 200), more = of_on_and_off(64, 400);
  EXPECT_EQ(some.changes - none.changes, 2 * 200) << "each thread is moved once, and back";
  EXPECT_EQ(more.changes - some.changes, 2 * 200);
  EXPECT_EQ(more.looks, none.looks);
  constexpr uint64_t kMostCalls = 60;  // for each thread; 50 were seen, those of the fake box among them
  EXPECT_LE(some.calls - none.calls, 200 * kMostCalls);
  EXPECT_LE(more.calls - some.calls, 200 * kMostCalls);
}

}  // namespace
}  // namespace maxlat::shield
