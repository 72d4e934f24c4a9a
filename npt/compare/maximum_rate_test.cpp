// SPDX-License-Identifier: MIT
#include "maximum_rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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
    const auto [found, status] = find_maximum_rate(1, Tracer{limit_hz});
    ASSERT_TRUE(status.ok());
    EXPECT_LE(found.lossless_hz, limit_hz + 1);
    EXPECT_GE(*found.lossy_hz, limit_hz);
    EXPECT_LE(*found.lossy_hz, found.lossless_hz * kBracket);
    EXPECT_TRUE(found.confirmed);
    EXPECT_TRUE(found.trials.back().confirmation);
    EXPECT_EQ(found.trials.back().exposure_s, 2);
    EXPECT_EQ(found.lossless_evidence->lossless(), kMajority);
    EXPECT_EQ(found.lossy_evidence->lossy, 2 * kMajority);  // tried again before the confirmation
    EXPECT_LT(found.trials.size(), 25u);
  }
}

TEST(MaximumRate, LoopThatLosesNothingIsTheAnswer) {
  const auto [found, status] = find_maximum_rate(1, Tracer{1e9});
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(found.lossless_hz, kLoop_hz);
  EXPECT_FALSE(found.lossy_hz.has_value());
  EXPECT_TRUE(found.confirmed);
  EXPECT_EQ(found.trials.size(), 1 + kConfirmations);
  EXPECT_EQ(found.lossless_evidence->lossless(), kConfirmations);
  EXPECT_FALSE(found.lossy_evidence.has_value());
}

// The loop comes to 19 of 20 events that it is asked for: no more than those were borne.
TEST(MaximumRate, RateThatWasProducedIsTheAnswerNotTheOneAsked) {
  const auto [found, status] = find_maximum_rate(1, [](double hz, double seconds) -> core::Result<core::RateTrial> {
    auto trial = Tracer{1e6}(hz, seconds);
    trial->produced_hz *= 0.95;
    return trial;
  });
  ASSERT_TRUE(status.ok() && found.confirmed);
  EXPECT_EQ(found.lossless_hz, found.trials.back().produced_hz);
  EXPECT_LE(*found.lossy_hz, found.trials.back().asked_hz * kBracket);
}

// One that bears 1 MHz for a second and 600 kHz for long: the confirmation finds it out.
TEST(MaximumRate, LuckyTrialIsNotConfirmed) {
  const auto [found, status] = find_maximum_rate(1, [](double hz, double seconds) -> core::Result<core::RateTrial> {
    return Tracer{seconds > 1 ? 6e5 : 1e6}(hz, seconds);
  });
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(found.confirmed);
  EXPECT_LE(found.lossless_hz, 6e5);
  EXPECT_GT(*found.lossy_hz, found.lossless_hz);
}

// A tracer with a sharp limit on a machine that stops its consumer now and then. At rates well below the limit the
// rings last over a stop; up to 20 % below it they do not.
class OnAMachineThatStops {
 public:
  OnAMachineThatStops(double limit_hz, double unlucky_share, std::uint32_t seed)
      : tracer_{limit_hz}, unlucky_share_(unlucky_share), random_(seed) {}

  core::Result<core::RateTrial> operator()(double hz, double seconds) {
    auto trial = tracer_(hz, seconds);
    const bool stopped = share_(random_) > std::pow(1 - unlucky_share_, seconds);
    if (stopped && trial->produced_hz > 0.8 * tracer_.limit_hz)
      trial->lost += static_cast<std::uint64_t>(0.02 * tracer_.limit_hz);
    return trial;
  }
  int trials() const { return tracer_.trials; }

 private:
  Tracer tracer_;
  double unlucky_share_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> share_;
};

TEST(MaximumRate, UnluckyTrialsDoNotMoveTheLimit) {
  constexpr double kLimit_hz = 3e6;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    OnAMachineThatStops machine(kLimit_hz, 0.15, seed);
    const auto [found, status] = find_maximum_rate(1, [&](double hz, double seconds) { return machine(hz, seconds); });
    ASSERT_TRUE(status.ok() && found.confirmed) << "seed " << seed;
    EXPECT_LE(found.lossless_hz, kLimit_hz + 1) << "seed " << seed;
    EXPECT_GE(found.lossless_hz, kLimit_hz / 1.15) << "seed " << seed;
    EXPECT_GE(*found.lossy_hz, found.lossless_hz) << "seed " << seed;
  }
}

// Nor the answer that the loop is the limit.
TEST(MaximumRate, UnluckyTrialsDoNotHideThatTheLoopIsTheLimit) {
  int loop_is_the_limit = 0, near = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    OnAMachineThatStops machine(kLoop_hz * 1.001, 0.1, seed);
    const auto [found, status] = find_maximum_rate(1, [&](double hz, double seconds) { return machine(hz, seconds); });
    ASSERT_TRUE(status.ok() && found.confirmed) << "seed " << seed;
    loop_is_the_limit += !found.lossy_hz;
    near += found.lossless_hz >= kLoop_hz / 1.15;
  }
  EXPECT_GT(loop_is_the_limit, 450);
  EXPECT_EQ(near, 500);
}

