// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <maxlat/base/histogram.hpp>
#include <random>
#include <vector>

extern "C" uint64_t maxlat_test_kernel_style_loop(maxlat_histogram* histogram, uint64_t steps);

namespace maxlat::base {
namespace {

static_assert(sizeof(maxlat_histogram) <= 1024 * 1024, "at most 1 MiB per CPU at full range");

// 100 s at 5 GHz lies within the range.
static_assert(100ull * 5'000'000'000ull < 1ull << MAXLAT_HISTOGRAM_RANGE_BITS);

uint64_t sum_of_buckets(const Histogram& h) {
  uint64_t sum = 0;
  for (uint64_t count : h.raw().bucket) sum += count;
  return sum;
}

TEST(Histogram, IndexHasKnownAnswersAtEveryEdgeOfTheTable) {
  EXPECT_EQ(maxlat_histogram_index(0), 0u);
  EXPECT_EQ(maxlat_histogram_index(1), 1u);
  EXPECT_EQ(maxlat_histogram_index(1023), 1023u);
  EXPECT_EQ(maxlat_histogram_index(1024), 1024u);
  EXPECT_EQ(maxlat_histogram_index(2047), 2047u);
  EXPECT_EQ(maxlat_histogram_index(2048), 2048u);
  EXPECT_EQ(maxlat_histogram_index(2049), 2048u);
  EXPECT_EQ(maxlat_histogram_index(4095), 3071u);
  EXPECT_EQ(maxlat_histogram_index(4096), 3072u);
  EXPECT_EQ(maxlat_histogram_index(8191), 4095u);
  EXPECT_EQ(maxlat_histogram_index(1ull << 39), 30720u);
  EXPECT_EQ(maxlat_histogram_index((1ull << 40) - 1), 31743u);
  EXPECT_EQ(MAXLAT_HISTOGRAM_BUCKETS, 31744u);
}

TEST(Histogram, BucketsTileTheRangeWithoutGapOrOverlap) {  // invariant (2)
  EXPECT_EQ(maxlat_histogram_low(0), 0u);
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; ++i) {
    const uint64_t low = maxlat_histogram_low(i), high = maxlat_histogram_high(i);
    ASSERT_LE(low, high);
    ASSERT_EQ(maxlat_histogram_index(low), i);
    ASSERT_EQ(maxlat_histogram_index(high), i);
    if (i + 1 < MAXLAT_HISTOGRAM_BUCKETS) {
      ASSERT_EQ(high + 1, maxlat_histogram_low(i + 1));
    }
    ASSERT_LE(static_cast<double>(high - low), std::ldexp(static_cast<double>(low), -10)) << "bucket " << i;
  }
  EXPECT_EQ(maxlat_histogram_high(MAXLAT_HISTOGRAM_BUCKETS - 1), (1ull << 40) - 1);
}

TEST(Histogram, AnEmptyOneHasNoValues) {
  const Histogram h;
  EXPECT_TRUE(maxlat_histogram_valid(&h.raw()));
  EXPECT_EQ(h.total(), 0u);
  EXPECT_EQ(h.min(), 0u);
  EXPECT_EQ(h.max(), 0u);
  EXPECT_EQ(h.quantile(0.5), 0u);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.variance(), 0);
}

TEST(Histogram, AForeignHeaderIsNotValid) {
  Histogram h;
  for (const auto& spoil : std::vector<void (*)(maxlat_histogram&)>{
           [](maxlat_histogram& r) { r.magic = 0; }, [](maxlat_histogram& r) { r.version++; },
           [](maxlat_histogram& r) { r.sub_bits--; }, [](maxlat_histogram& r) { r.bucket_count++; }}) {
    Histogram spoilt = h;
    spoil(spoilt.raw());
    EXPECT_FALSE(maxlat_histogram_valid(&spoilt.raw()));
  }
}

TEST(Histogram, SumOfBucketsAndOverflowsIsTheNumberOfValues) {  // invariant (1)
  Histogram h;
  std::mt19937_64 random(1);
  uint64_t beyond = 0;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t value = random() >> (random() % 64);
    beyond += value >> 40 != 0;
    h.record(value);
  }
  EXPECT_GT(beyond, 0u);
  EXPECT_EQ(h.raw().overflow_count, beyond);
  EXPECT_EQ(sum_of_buckets(h) + beyond, 100000u);
  EXPECT_EQ(h.total(), 100000u);
}

TEST(Histogram, AValueBeyondTheRangeKeepsItsValueAndItsTime) {
  Histogram h;
  h.record((1ull << 40) - 1, 1);
  EXPECT_EQ(h.raw().overflow_count, 0u);
  for (uint64_t i = 0; i < 20; ++i) h.record((1ull << 40) + i, 100 + i);
  EXPECT_EQ(h.raw().overflow_count, 20u);
  for (uint64_t i = 0; i < MAXLAT_HISTOGRAM_OVERFLOWS; ++i) {
    EXPECT_EQ(h.raw().overflow[i].value, (1ull << 40) + i);
    EXPECT_EQ(h.raw().overflow[i].time, 100 + i);
  }
  EXPECT_EQ(h.max(), (1ull << 40) + 19);
  EXPECT_EQ(h.quantile(1.0), h.max());
  EXPECT_EQ(h.quantile(1.0 / 21), (1ull << 40) - 1);
}

