// SPDX-License-Identifier: MIT
#include "compare/maximum_rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace maxlat::npt {
namespace {

constexpr double kLoop_hz = 8e6;  // as fast as the loop goes

// Loses what is above its limit.
struct Tracer {
  double limit_hz;
  int trials = 0;
  core::Result<core::RateTrial> operator()(double hz, double seconds) {
    ++trials;
    const double produced = hz == 0 ? kLoop_hz : std::min(hz, kLoop_hz);
    const double lost = std::max(0.0, produced - limit_hz) * seconds;
    return core::RateTrial{.asked_hz = hz,
                           .produced_hz = produced,
                           .lost = static_cast<uint64_t>(lost),
                           .exposure_s = seconds,
                           .confirmation = false};
  }
};

TEST(MaximumRate, SharpLimitIsBracketed) {
  for (const double limit_hz : {350.0, 1e4, 123'456.0, 1e6, 7.9e6}) {
    const auto found = find_maximum_rate(1, Tracer{limit_hz});
    ASSERT_TRUE(found.ok());
    EXPECT_LE(found->lossless_hz, limit_hz + 1);
    EXPECT_GE(*found->lossy_hz, limit_hz);
    EXPECT_LE(*found->lossy_hz, found->lossless_hz * kBracket);
    EXPECT_TRUE(found->confirmed);
    EXPECT_TRUE(found->trials.back().confirmation);
    EXPECT_EQ(found->trials.back().exposure_s, 2);
    EXPECT_LT(found->trials.size(), 25u);
  }
}

TEST(MaximumRate, LoopThatLosesNothingIsTheAnswer) {
  const auto found = find_maximum_rate(1, Tracer{1e9});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->lossless_hz, kLoop_hz);
  EXPECT_FALSE(found->lossy_hz.has_value());
  EXPECT_TRUE(found->confirmed);
  EXPECT_EQ(found->trials.size(), 2u);
}

// The loop comes to 19 of 20 events that it is asked for: no more than those were borne.
TEST(MaximumRate, RateThatWasProducedIsTheAnswerNotTheOneAsked) {
  const auto found = find_maximum_rate(1, [](double hz, double seconds) -> core::Result<core::RateTrial> {
    auto trial = Tracer{1e6}(hz, seconds);
    trial->produced_hz *= 0.95;
    return trial;
  });
  ASSERT_TRUE(found.ok() && found->confirmed);
  EXPECT_EQ(found->lossless_hz, found->trials.back().produced_hz);
  EXPECT_LE(*found->lossy_hz, found->trials.back().asked_hz * kBracket);
}

// One that bears 1 MHz for a second and 600 kHz for long: the confirmation finds it out.
TEST(MaximumRate, LuckyTrialIsNotConfirmed) {
  const auto found = find_maximum_rate(1, [](double hz, double seconds) -> core::Result<core::RateTrial> {
    return Tracer{seconds > 1 ? 6e5 : 1e6}(hz, seconds);
  });
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->confirmed);
  EXPECT_LE(found->lossless_hz, 6e5);
  EXPECT_GT(*found->lossy_hz, found->lossless_hz);
}

TEST(MaximumRate, LosingAtAnyRateIsNoAnswer) {
  const auto found = find_maximum_rate(1, Tracer{0});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().exit_status, core::Exit::invalid);
}

TEST(MaximumRate, EndsWhateverTheTrialsSay) {
  int count = 0;
  const auto found = find_maximum_rate(1, [&](double hz, double) -> core::Result<core::RateTrial> {
    const bool loses = ++count % 2 == 1;
    return core::RateTrial{
        .asked_hz = hz, .produced_hz = hz == 0 ? kLoop_hz : hz, .lost = loses, .exposure_s = 1, .confirmation = false};
  });
  EXPECT_LE(count, static_cast<int>(kMostTrials));
  if (found.ok() && found->lossy_hz) {
    EXPECT_GE(*found->lossy_hz, found->lossless_hz);
  }
}

TEST(MaximumRate, ErrorOfATrialEndsTheSearch) {
  const auto found = find_maximum_rate(
      1, [](double, double) -> core::Result<core::RateTrial> { return core::Error{"the session daemon died"}; });
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().text, "the session daemon died");
}

}  // namespace
}  // namespace maxlat::npt