// A virtual machine's loop is up to a quarter slower from trial to trial: the fastest one without a loss is the figure.
TEST(MaximumRate, LoopOfVaryingSpeedIsTheAnswerAsFastAsItWas) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> speed(0.76 * kLoop_hz, kLoop_hz);
  double slowest = 0, fastest = 0;
  const auto [found, status] = find_maximum_rate(1, [&](double hz, double seconds) -> core::Result<core::RateTrial> {
    auto trial = Tracer{1e9}(hz, seconds);
    trial->produced_hz = speed(random);
    fastest = std::max(seconds > 1 ? trial->produced_hz : 0, fastest);
    slowest = slowest == 0 ? trial->produced_hz : std::min(trial->produced_hz, slowest);
    return trial;
  });
  ASSERT_TRUE(status.ok() && found.confirmed);
  EXPECT_FALSE(found.lossy_hz.has_value());
  EXPECT_EQ(found.lossless_hz, fastest);
  EXPECT_GT(fastest, slowest);
}

TEST(MaximumRate, LosingAtAnyRateIsNoAnswer) {
  const auto [found, status] = find_maximum_rate(1, Tracer{0});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text, "it loses events at any rate");
  EXPECT_EQ(status.error().exit_status, core::Exit::invalid);
  EXPECT_GT(found.trials.size(), 10u);  // what it was seen to lose
  EXPECT_EQ(found.lossless_hz, 0);
  EXPECT_LT(*found.lossy_hz, 200);
}

// Whatever the trials say: the search ends, and an answer that is called confirmed has what it promises.
TEST(MaximumRate, KeepsItsPromisesWhateverTheTrialsSay) {
  int confirmed = 0, ties = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    const double losing = share(random);
    const auto [found, status] = find_maximum_rate(1, [&](double hz, double seconds) -> core::Result<core::RateTrial> {
      return core::RateTrial{.asked_hz = hz,
                             .produced_hz = hz == 0 ? kLoop_hz : hz,
                             .lost = share(random) < losing,
                             .exposure_s = seconds,
                             .confirmation = false};
    });
    EXPECT_LE(found.trials.size(), kMostTrials) << "seed " << seed;
    EXPECT_EQ(found.confirmed, status.ok()) << "seed " << seed;
    EXPECT_GE(found.lossy_hz.value_or(INFINITY), found.lossless_hz) << "seed " << seed;
    if (!found.confirmed) continue;
    ++confirmed;
    EXPECT_GE(found.lossless_evidence->lossless(), kMajority) << "seed " << seed;
    if (!found.lossy_evidence) continue;
    EXPECT_GE(found.lossy_evidence->lossy, kMajority) << "seed " << seed;
    EXPECT_GE(found.lossy_evidence->lossy, found.lossy_evidence->lossless()) << "seed " << seed;
    ties += found.lossy_evidence->lossy == found.lossy_evidence->lossless();
  }
  EXPECT_GT(confirmed, 500);
  EXPECT_GT(ties, 0);  // so it is not said that most lost something
}

TEST(MaximumRate, NotConfirmedIsNotValid) {
  int count = 0;
  const auto [found, status] = find_maximum_rate(1, [&](double hz, double) -> core::Result<core::RateTrial> {
    const bool loses = ++count % 2 == 1;
    return core::RateTrial{
        .asked_hz = hz, .produced_hz = hz == 0 ? kLoop_hz : hz, .lost = loses, .exposure_s = 1, .confirmation = false};
  });
  EXPECT_EQ(found.confirmed, status.ok());
  EXPECT_LE(count, static_cast<int>(kMostTrials));
}

// An interrupt, or a consumer that dies, in the middle: minutes of trials were thrown away.
TEST(MaximumRate, ErrorOfATrialEndsTheSearchAndKeepsWhatWasFound) {
  for (const std::size_t fails_at : {1u, 2u, 6u, 12u}) {
    Tracer tracer{1e6};
    const auto [found, status] = find_maximum_rate(1, [&](double hz, double seconds) -> core::Result<core::RateTrial> {
      auto trial = tracer(hz, seconds);
      if (tracer.trials == static_cast<int>(fails_at)) return core::Error{"the session daemon died"};
      return trial;
    });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().text, "the session daemon died");
    EXPECT_FALSE(found.confirmed);
    EXPECT_EQ(found.trials.size(), fails_at - 1);
    EXPECT_EQ(found.lossy_hz.has_value(), fails_at > 1);
    EXPECT_EQ(found.lossless_hz > 0, fails_at > 4) << fails_at;
  }
}

}  // namespace
}  // namespace maxlat::npt