TEST(Histogram, MomentsAreExact) {  // invariant (3)
  Histogram h;
  maxlat_u128 squares = 0;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t value = (1ull << 39) + i * 7919;  // squares need 78 bits, their sum more than 64
    squares += static_cast<maxlat_u128>(value) * value;
    sum += value;
    h.record(value);
  }
  EXPECT_EQ(h.raw().sum, sum);
  EXPECT_EQ(h.raw().sum_sq_low, static_cast<uint64_t>(squares));
  EXPECT_EQ(h.raw().sum_sq_high, static_cast<uint64_t>(squares >> 64));
  EXPECT_EQ(h.min(), 1ull << 39);
  EXPECT_EQ(h.max(), (1ull << 39) + 999 * 7919);
  // The variance of an arithmetic progression of n terms and step d is d^2 (n^2 - 1) / 12.
  EXPECT_NEAR(h.variance(), 7919.0 * 7919.0 * (1000.0 * 1000.0 - 1) / 12, 1e-3);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(1ull << 39) + 999 * 7919 / 2.0);
}

TEST(Histogram, VarianceDoesNotCancelWhenTheMeanIsLarge) {
  Histogram h;
  for (int i = 0; i < 500000; ++i) {
    h.record(1'000'000'000);
    h.record(1'000'000'001);
  }
  EXPECT_DOUBLE_EQ(h.variance(), 0.25);
}

// Quantiles against the sorted values themselves: never understated, overstated by at most 0.1 %.
void expect_quantiles_of(std::vector<uint64_t> values) {
  Histogram h;
  for (uint64_t value : values) h.record(value);
  std::sort(values.begin(), values.end());
  for (double q : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size()) - 1e-9));
    const uint64_t exact = values[rank == 0 ? 0 : rank - 1];
    EXPECT_GE(h.quantile(q), exact) << "q " << q;
    EXPECT_LE(static_cast<double>(h.quantile(q)), static_cast<double>(exact) * 1.001) << "q " << q;
  }
}

TEST(Histogram, QuantileErrorIsAtMostATenthOfAPercent) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> uniform, lognormal, pareto, two_peaks;
  std::lognormal_distribution<double> body(10, 2);
  for (int i = 0; i < 200000; ++i) {
    uniform.push_back(random() % 1'000'000'000);
    lognormal.push_back(static_cast<uint64_t>(body(random)));
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    pareto.push_back(static_cast<uint64_t>(std::min(1e12, 50 / std::pow(1 - u, 1.5))));
    two_peaks.push_back(random() % 1000 == 0 ? 130'000'000 : 52);
  }
  expect_quantiles_of(uniform);
  expect_quantiles_of(lognormal);
  expect_quantiles_of(pareto);
  expect_quantiles_of(two_peaks);
  expect_quantiles_of({7});
}

TEST(Histogram, ALevelThatIsNotABinaryFractionMeansItsDecimalRank) {
  Histogram h;
  for (uint64_t value = 1; value <= 10; ++value) h.record(value);
  EXPECT_EQ(h.quantile(0.9), 9u);
  EXPECT_EQ(h.quantile(0.7), 7u);
  EXPECT_EQ(h.quantile(0.91), 10u);
  Histogram even, odd;
  for (uint64_t value : {1u, 2u, 3u, 4u}) even.record(value);
  for (uint64_t value : {1u, 2u, 3u}) odd.record(value);
  EXPECT_EQ(even.quantile(0.5), 2u);
  EXPECT_EQ(odd.quantile(0.5), 2u);
}

TEST(Histogram, MergingIsRecordingBoth) {  // invariant (4)
  std::mt19937_64 random(3);
  Histogram a, b, both;
  for (int i = 0; i < 50000; ++i) {
    const uint64_t value = random() >> (24 + random() % 40);  // in range: overflows below, in order
    (i % 3 == 0 ? a : b).record(value);
    both.record(value);
  }
  for (uint64_t i = 0; i < 10; ++i) a.record((1ull << 41) + i, i);
  for (uint64_t i = 0; i < 10; ++i) b.record((1ull << 42) + i, 50 + i);
  for (uint64_t i = 0; i < 10; ++i) both.record((1ull << 41) + i, i);
  for (uint64_t i = 0; i < 10; ++i) both.record((1ull << 42) + i, 50 + i);
  a.merge(b);
  EXPECT_EQ(std::memcmp(&a.raw(), &both.raw(), sizeof(maxlat_histogram)), 0);
  EXPECT_EQ(a.total(), 50020u);
}

TEST(Histogram, ACopyOfAGrowingOneKeepsTheBooks) {
  Histogram growing;  // a loop counts buckets only; the moments are in its registers
  for (uint64_t value : {50u, 51u, 51u, 100'000u}) maxlat_histogram_count_in_range(&growing.raw(), value);
  maxlat_histogram_count_overflow(&growing.raw(), 1ull << 41, 5);
  const Histogram copy = Histogram::copy_of_growing(growing.raw(), 0);
  EXPECT_EQ(copy.total(), 5u);
  EXPECT_EQ(copy.min(), 50u);
  EXPECT_EQ(copy.max(), 1ull << 41);
  EXPECT_NEAR(copy.mean(), (50 + 51 + 51 + 100'000 + std::ldexp(1.0, 41)) / 5, 50);
  Histogram in_range;
  for (uint64_t value : {50u, 100'001u}) maxlat_histogram_count_in_range(&in_range.raw(), value);
  EXPECT_EQ(Histogram::copy_of_growing(in_range.raw(), 100'001).max(), 100'001u);
}

TEST(Histogram, TheKernelsWayOfUsingItKeepsTheBooks) {
  Histogram h;
  const uint64_t watched = maxlat_test_kernel_style_loop(&h.raw(), 10000);
  EXPECT_EQ(h.total(), 10001u);
  EXPECT_EQ(h.raw().sum, watched);
  EXPECT_LE(h.min(), h.quantile(0.5));
  EXPECT_GE(h.max(), h.quantile(0.9999));
}

}  // namespace
}  // namespace maxlat::base
