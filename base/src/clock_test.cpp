// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/base/clock.hpp>

#include "clock_rate_source.hpp"

namespace maxlat::base {
namespace {

TEST(CounterRatio, ConvertsWithoutDrift) {
  const CounterClock clock = clock_with_rate(2.5);
  EXPECT_EQ(clock.to_ns(uint64_t{25}), 10u);
  EXPECT_EQ(clock.to_ticks(uint64_t{10}), 25u);
  EXPECT_DOUBLE_EQ(clock.to_ns(25.0), 10.0);
  // One hundred days, which a 64-bit product would not hold: right to 2^-32.
  const uint64_t days = 100ull * 86400 * 1'000'000'000;
  EXPECT_NEAR(static_cast<double>(clock.to_ns(clock.to_ticks(days))), static_cast<double>(days), 0x1p-31 * 8.64e15);
}

TEST(CounterRatio, AClockOfNanosecondsIsTheIdentity) {
  const CounterClock clock = clock_with_rate(1.0);
  for (uint64_t ns : {0ull, 1ull, 999'999'999'999ull, 1ull << 60}) EXPECT_EQ(clock.to_ns(ns), ns);
}

TEST(CounterTrust, AnInvariantCounterThatTheKernelUsesIsTrusted) {
  EXPECT_TRUE(judge_counter(true, {"tsc kvm-clock hpet", "tsc", ""}).trusted);
  EXPECT_TRUE(judge_counter(true, {"kvm-clock tsc", "kvm-clock", ""}).trusted);
  EXPECT_TRUE(judge_counter(true, {}).trusted);
}

#if defined(__x86_64__)
TEST(CounterTrust, OneThatTheKernelHasDroppedIsRefused) {
  const CounterTrust trust = judge_counter(true, {"hpet acpi_pm", "hpet", ""});
  EXPECT_FALSE(trust.trusted);
  EXPECT_NE(trust.why.find("unstable"), std::string::npos);
  EXPECT_FALSE(judge_counter(true, {"tsc-early hpet", "hpet", ""}).trusted) << "a word, not a part of one";
}

TEST(CounterTrust, OneThatABootParameterTookOutOfTheListIsTrustedWhereTheKernelsClockIsMadeFromIt) {
  const CounterTrust trust = judge_counter(true, {"kvm-clock", "kvm-clock", "quiet tsc=reliable tsc=unstable"});
  EXPECT_TRUE(trust.trusted);
  EXPECT_NE(trust.why.find("booted with tsc=unstable, and keeps time with kvm-clock"), std::string::npos) << trust.why;
  EXPECT_FALSE(judge_counter(true, {"kvm-clock", "kvm-clock", "quiet"}).trusted) << "the kernel has seen it go wrong";
  EXPECT_FALSE(judge_counter(true, {"hpet", "hpet", "tsc=unstable"}).trusted) << "nothing vouches for it";
  EXPECT_FALSE(judge_counter(false, {"kvm-clock", "kvm-clock", "tsc=unstable"}).trusted);
}

TEST(CounterTrust, OneThatIsNotInvariantIsRefused) {
  const CounterTrust trust = judge_counter(false, {"tsc", "tsc", ""});
  EXPECT_FALSE(trust.trusted);
  EXPECT_NE(trust.why.find("invariant"), std::string::npos);
}
#endif

TEST(CounterClock, WhateverIsKnownOfTheRateAgreesWithAMeasurement) {
  const MeasuredRate measured = measure_ticks_per_ns(5, 2'000'000);
  EXPECT_GT(measured.ticks_per_ns, 0.001);
  // 1000 ppm: enough to tell a counter's rate from a core's present frequency, and not a test of this machine's quiet.
  const auto agrees = [&](double rate) { EXPECT_NEAR(rate / measured.ticks_per_ns, 1.0, 1e-3); };
  if (const auto rate = ticks_per_ns_from_kernel()) agrees(*rate);
  if (const auto rate = ticks_per_ns_from_cpuid()) agrees(*rate);
  agrees(calibrate().ticks_per_ns);
}

TEST(CounterClock, ForcedMeasuringIsSaidSo) {
  const CounterClock clock = calibrate(true);
  EXPECT_EQ(clock.source, RateSource::measured);
  EXPECT_FALSE(clock.why.empty());
}

}  // namespace
}  // namespace maxlat::base
