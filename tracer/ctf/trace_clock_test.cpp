// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>

#include <cstdlib>
#include <maxlat/base/moment.hpp>
#include <maxlat/trace/ctf_format.hpp>

#include "ctf/frequency.hpp"

namespace maxlat::trace {
namespace {

std::int64_t now_ns(clockid_t clock) {
  return static_cast<std::int64_t>(base::clock_ns(clock));
}

// The counter read between two reads of the clock must, turned into time, lie between them. No limit on how long that
// takes; the slack is for the rate, which may be measured to some ppm of the second since.
void expect_between(clockid_t clock, std::int64_t offset_ns, std::uint64_t frequency) {
  const std::int64_t before = now_ns(clock);
  const std::int64_t told = offset_ns + static_cast<std::int64_t>(ticks_to_ns(maxlat_counter_ordered(), frequency));
  const std::int64_t after = now_ns(clock);
  constexpr std::int64_t kSlackNs = 100'000;
  EXPECT_GE(told, before - kSlackNs);
  EXPECT_LE(told, after + kSlackNs);
}

TEST(TraceClock, TellsTheTimeOfBothClocks) {
  const base::CounterClock counter = base::calibrate();
  if (!counter.trusted) GTEST_SKIP() << counter.why;
  const TraceClock clock = trace_clock(counter);
  expect_between(CLOCK_REALTIME, clock.realtime_offset_ns, frequency_hz(counter));
  expect_between(CLOCK_MONOTONIC, clock.monotonic_offset_ns, frequency_hz(counter));
}

TEST(Frequency, IsExactFarFromZero) {
  EXPECT_EQ(ticks_to_ns(~std::uint64_t{0}, 1'000'000'000), ~std::uint64_t{0});
  EXPECT_EQ(ticks_to_ns(2'600'000'000ull * 86'400 * 365, 2'600'000'000), 1'000'000'000ull * 86'400 * 365);
  EXPECT_EQ(ns_to_ticks(999'999'999, 2'600'000'000), 2'599'999'997u);
}

}  // namespace
}  // namespace maxlat::trace
