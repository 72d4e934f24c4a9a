// SPDX-License-Identifier: MIT
#include "cyclic_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/machine_cpus.hpp>

namespace maxlat::scheduling {
namespace {

using testing::HasSubstr;

CyclicSettings settings_of(const core::Arguments& arguments) {
  const auto parsed = parse_cyclic_options(arguments);
  if (!parsed) ADD_FAILURE() << parsed.error().text;
  return parsed && *parsed ? (*parsed)->settings : CyclicSettings{};
}

std::string mistake_in(const core::Arguments& arguments) {
  const auto parsed = parse_cyclic_options(arguments);
  return parsed ? "" : parsed.error().text;
}

TEST(CyclicOptions, WithoutAnyItMeasuresEveryCpuOrTheIsolatedOnes) {
  const CyclicSettings settings = settings_of({});
  const core::MachineCpus machine = *core::machine_cpus();
  EXPECT_EQ(settings.cpus, machine.isolated.empty() ? machine.online : machine.isolated);
  EXPECT_EQ(settings.interval_ns, 1'000'000u);
  EXPECT_EQ(settings.duration_ns, 0u);
  EXPECT_EQ(settings.loops, UINT64_MAX);
  EXPECT_EQ(settings.scheduling.policy, core::Policy::fifo);
  EXPECT_EQ(settings.scheduling.priority, 95);
  EXPECT_TRUE(settings.hold_latency);
}

TEST(CyclicOptions, NoTimeIsNoEndAsInCyclictest) {
  EXPECT_EQ(settings_of({"-a", "0", "-D", "0"}).duration_ns, 0u);
  EXPECT_EQ(settings_of({"-a", "0", "-D", "0ms", "-l", "7"}).loops, 7u);
}

TEST(CyclicOptions, BareNumbersAreWhatTheLettersOfCyclictestMean) {
  const CyclicSettings settings = settings_of({"-a", "0", "-i", "250", "-D", "3", "-b", "40", "-l", "7", "-p", "80"});
  EXPECT_EQ(settings.interval_ns, 250'000u);
  EXPECT_EQ(settings.duration_ns, 3'000'000'000u);
  EXPECT_EQ(settings.break_above_ns, 40'000u);
  EXPECT_EQ(settings.loops, 7u);
  EXPECT_EQ(settings.scheduling.priority, 80);
  EXPECT_EQ(settings.cpus, (core::CpuList{0}));
}

TEST(CyclicOptions, TimerPolicyAndTheRest) {
  const CyclicSettings settings =
      settings_of({"-a0", "--timer=timerfd", "--aligned", "--no-dma-latency", "--policy", "rr", "--outliers", "0"});
  EXPECT_EQ(settings.timer, TimerKind::timerfd);
  EXPECT_TRUE(settings.aligned);
  EXPECT_FALSE(settings.hold_latency);
  EXPECT_EQ(settings.scheduling.policy, core::Policy::round_robin);
  EXPECT_EQ(settings.outliers, 0u);
}

TEST(CyclicOptions, MistakesAreNamed) {
  EXPECT_THAT(mistake_in({"-i", "500ns"}), HasSubstr("--interval must be from 1us to 1s"));
  EXPECT_THAT(mistake_in({"-i", "2s"}), HasSubstr("--interval must be from 1us to 1s"));
  EXPECT_THAT(mistake_in({"-l", "0"}), HasSubstr("--loops must be at least 1"));
  EXPECT_THAT(mistake_in({"-p", "100"}), HasSubstr("--priority must be from 1 to 99"));
  EXPECT_THAT(mistake_in({"--timer", "hpet"}), HasSubstr("--timer: 'hpet' is none"));
  EXPECT_THAT(mistake_in({"--snapshot", "5s"}), HasSubstr("--snapshot needs --json FILE"));
  EXPECT_THAT(mistake_in({"hackbench"}), HasSubstr("unexpected argument 'hackbench'"));
}

}  // namespace
}  // namespace maxlat::scheduling
