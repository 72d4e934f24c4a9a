// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/loadgen/control.hpp>

namespace maxlat::loadgen {
namespace {

using testing::HasSubstr;

bool may_use_fifo() {
  const sched_param before{.sched_priority = 0}, wanted{.sched_priority = 1};
  const bool may = sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
  sched_setscheduler(0, SCHED_OTHER, &before);
  return may;
}

StallPlan small_plan() {
  StallPlan plan;
  plan.cpus = {core::allowed_cpus()->front()};
  plan.lengths_ns = {50'000, 2'000'000};
  plan.repeats = 3;
  plan.spacing_ns = 2'000'000;
  return plan;
}

TEST(PlantStalls, EachIsHeldAtLeastAsLongAsPlannedAndLiesWhereItSays) {
  if (!may_use_fifo()) GTEST_SKIP() << "no permission for SCHED_FIFO";
  const StallPlan plan = small_plan();
  const uint64_t before = base::monotonic_ns();
  core::Result<std::vector<Stall>> stalls = plant_stalls(plan);
  const uint64_t after = base::monotonic_ns();
  ASSERT_TRUE(stalls) << stalls.error().text;

  std::map<uint64_t, unsigned> repeats;
  uint64_t last_end = before;
  for (const Stall& stall : *stalls) {
    ++repeats[stall.planted_ns];
    EXPECT_EQ(stall.cpu, plan.cpus.front());
    EXPECT_GE(stall.actual_ns, stall.planted_ns);
    EXPECT_GE(stall.begin_monotonic_ns, last_end + plan.spacing_ns / 2);
    // The timer was set after the last stall, for half of the spacing at least: the wake-up begins there.
    EXPECT_GE(stall.begin_monotonic_ns - stall.wake_ns, last_end + plan.spacing_ns / 2);
    EXPECT_GT(stall.wake_ns, 0u);
    // The other clock says the same, to a part in a hundred: it is read inside the counter's interval.
    const double by_clock = static_cast<double>(stall.end_monotonic_ns - stall.begin_monotonic_ns);
    EXPECT_LE(by_clock, static_cast<double>(stall.actual_ns) * 1.01);
    last_end = stall.end_monotonic_ns;
  }
  EXPECT_LE(last_end + plan.spacing_ns, after) << "the end of the hog's thread must not touch the last stall";
  EXPECT_EQ(repeats, (std::map<uint64_t, unsigned>{{50'000, 3}, {2'000'000, 3}}));
}

TEST(PlantStalls, TheCallerKeepsItsAffinityAndPolicy) {
  if (!may_use_fifo()) GTEST_SKIP() << "no permission for SCHED_FIFO";
  const core::CpuList before = *core::allowed_cpus();
  StallPlan plan = small_plan();
  plan.repeats = 1;
  ASSERT_TRUE(plant_stalls(plan));
  EXPECT_EQ(*core::allowed_cpus(), before);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(PlantStalls, TheSameSeedMakesTheSameOrder) {
  if (!may_use_fifo()) GTEST_SKIP() << "no permission for SCHED_FIFO";
  const auto order = [](uint64_t seed) {
    StallPlan plan = small_plan();
    plan.lengths_ns = {1'000, 2'000, 3'000, 4'000};
    plan.spacing_ns = 10'000;
    plan.seed = seed;
    const core::Result<std::vector<Stall>> stalls = plant_stalls(plan);
    std::vector<uint64_t> lengths;
    for (const Stall& stall : *stalls) lengths.push_back(stall.planted_ns);
    return lengths;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(PlantStalls, WhatMakesNoSenseIsAnError) {
  StallPlan plan = small_plan();
  plan.lengths_ns = {0};
  EXPECT_THAT(plant_stalls(plan).error().text, HasSubstr("cannot plant a stall of 0 ns"));
  plan.lengths_ns = {50'000, 2'000'000'000};
  EXPECT_THAT(plant_stalls(plan).error().text, HasSubstr("cannot plant a stall of 2 s"));
  plan.lengths_ns.clear();
  EXPECT_FALSE(plant_stalls(plan));
  plan = small_plan();
  plan.cpus = {65'000};
  EXPECT_THAT(plant_stalls(plan).error().text, HasSubstr("65000"));
}

}  // namespace
}  // namespace maxlat::loadgen
