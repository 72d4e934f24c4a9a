// SPDX-License-Identifier: MIT
//
// The sampling step against scripted counters: every sequence of reads has books that can be done by hand.
#include <gtest/gtest.h>
#include <maxlat/base/gap_meter.h>

#include <algorithm>
#include <cstring>
#include <maxlat/base/histogram.hpp>
#include <numeric>
#include <random>
#include <vector>

namespace maxlat::base {
namespace {

constexpr uint64_t kBeyond = 1ull << MAXLAT_HISTOGRAM_RANGE_BITS;

struct RareVisit {
  uint64_t gap, time;
  bool operator==(const RareVisit&) const = default;
};

struct Metered {
  Histogram histogram;
  std::vector<RareVisit> rare;
  uint64_t steps = 0;  // samples - 1
};

// Runs the loop of gap_meter.h over a list of counter reads.
Metered run_script(const std::vector<uint64_t>& reads, uint64_t rare_above, uint64_t block_end = UINT64_MAX) {
  Metered metered;
  size_t next = 0;
  uint64_t max = 0;
  maxlat_gap_meter meter;
  const uint64_t first = reads[next++];
  maxlat_gap_start(&meter, first, reads[next++]);
  meter.rare_above = rare_above;
  meter.block_end = block_end;
  for (;;) {
    bool out_of_reads = next == reads.size();
    while (maxlat_gap_is_rare(&meter)) {
      metered.rare.push_back({meter.pending, meter.previous});
      max = std::max(max, meter.pending);
      if (meter.previous >= meter.block_end) meter.block_end = UINT64_MAX;
      if (maxlat_histogram_in_range(meter.pending) || out_of_reads) break;
      maxlat_gap_take_overflow(&meter, &metered.histogram.raw(), reads[next++]);
      ++metered.steps;
      out_of_reads = next == reads.size();
    }
    max = std::max(max, meter.pending);
    if (out_of_reads) break;
    maxlat_gap_step(&meter, &metered.histogram.raw(), reads[next++]);
    ++metered.steps;
  }
  maxlat_gap_finish(&meter, &metered.histogram.raw(), max);
  return metered;
}

std::vector<uint64_t> reads_from_gaps(uint64_t start, const std::vector<uint64_t>& gaps) {
  std::vector<uint64_t> reads{start};
  for (uint64_t gap : gaps) reads.push_back(reads.back() + gap);
  return reads;
}

// The same gaps, recorded one by one without any cleverness.
Histogram recorded(uint64_t start, const std::vector<uint64_t>& gaps) {
  Histogram h;
  uint64_t time = start;
  for (uint64_t gap : gaps) h.record(gap, time += gap);
  return h;
}

TEST(GapMeter, TheLastSampleIsNotLost) {
  const Metered one = run_script(reads_from_gaps(1000, {77}), 1000);
  EXPECT_EQ(one.histogram.total(), 1u);
  EXPECT_EQ(one.histogram.raw().bucket[77], 1u);
  const Metered three = run_script(reads_from_gaps(1000, {50, 51, 9000}), 10000);
  EXPECT_EQ(three.histogram.total(), 3u);
  EXPECT_EQ(three.histogram.raw().bucket[maxlat_histogram_index(9000)], 1u);
  EXPECT_EQ(three.histogram.max(), 9000u);
}

TEST(GapMeter, AnOutlierHasTheTimeOfItsOwnEnd) {
  const Metered metered = run_script(reads_from_gaps(1000, {50, 50, 7000, 50, 8000}), 100);
  EXPECT_EQ(metered.rare, (std::vector<RareVisit>{{7000, 8100}, {8000, 16150}}));
}

TEST(GapMeter, AGapEqualToTheLimitIsNotRareAndOneTickMoreIs) {
  EXPECT_TRUE(run_script(reads_from_gaps(0, {100, 100}), 100).rare.empty());
  EXPECT_EQ(run_script(reads_from_gaps(0, {100, 101}), 100).rare, (std::vector<RareVisit>{{101, 201}}));
}

TEST(GapMeter, TheBlocksEndIsSeenByTheReadThatReachesIt) {
  EXPECT_EQ(run_script(reads_from_gaps(0, {10, 10, 10}), 100, 20).rare, (std::vector<RareVisit>{{10, 20}}));
  EXPECT_EQ(run_script(reads_from_gaps(0, {10, 10, 10}), 100, 21).rare, (std::vector<RareVisit>{{10, 30}}));
}

TEST(GapMeter, AGapWithoutABucketIsKeptWholeAndTheNextOneIsNotLost) {
  const std::vector<uint64_t> gaps{50, kBeyond + 5, 60, kBeyond, kBeyond + 1, 70};
  const Metered metered = run_script(reads_from_gaps(7, gaps), 1000);
  EXPECT_EQ(metered.steps + 1, gaps.size());
  EXPECT_EQ(metered.histogram.raw().overflow_count, 3u);
  EXPECT_EQ(metered.histogram.raw().overflow[0].value, kBeyond + 5);
  EXPECT_EQ(metered.histogram.raw().overflow[0].time, 7 + 50 + kBeyond + 5);
  EXPECT_EQ(metered.histogram.raw().bucket[60], 1u);
  EXPECT_EQ(metered.histogram.raw().bucket[70], 1u);
}

TEST(GapMeter, AnOverflowAsTheLastSampleIsKept) {
  const Metered metered = run_script(reads_from_gaps(0, {50, kBeyond}), MAXLAT_GAP_RARE_MAX);
  EXPECT_EQ(metered.histogram.total(), 2u);
  EXPECT_EQ(metered.histogram.raw().overflow_count, 1u);
  EXPECT_EQ(metered.histogram.raw().overflow[0].time, 50 + kBeyond);
}

TEST(GapMeter, DelayedFilingGivesTheBooksOfImmediateFiling) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> gaps(1 + random() % 300);
    for (uint64_t& gap : gaps) gap = random() >> (23 + random() % 41);  // 0 .. 2^41, so some have no bucket
    const uint64_t start = random() >> 8;
    const Metered metered = run_script(reads_from_gaps(start, gaps), random() >> (24 + random() % 20));
    const Histogram by_hand = recorded(start, gaps);
    ASSERT_EQ(std::memcmp(&metered.histogram.raw(), &by_hand.raw(), sizeof(maxlat_histogram)), 0) << "round " << round;
    ASSERT_EQ(metered.steps + 1, metered.histogram.total());
    ASSERT_EQ(metered.histogram.raw().sum, std::accumulate(gaps.begin(), gaps.end(), uint64_t{0}));
  }
}

TEST(GapMeter, AGapOfZeroIsASample) {  // emulators: adjacent reads may be equal
  const Metered metered = run_script({5, 5, 5, 6}, 100);
  EXPECT_EQ(metered.histogram.raw().bucket[0], 2u);
  EXPECT_EQ(metered.histogram.min(), 0u);
}

}  // namespace
}  // namespace maxlat::base
