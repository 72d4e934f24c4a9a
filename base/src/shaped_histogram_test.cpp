// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <maxlat/base/histogram.hpp>
#include <maxlat/base/owned.hpp>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

// As a parameter of a test.
static void PrintTo(const maxlat_histogram_shape& shape, std::ostream* out) {
  *out << shape.sub_bits << " sub-bits of " << shape.range_bits;
}

namespace maxlat::base {
namespace {

constexpr std::byte kGuard{0xa5};

// Borrowed memory of just so many bytes, aligned to a cache line, with guards on both sides.
class Memory {
 public:
  explicit Memory(size_t bytes) : bytes_(bytes), all_(bytes + 3 * kLine, kGuard) {
    begin_ = 2 * kLine - reinterpret_cast<uintptr_t>(all_.data()) % kLine;
  }
  std::span<std::byte> span() { return {all_.data() + begin_, bytes_}; }
  bool has_whole_guards() const {
    const auto is_guard = [](std::byte byte) { return byte == kGuard; };
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(begin_);
    return std::all_of(all_.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(bytes_), all_.end(), is_guard);
  }

 private:
  static constexpr size_t kLine = MAXLAT_SHAPED_ALIGNMENT;
  size_t bytes_;
  std::vector<std::byte> all_;
  size_t begin_;
};

ShapedHistogram made(Memory& memory, maxlat_histogram_shape shape) {
  return *ShapedHistogram::make(memory.span(), shape);
}

uint64_t largest_of(maxlat_histogram_shape shape) {
  return ~uint64_t{0} >> (64 - shape.range_bits);
}

// Values of every magnitude in range, with all edges of octaves.
std::vector<uint64_t> values_in_range(maxlat_histogram_shape shape, unsigned seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> values{0, largest_of(shape)};
  for (uint32_t bit = 0; bit < shape.range_bits; ++bit) {
    values.push_back(uint64_t{1} << bit);
    values.push_back((uint64_t{1} << bit) - 1);
  }
  while (values.size() < count) values.push_back(random() >> (64 - shape.range_bits + random() % shape.range_bits));
  return values;
}

class ShapedHistogramTest : public testing::TestWithParam<maxlat_histogram_shape> {
 protected:
  const maxlat_histogram_shape shape_ = GetParam();
  const uint32_t buckets_ = maxlat_shape_buckets(shape_);
};

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedHistogramTest,
                         testing::Values(maxlat_histogram_standard_shape(), maxlat_histogram_shape{0, 1},
                                         maxlat_histogram_shape{0, 64}, maxlat_histogram_shape{1, 1},
                                         maxlat_histogram_shape{2, 5}, maxlat_histogram_shape{2, 64},
                                         maxlat_histogram_shape{5, 32}, maxlat_histogram_shape{7, 20},
                                         maxlat_histogram_shape{12, 12}, maxlat_histogram_shape{12, 48},
                                         maxlat_histogram_shape{16, 17}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.sub_bits) + "of" + std::to_string(shape.param.range_bits);
                         });

