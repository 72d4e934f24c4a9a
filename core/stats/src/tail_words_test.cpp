// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/stats/tail_words.hpp>

namespace maxlat::core {
namespace {

PathResult path(const std::string& name, bool rare, double at_ns, uint64_t gaps) {
  PathResult result{.name = name, .rare = rare, .gaps = {}};
  result.gaps.bins = {{at_ns, at_ns + 1, gaps}};
  result.gaps.max_ns = at_ns + 0.5;
  fill_statistics_from_bins(result.gaps);
  return result;
}

Phase arm(Outlier worst) {
  Phase phase;
  phase.arm = "maxlat:timer";
  phase.paths = {path("ordinary event", false, 30, 1000), path("sub-buffer switch", true, 470, 9),
                 path("first touch of a page", true, 120, 30)};
  phase.per_cpu.resize(2);
  phase.per_cpu[0].outliers = {{.t_ns = 1, .latency_ns = 60, .cpu = 0, .cause = "", .path = "first touch of a page"}};
  phase.per_cpu[1].outliers = {std::move(worst)};
  return phase;
}

TEST(WorstInWords, ARarePathHasItsName) {
  EXPECT_EQ(worst_in_words(arm({.t_ns = 1, .latency_ns = 12'300, .cpu = 1, .cause = "", .path = "sub-buffer switch"})),
            "the worst gap of maxlat:timer, 12.3 us, was a sub-buffer switch (9 of them, median 470 ns)");
}

TEST(WorstInWords, WhatWasNotTheTracerIsSaidAndTheTracersOwnWorstBesideIt) {
  EXPECT_EQ(
      worst_in_words(arm({.t_ns = 1, .latency_ns = 191'000, .cpu = 1, .cause = "", .path = "ordinary event"})),
      "the worst gap of maxlat:timer, 191 us, was an ordinary event, none of the tracer's rare paths; the worst of "
      "the rare ones, 470 ns, was a sub-buffer switch (9 of them, median 470 ns)");
  EXPECT_EQ(
      worst_in_words(arm({.t_ns = 1, .latency_ns = 191'000, .cpu = 1, .cause = "no tracepoint in it"})),
      "the worst gap of maxlat:timer, 191 us, took no path that its trace tells (no tracepoint in it); the worst of "
      "the rare ones, 470 ns, was a sub-buffer switch (9 of them, median 470 ns)");
}

// The table beside it has "-" there.
TEST(WorstInWords, TheOnlyOneHasNoMedian) {
  Phase phase = arm({.t_ns = 1, .latency_ns = 470, .cpu = 1, .cause = "", .path = "sub-buffer switch"});
  phase.paths = {path("sub-buffer switch", true, 470, 1)};
  EXPECT_THAT(worst_in_words(phase), testing::HasSubstr("was a sub-buffer switch (1 of them)"));
}

TEST(WorstInWords, WhatIsNotKnownIsNotNamed) {
  Phase phase = arm({.t_ns = 1, .latency_ns = 191'000, .cpu = 1, .cause = ""});
  phase.paths.resize(1);
  EXPECT_EQ(worst_in_words(phase), "the worst gap of maxlat:timer, 191 us, has no path in its trace");
  phase.paths.clear();
  EXPECT_EQ(worst_in_words(phase), "");
}

TEST(StoryOf, HasCauseAndPath) {
  EXPECT_EQ(story_of({.cause = "", .path = ""}), "");
  EXPECT_EQ(story_of({.cause = "round 2", .path = "sub-buffer switch"}), "round 2: sub-buffer switch");
  EXPECT_EQ(story_of({.cause = "throttled"}), "throttled");
  EXPECT_EQ(
      story_of(
          {.cause = "", .path = "sub-buffer switch", .accounting = {{.kind = TimeClass::nmi, .name = "", .ns = 4000}}}),
      "sub-buffer switch; nmi 4.00 us");
}

TEST(LineOf, HasTheTimeFromTheGapsEnd) {
  Outlier outlier;
  outlier.t_ns = 1000;
  EXPECT_EQ(line_of({500, "npt:loop", "count 41", "sub-buffer switch"}, outlier),
            "        -500 ns  npt:loop  count 41  sub-buffer switch");
  EXPECT_EQ(line_of({1020, "npt:stop", "", ""}, outlier), "         +20 ns  npt:stop");
}

}  // namespace
}  // namespace maxlat::core
