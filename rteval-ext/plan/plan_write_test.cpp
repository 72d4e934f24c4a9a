// SPDX-License-Identifier: MIT
#include "plan_write.hpp"

#include <gtest/gtest.h>

#include "plan_toml.hpp"
#include "profiles.hpp"

namespace maxlat::rteval_ext {
namespace {

// What is written must be read back as it was; comparing the second text with the first says so for every field at
// once.
void expect_same_again(const Plan& plan) {
  const std::string text = to_toml(plan);
  const core::Result<Plan> again = parse_plan(text, "again");
  ASSERT_TRUE(again.ok()) << again.error().text << "\n" << text;
  EXPECT_EQ(to_toml(*again), text);
}

TEST(PlanWrite, EveryFieldComesBack) {
  const core::Result<Plan> plan = parse_plan(R"(
name = "all"
about = 'with "quotes" and a \ backslash'
shield = "required"
housekeeping = "0,2-3"
dma_latency = false
kernel_events = false
[settings]
"preemption model" = "required"
governor = "comparable"
[[phase]]
name = "c"
kind = "control"
cpus = "0-1"
meters = ["npt", "hwlat"]
[phase.stalls]
lengths = ["7us"]
repeats = 9
[[phase]]
name = "n"
kind = "npt"
duration = "1500ms"
cpus = "measured"
loads = ["stress-ng:--vm 2", "cpu"]
load_cpus = "all"
arguments = ["--policy", "rr"]
[phase.limits]
"p99.999_ns" = 1234.5
exposure_s = 3
load_alive = true
above_50us_per_h = 2.5
"setting governor" = true
[[phase]]
name = "t"
kind = "tracer"
arms = ["none", "maxlat:timer,cpu"]
rounds = 12
duration = "700ms"
)",
                                             "p");
  ASSERT_TRUE(plan.ok()) << plan.error().text;
  expect_same_again(*plan);
  const core::Result<Plan> again = parse_plan(to_toml(*plan), "again");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->about, "with \"quotes\" and a \\ backslash");
  EXPECT_EQ(again->shield, ShieldUse::required);
  EXPECT_EQ(again->housekeeping, (core::CpuList{0, 2, 3}));
  EXPECT_FALSE(again->dma_latency);
  EXPECT_FALSE(again->kernel_events);
  EXPECT_EQ(again->settings, plan->settings);
  EXPECT_EQ(again->settings.size(), 2u);
  EXPECT_EQ(again->phases[0].stalls.lengths_ns, std::vector<uint64_t>{7000});
  EXPECT_EQ(again->phases[0].stalls.repeats, 9u);
  const PhasePlan& npt = again->phases[1];
  EXPECT_EQ(npt.duration_ns, 1'500'000'000u);
  EXPECT_EQ(npt.cpus, "measured");
  EXPECT_EQ(npt.load_cpus, "all");
  EXPECT_EQ(npt.loads.size(), 2u);
  EXPECT_EQ(npt.arguments.size(), 2u);
  EXPECT_EQ(again->phases[2].arms, (std::vector<std::string>{"none", "maxlat:timer,cpu"}));
  EXPECT_EQ(again->phases[2].rounds, 12u);
  std::map<std::string, double> limits;
  for (const reports::Rule& rule : npt.limits) limits[rule.metric] = rule.limit;
  const std::map<std::string, double> expected = {
      {"p99.999_ns", 1234.5}, {"exposure_s", 3}, {"load_alive", 1}, {"above_50us_per_h", 2.5}, {"setting governor", 1}};
  EXPECT_EQ(limits, expected);
}

TEST(PlanWrite, TheProfilesComeBack) {
  for (const Profile& profile : profiles()) {
    const core::Result<Plan> plan = parse_plan(profile.text, "p");
    ASSERT_TRUE(plan.ok());
    expect_same_again(*plan);
  }
}

}  // namespace
}  // namespace maxlat::rteval_ext
