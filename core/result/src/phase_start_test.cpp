// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/phase_start.hpp>

namespace maxlat::core {
namespace {

class PhaseStart : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
  }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }
  static std::string text_of(const Phase& phase, double t_ns) {
    const auto clock = wall_clock(phase, t_ns);
    return clock ? clock->time + " " + clock->zone : "nothing";
  }
  Phase phase_;
};

TEST_F(PhaseStart, ASampleIsTimedFromItInLocalTimeWithTheZone) {
  set_realtime_start(phase_, 1'795'520'000'250'000'000);
  EXPECT_EQ(text_of(phase_, 0), "2026-11-24 12:33:20.250 CET");
  EXPECT_EQ(text_of(phase_, 61.5e9), "2026-11-24 12:34:21.750 CET");
  EXPECT_EQ(text_of(phase_, -0.5e9), "2026-11-24 12:33:19.750 CET");
  set_realtime_start(phase_, 1'782'864'000'000'000'000);
  EXPECT_EQ(text_of(phase_, 0), "2026-07-01 02:00:00.000 CEST");
}

TEST_F(PhaseStart, BothClocksTellTheSameMoment) {
  const std::uint64_t realtime_ns = base::clock_ns(CLOCK_REALTIME), monotonic_ns = base::monotonic_ns();
  set_start(phase_, monotonic_ns - 5'000'000'000);
  EXPECT_EQ(phase_.facts.at("start_monotonic_ns"), std::to_string(monotonic_ns - 5'000'000'000));
  const double apart_s = (static_cast<double>(realtime_ns) - std::stod(phase_.facts.at("start_realtime_ns"))) / 1e9;
  EXPECT_NEAR(apart_s, 5, 1) << "a second: this thread may have waited between the reads of the clocks";
}

TEST_F(PhaseStart, WhatAPhaseDoesNotTellIsNotMadeUp) {
  phase_.started = "2026-11-24T11:33:20Z";
  EXPECT_FALSE(wall_clock(phase_, 0));
  for (const char* rubbish : {"", "now", "12x", "-5", "99999999999999999999", "9000000000000000000"}) {
    phase_.facts["start_realtime_ns"] = rubbish;
    EXPECT_FALSE(wall_clock(phase_, 0)) << rubbish;
  }
  set_realtime_start(phase_, 1);
  EXPECT_FALSE(wall_clock(phase_, 1e300));
  EXPECT_TRUE(wall_clock(phase_, -5e9)) << "before 1970";
}

}  // namespace
}  // namespace maxlat::core