TEST_P(ShapedHistogramTest, EveryValueFallsIntoItsBucket) {
  for (const uint64_t value : values_in_range(shape_, 1, 20'000)) {
    ASSERT_TRUE(maxlat_shape_in_range(shape_, value)) << value;
    const uint32_t index = maxlat_shape_index(shape_, value);
    ASSERT_LT(index, buckets_) << value;
    ASSERT_LE(maxlat_shape_low(shape_, index), value);
    ASSERT_GE(maxlat_shape_high(shape_, index), value);
  }
  if (shape_.range_bits < 64) {
    EXPECT_FALSE(maxlat_shape_in_range(shape_, largest_of(shape_) + 1));
    EXPECT_FALSE(maxlat_shape_in_range(shape_, ~uint64_t{0}));
  }
}

TEST_P(ShapedHistogramTest, BucketsTileTheRangeAndAreAsFineAsPromised) {
  EXPECT_EQ(maxlat_shape_low(shape_, 0), 0u);
  for (uint32_t i = 0; i < buckets_; ++i) {
    const uint64_t low = maxlat_shape_low(shape_, i), high = maxlat_shape_high(shape_, i);
    ASSERT_LE(low, high) << i;
    ASSERT_EQ(maxlat_shape_index(shape_, low), i);
    ASSERT_EQ(maxlat_shape_index(shape_, high), i);
    ASSERT_LE(high - low, low >> shape_.sub_bits) << i;
    if (i + 1 < buckets_) {
      ASSERT_EQ(high + 1, maxlat_shape_low(shape_, i + 1));
    }
  }
  EXPECT_EQ(maxlat_shape_high(shape_, buckets_ - 1), largest_of(shape_));
}

TEST_P(ShapedHistogramTest, TheBooksBalanceWithinItsMemory) {
  Memory memory(maxlat_shaped_bytes(shape_));
  ShapedHistogram histogram = made(memory, shape_);
  const std::vector<uint64_t> values = values_in_range(shape_, 2, 10'000);
  for (const uint64_t value : values) histogram.record(value);
  uint64_t beyond = 0;
  if (shape_.range_bits < 64) {
    for (beyond = 0; beyond < 20; ++beyond) histogram.record(largest_of(shape_) + 1 + beyond, 100 + beyond);
  }
  const HistogramView view = histogram.view();
  uint64_t in_buckets = 0;
  for (uint32_t i = 0; i < buckets_; ++i) in_buckets += maxlat_shaped_count_at(&view.head(), i);
  EXPECT_EQ(in_buckets, values.size());
  EXPECT_EQ(view.head().overflow_count, beyond);
  EXPECT_EQ(view.total(), values.size() + beyond);
  for (uint64_t i = 0; i < std::min<uint64_t>(beyond, MAXLAT_HISTOGRAM_OVERFLOWS); ++i) {
    EXPECT_EQ(view.head().overflow[i].value, largest_of(shape_) + 1 + i);
    EXPECT_EQ(view.head().overflow[i].time, 100 + i);
  }
  EXPECT_EQ(view.min(), 0u);
  EXPECT_EQ(view.max(), largest_of(shape_) + beyond);
  EXPECT_EQ(view.quantile(1), view.max());
  EXPECT_TRUE(memory.has_whole_guards());
}

TEST_P(ShapedHistogramTest, AQuantileIsNeverUnderstatedAndOverstatedByLessThanItsSubBitsSay) {
  Memory memory(maxlat_shaped_bytes(shape_));
  ShapedHistogram histogram = made(memory, shape_);
  std::vector<uint64_t> values = values_in_range(shape_, 3, 10'000);
  for (const uint64_t value : values) histogram.record(value);
  std::sort(values.begin(), values.end());
  for (const double q : {0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size()) - 1e-9));
    const uint64_t exact = values[rank == 0 ? 0 : rank - 1], told = histogram.view().quantile(q);
    EXPECT_GE(told, exact) << q;
    EXPECT_LE(told - exact, exact >> shape_.sub_bits) << q;
  }
}

TEST_P(ShapedHistogramTest, MergingIsRecordingBoth) {
  Memory first(maxlat_shaped_bytes(shape_)), second(first.span().size()), together(first.span().size());
  ShapedHistogram a = made(first, shape_), b = made(second, shape_), both = made(together, shape_);
  size_t n = 0;
  for (const uint64_t value : values_in_range(shape_, 4, 5'000)) {
    (n++ % 3 == 0 ? a : b).record(value);
    both.record(value);
  }
  if (shape_.range_bits < 64) {
    const uint64_t beyond = largest_of(shape_) + 1;
    for (uint64_t i = 0; i < 10; ++i) a.record(beyond + i, i);
    for (uint64_t i = 0; i < 10; ++i) b.record(beyond + 2 * i, 50 + i);
    for (uint64_t i = 0; i < 10; ++i) both.record(beyond + i, i);
    for (uint64_t i = 0; i < 10; ++i) both.record(beyond + 2 * i, 50 + i);
  }
  ASSERT_TRUE(a.merge(b.view()));
  EXPECT_TRUE(std::ranges::equal(first.span(), together.span()));
}

TEST_P(ShapedHistogramTest, IsFoundAgainWithItsShapeAndRefusedWhereItDoesNotFit) {
  const size_t bytes = maxlat_shaped_bytes(shape_);
  EXPECT_EQ(bytes, 512 + 8 * size_t{buckets_});
  Memory memory(bytes);
  const auto cut = memory.span().first(bytes - 1);
  EXPECT_FALSE(ShapedHistogram::make(cut, shape_));
  EXPECT_TRUE(std::ranges::all_of(memory.span(), [](std::byte b) { return b == kGuard; })) << "nothing was written";
  made(memory, shape_).record(0);
  const auto found = HistogramView::find(memory.span());
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_TRUE(maxlat_shape_equal(found->shape(), shape_));
  EXPECT_EQ(found->total(), 1u);
  EXPECT_FALSE(HistogramView::find(cut));
  EXPECT_FALSE(HistogramView::find(memory.span().first(511)));
  EXPECT_FALSE(HistogramView::find({}));
}

TEST(ShapedHistogram, HasKnownAnswersInASmallShape) {
  constexpr maxlat_histogram_shape kSmall{2, 5};
  ASSERT_EQ(maxlat_shape_buckets(kSmall), 16u);
  constexpr uint32_t kIndex[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  8,  9,  9,  10, 10, 11, 11,
                                   12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15};
  for (uint32_t value = 0; value < 32; ++value) EXPECT_EQ(maxlat_shape_index(kSmall, value), kIndex[value]) << value;
}

TEST(ShapedHistogram, OfTheStandardShapeIsAStandardHistogram) {
  Memory memory(sizeof(maxlat_histogram));
  ShapedHistogram shaped = made(memory, maxlat_histogram_standard_shape());
  Histogram standard;
  for (const uint64_t value : values_in_range({10, 42}, 5, 5'000)) {
    shaped.record(value, 7);
    standard.record(value, 7);
  }
  EXPECT_EQ(maxlat_shaped_bytes(maxlat_histogram_standard_shape()), sizeof(maxlat_histogram));
  EXPECT_EQ(std::memcmp(&shaped.head(), &standard.raw(), sizeof(maxlat_histogram)), 0);
  EXPECT_EQ(maxlat_histogram_valid(reinterpret_cast<maxlat_histogram*>(&shaped.head())), 1);
  EXPECT_EQ(shaped.view().variance(), standard.variance());
}

TEST(ShapedHistogram, WhatIsNoShapeIsRefused) {
  Memory memory(1 << 20);
  for (const maxlat_histogram_shape none :
       {maxlat_histogram_shape{0, 0}, maxlat_histogram_shape{5, 4}, maxlat_histogram_shape{5, 65},
        maxlat_histogram_shape{17, 40}, maxlat_histogram_shape{~0u, ~0u}}) {
    EXPECT_EQ(maxlat_shaped_bytes(none), 0u);
    EXPECT_FALSE(ShapedHistogram::make(memory.span(), none)) << none.sub_bits << " of " << none.range_bits;
  }
}

TEST(ShapedHistogram, MemoryThatIsNotAlignedIsRefused) {
  constexpr maxlat_histogram_shape kShape{3, 10};
  Memory memory(maxlat_shaped_bytes(kShape) + MAXLAT_SHAPED_ALIGNMENT);
  made(memory, kShape);
  for (size_t off = 1; off < MAXLAT_SHAPED_ALIGNMENT; ++off) {
    const auto aside = memory.span().subspan(off);
    EXPECT_FALSE(ShapedHistogram::make(aside, kShape)) << off;
    std::memmove(aside.data(), memory.span().data(), maxlat_shaped_bytes(kShape));
    EXPECT_FALSE(HistogramView::find(aside)) << off;
    std::memmove(memory.span().data(), aside.data(), maxlat_shaped_bytes(kShape));
  }
  EXPECT_TRUE(HistogramView::find(memory.span())) << "the moves have spoilt it";
}

TEST(ShapedHistogram, TwoShapesDoNotMergeEvenWithAsManyBuckets) {
  constexpr maxlat_histogram_shape kEight[] = {{0, 7}, {1, 4}, {2, 3}, {3, 3}};
  for (const maxlat_histogram_shape mine : kEight) {
    for (const maxlat_histogram_shape other : kEight) {
      Memory memory(maxlat_shaped_bytes(mine)), others(maxlat_shaped_bytes(other));
      ASSERT_EQ(memory.span().size(), others.span().size());
      ShapedHistogram into = made(memory, mine), from = made(others, other);
      from.record(3);
      const bool same = maxlat_shape_equal(mine, other) != 0;
      EXPECT_EQ(into.merge(from.view()).ok(), same);
      EXPECT_EQ(into.view().total(), same ? 1u : 0u);
      EXPECT_EQ(into.view().max(), same ? 3u : 0u);
    }
  }
}

TEST(ShapedHistogram, AHeadThatSaysSomethingElseIsNone) {
  constexpr maxlat_histogram_shape kShape{3, 10};
  Memory memory(maxlat_shaped_bytes(kShape));
  for (const auto& spoil : std::vector<void (*)(maxlat_histogram_head&)>{
           [](maxlat_histogram_head& head) { head.magic ^= 1; }, [](maxlat_histogram_head& head) { head.version++; },
           [](maxlat_histogram_head& head) { head.sub_bits = 7; },
           [](maxlat_histogram_head& head) { head.sub_bits = 40; },
           [](maxlat_histogram_head& head) { head.bucket_count++; },
           [](maxlat_histogram_head& head) { head.bucket_count = 0; },
           [](maxlat_histogram_head& head) { head.bucket_count = ~0u; },
           [](maxlat_histogram_head& head) { head.bucket_count += 8; }}) {  // a shape, but of more memory
    spoil(made(memory, kShape).head());
    EXPECT_FALSE(HistogramView::find(memory.span()));
  }
}

// Whoever shares the memory may write anything there, at any time.
TEST(ShapedHistogram, AHeadThatChangesLaterLeadsNobodyOutOfTheMemory) {
  constexpr maxlat_histogram_shape kShape{3, 10};
  Memory memory(maxlat_shaped_bytes(kShape)), other(memory.span().size());
  ShapedHistogram histogram = made(memory, kShape);
  const auto view = HistogramView::find(memory.span());
  ASSERT_TRUE(view);
  std::memset(memory.span().data(), 0xff, sizeof(maxlat_histogram_head));
  histogram.head().overflow_count = 0;
  histogram.record(1023);
  histogram.record(1024);
  EXPECT_EQ(view->total(), 2u);
  EXPECT_TRUE(made(other, kShape).merge(*view));
  EXPECT_TRUE(memory.has_whole_guards());
  EXPECT_TRUE(other.has_whole_guards());
}

TEST(ShapedHistogram, AnotherProcessReadsItWhereItLies) {
  constexpr maxlat_histogram_shape kShape{6, 30};
  const size_t bytes = maxlat_shaped_bytes(kShape);
  void* where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(where, MAP_FAILED);
  const Mapping shared(where, bytes);
  auto histogram = ShapedHistogram::make({static_cast<std::byte*>(where), bytes}, kShape);
  ASSERT_TRUE(histogram);
  const pid_t writer = fork();
  if (writer == 0) {
    for (uint64_t value = 1; value <= 1000; ++value) histogram->record(value);
    _exit(0);
  }
  ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
  const auto view = HistogramView::find({static_cast<const std::byte*>(where), bytes});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->total(), 1000u);
  EXPECT_EQ(view->mean(), 500.5);
  EXPECT_EQ(view->quantile(0.1), 100u);
}

}  // namespace
}  // namespace maxlat::base
