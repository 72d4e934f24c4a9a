// SPDX-License-Identifier: MIT
// What a histogram of a program becomes in a result, between two looks.
#include "sensors/recording/recorded_values.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/core/result/run_frame.hpp>

#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

sensors::HistogramValue histogram_of(const std::vector<std::uint64_t>& values, std::uint64_t overflows = 0) {
  sensors::HistogramValue one;
  one.shape = {2, 10};
  one.buckets.resize(maxlat_shape_buckets(one.shape));
  one.min = ~0ull;
  for (const std::uint64_t value : values) {
    ++one.buckets[maxlat_shape_index(one.shape, value)];
    one.min = std::min(one.min, value);
    one.max = std::max(one.max, value);
    one.sum += value;
  }
  one.overflows = overflows;
  one.total = values.size() + overflows;
  one.has_moments = !values.empty();
  return one;
}

// What it is refused for as a file.
std::string wrong_with(const core::CpuResult& result) {
  core::RunResult run = core::run_frame("test", "2026-11-26T12:00:00Z");
  core::Phase& phase = run.phases.emplace_back();
  phase.name = phase.kind = "sensor";
  phase.status = core::PhaseStatus::ok;
  phase.per_cpu = {result};
  const core::Status valid = core::validate(run);
  return valid ? "" : valid.error().text;
}

TEST(RecordedValues, FromTheBeginOnExtremesAndMeanAreExact) {
  const core::CpuResult result = result_between({}, histogram_of({5, 101, 101, 900}), 1000);
  EXPECT_EQ(result.samples, 4u);
  EXPECT_EQ(result.min_ns, 5000);
  EXPECT_EQ(result.max_ns, 900'000);
  EXPECT_EQ(result.mean_ns, 1107 * 1000 / 4.0);
  EXPECT_EQ(wrong_with(result), "");
}

// A defect: its buckets were taken for those of a log-linear one, and what lies below them was lost.
TEST(RecordedValues, ALinearHistogramHasItsOwnBins) {
  sensors::HistogramValue linear;
  linear.low = 100;
  linear.width = 50;
  linear.buckets = {0, 3, 1};
  linear.below = 2;
  linear.overflows = 1;
  linear.total = 7;
  const core::CpuResult result = result_between({}, linear, 1000);
  EXPECT_EQ(result.samples, 7u);
  ASSERT_EQ(result.bins.size(), 3u);
  EXPECT_EQ(result.bins[0].low_ns, 0);
  EXPECT_EQ(result.bins[0].high_ns, 100'000);
  EXPECT_EQ(result.bins[0].count, 2u);
  EXPECT_EQ(result.bins[1].low_ns, 150'000);
  EXPECT_EQ(result.bins[2].high_ns, 250'000);
  EXPECT_EQ(result.overflow_count, 1u);
  EXPECT_EQ(wrong_with(result), "");
}

TEST(RecordedValues, OfATimeInBetweenOnlyWhatWasPostedThen) {
  const core::CpuResult result = result_between(histogram_of({5, 900}), histogram_of({5, 900, 101, 101}), 1);
  EXPECT_EQ(result.samples, 2u);
  ASSERT_EQ(result.bins.size(), 1u);
  // Neither is known: the bin's edges.
  EXPECT_EQ(result.min_ns, result.bins[0].low_ns);
  EXPECT_EQ(result.max_ns, result.bins[0].high_ns);
  EXPECT_LE(result.min_ns, 101);
  EXPECT_GT(result.max_ns, 101);
  EXPECT_EQ(result.mean_ns, 101);
  EXPECT_EQ(wrong_with(result), "");
  const core::CpuResult larger = result_between(histogram_of({5, 90}), histogram_of({5, 90, 101}), 1);
  EXPECT_EQ(larger.max_ns, 101) << "it is the largest of all, so it is of this time";
}

TEST(RecordedValues, BeyondTheRange) {
  sensors::HistogramValue some = histogram_of({5}, 2);
  some.max = 5000;
  const core::CpuResult result = result_between({}, some, 1);
  EXPECT_EQ(result.samples, 3u);
  EXPECT_EQ(result.overflow_count, 2u);
  EXPECT_EQ(result.max_ns, 5000);
  EXPECT_EQ(wrong_with(result), "");
  EXPECT_EQ(wrong_with(result_between(histogram_of({5}), some, 1)), "") << "none within it";
}

// A bucket is ahead of the words beside it for an instruction or two, and of another post than these.
TEST(RecordedValues, APostUnderWayContradictsNothing) {
  sensors::HistogramValue torn = histogram_of({100, 200});
  torn.sum = 0;
  torn.max = 1000;
  torn.min = 1;
  const core::CpuResult result = result_between({}, torn, 1);
  EXPECT_EQ(wrong_with(result), "");
  EXPECT_LT(result.max_ns, 300);
  EXPECT_GE(result.min_ns, 90);
}

TEST(RecordedValues, WithoutMoments) {
  sensors::HistogramValue bare = histogram_of({100, 200, 300});
  bare.has_moments = false;
  bare.min = ~0ull;
  bare.max = bare.sum = 0;
  EXPECT_EQ(wrong_with(result_between({}, bare, 1)), "");
  bare = histogram_of({}, 3);
  EXPECT_EQ(wrong_with(result_between({}, bare, 1)), "");
}

TEST(RecordedValues, UnitsOfTime) {
  EXPECT_EQ(ns_of_unit("ns"), 1);
  EXPECT_EQ(ns_of_unit("us"), 1000);
  EXPECT_EQ(ns_of_unit("ms"), 1e6);
  EXPECT_EQ(ns_of_unit("s"), 1e9);
  EXPECT_EQ(ns_of_unit("ticks:2000000"), 0.5);
  for (const char* other : {"", "ticks", "ticks:", "ticks:0", "ticks:-1", "ticks:2e6", "mK", "bytes", "n", "seconds"})
    EXPECT_EQ(ns_of_unit(other), 0) << other;
}

// A defect: of these units only ns was.
TEST(RecordedValues, TimesAreShownAsTimes) {
  const auto shown = [](const char* unit, std::int64_t value) {
    sensors::GaugeValue gauge;
    gauge.value = gauge.lowest = gauge.highest = value;
    sensors::SensorFacts facts;
    facts.kind = sensors::SensorKind::gauge;
    facts.unit = unit;
    return value_text(facts, gauge);
  };
  const std::string expected = shown("ns", 1'500'000);
  EXPECT_EQ(shown("us", 1500), expected);
  EXPECT_EQ(shown("ticks:2000000", 3'000'000), expected);
  EXPECT_EQ(shown("ms", 1500), "1.50 s");
  EXPECT_EQ(shown("ticks", 42), "42 ticks");
}

}  // namespace
}  // namespace maxlat::trace_tools
