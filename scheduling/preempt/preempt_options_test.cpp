// SPDX-License-Identifier: MIT
#include "preempt_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/machine_cpus.hpp>

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;

std::string refusal_of(const core::Arguments& arguments) {
  const auto parsed = parse_preempt_options(arguments);
  return parsed ? "taken" : parsed.error().text;
}

PreemptSettings settings_of(const core::Arguments& arguments) {
  const auto parsed = parse_preempt_options(arguments);
  return parsed && *parsed ? (**parsed).settings : PreemptSettings{};
}

TEST(PreemptOptions, ByDefaultAHundredRoundsWhereAGapMeterWouldBe) {
  const PreemptSettings settings = settings_of({});
  EXPECT_EQ(settings.loops, 100u);
  EXPECT_EQ(settings.duration_ns, 0u);
  EXPECT_EQ(settings.priority, 95);
  EXPECT_EQ(settings.cpus, core::default_measured(*core::machine_cpus()));
}

TEST(PreemptOptions, ADurationLiftsTheLimitOfRoundsUnlessOneIsGiven) {
  EXPECT_EQ(settings_of({"-D", "5"}).duration_ns, 5'000'000'000u);
  EXPECT_EQ(settings_of({"-D", "5"}).loops, std::nullopt);
  EXPECT_EQ(settings_of({"-D", "5", "-l", "7"}).loops, 7u);
}

TEST(PreemptOptions, TheCpusByEitherName) {
  const unsigned cpu = core::assignable_cpus()->front();
  for (const char* name : {"-a", "--affinity", "--cpus"})
    EXPECT_EQ(settings_of({name, std::to_string(cpu)}).cpus, core::CpuList{cpu}) << name;
  EXPECT_THAT(refusal_of({"-a", "0", "--cpus", "0"}), HasSubstr("the same"));
}

TEST(PreemptOptions, WhoRecordsTheKernelsEvents) {
  EXPECT_EQ(settings_of({}).kernel_events, "");
  EXPECT_EQ(settings_of({"--kernel-events"}).kernel_events, "auto");
  EXPECT_EQ(settings_of({"--kernel-events=tracefs"}).kernel_events, "tracefs");
  EXPECT_THAT(refusal_of({"--kernel-events=paper"}), HasSubstr("\"paper\" records no kernel events"));
}

TEST(PreemptOptions, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal_of({"-a", "60000"}), HasSubstr("CPU 60000"));
  EXPECT_THAT(refusal_of({"-l", "0"}), HasSubstr("--loops must be at least 1"));
  EXPECT_THAT(refusal_of({"-D", "0"}), HasSubstr("--duration must be longer than 0"));
  EXPECT_THAT(refusal_of({"--snapshot", "5"}), HasSubstr("has no unit"));
  EXPECT_THAT(refusal_of({"--snapshot", "5s"}), HasSubstr("--snapshot needs --json FILE"));
  EXPECT_THAT(refusal_of({"--snapshot", "5s", "--json", "-"}), HasSubstr("--snapshot needs --json FILE"));
  for (const char* priority : {"1", "100", "-3"})
    EXPECT_THAT(refusal_of({"--priority", priority}), HasSubstr("--priority must be from 2 to 99")) << priority;
  EXPECT_THAT(refusal_of({"hackbench"}), HasSubstr("unexpected argument 'hackbench'"));
}

}  // namespace
}  // namespace maxlat::scheduling
