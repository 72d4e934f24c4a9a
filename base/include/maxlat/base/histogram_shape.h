/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The shape of a log-linear histogram: how fine its buckets are, and how far they go. This header is only arithmetic on
 * two numbers. If both are known at compile time, the compiler folds all of it: a loop with a shape of its own costs no
 * more than one with the standard shape.
 *
 *   sub_bits     an octave [2^e, 2^(e+1)) is cut into 2^sub_bits equal buckets
 *   range_bits   values from 0 to 2^range_bits - 1 have a bucket
 *
 * DETAILS
 *   A bucket is at most 2^-sub_bits of its lower edge wide, so a value read back from it is wrong by less than that.
 *   Values below 2^(sub_bits + 1) are exact. Let shift = max(0, e - sub_bits). The bucket of v is
 *
 *       index(v) = (shift << sub_bits) + (v >> shift)
 *
 *   For v < 2^(sub_bits + 1) the shift is 0 and the index is v itself: the linear part and the first octave need no
 *   case of their own. With every further octave v >> shift runs through [2^sub_bits, 2^(sub_bits + 1)) again, and
 *   (shift << sub_bits) puts it behind the last. With 10 and 40, the standard shape:
 *
 *       v                 shift   index            bucket width
 *       0 .. 2047             0   0 .. 2047        1
 *       2048 .. 4095          1   2048 .. 3071     2
 *       4096 .. 8191          2   3072 .. 4095     4
 *       ...
 *       2^39 .. 2^40-1       29   30720 .. 31743   2^29
 *
 *   Extremes: 0 sub-bits make one bucket an octave; as many as there are bits of range make a linear histogram.
 *
 * INVARIANTS, watched by shaped_histogram_test.cpp for shapes from one bucket to all 64 bits
 *   (1) low(index(v)) <= v <= high(index(v)).
 *   (2) low(0) = 0, high(i) + 1 = low(i + 1), high(last) = 2^range_bits - 1: no gap, no overlap.
 *   (3) high(i) - low(i) <= low(i) * 2^-sub_bits.
 */
#ifndef MAXLAT_BASE_HISTOGRAM_SHAPE_H
#define MAXLAT_BASE_HISTOGRAM_SHAPE_H

#include <maxlat/base/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No clock is better than 15 parts in a million, and the index of a bucket has 32 bits. */
#define MAXLAT_SHAPE_MAX_SUB_BITS 16u

struct maxlat_histogram_shape {
  uint32_t sub_bits;
  uint32_t range_bits;
};

/* REQUIRED of the shape by all that follows. */
MAXLAT_ARITHMETIC int maxlat_shape_valid(struct maxlat_histogram_shape shape) {
  return shape.sub_bits <= MAXLAT_SHAPE_MAX_SUB_BITS && shape.range_bits >= 1 && shape.range_bits <= 64 &&
         shape.sub_bits <= shape.range_bits;
}

MAXLAT_ALWAYS_INLINE int maxlat_shape_equal(struct maxlat_histogram_shape a, struct maxlat_histogram_shape b) {
  return a.sub_bits == b.sub_bits && a.range_bits == b.range_bits;
}

MAXLAT_ARITHMETIC uint32_t maxlat_shape_buckets(struct maxlat_histogram_shape shape) {
  return (shape.range_bits - shape.sub_bits + 1u) << shape.sub_bits;
}

MAXLAT_ALWAYS_INLINE int maxlat_shape_in_range(struct maxlat_histogram_shape shape, uint64_t value) {
  return value >> (shape.range_bits - 1) >> 1 == 0; /* in two steps: the range may have all 64 bits */
}

/* The bucket of a value. REQUIRES: it is in range. */
MAXLAT_ALWAYS_INLINE uint32_t maxlat_shape_index(struct maxlat_histogram_shape shape, uint64_t value) {
  const uint32_t exponent = 63u - (uint32_t)__builtin_clzll(value | (1ull << shape.sub_bits));
  const uint32_t shift = exponent - shape.sub_bits;
  return (shift << shape.sub_bits) + (uint32_t)(value >> shift);
}

/* The shift that index() had for this bucket: 0 for the linear part and the first octave. */
MAXLAT_ALWAYS_INLINE uint32_t maxlat_shape_shift(struct maxlat_histogram_shape shape, uint32_t index) {
  return index < 2u << shape.sub_bits ? 0 : (index >> shape.sub_bits) - 1;
}

/* Smallest and largest value of a bucket. REQUIRES: there is one of that index. */
MAXLAT_ALWAYS_INLINE uint64_t maxlat_shape_low(struct maxlat_histogram_shape shape, uint32_t index) {
  const uint32_t shift = maxlat_shape_shift(shape, index);
  return (uint64_t)(index - (shift << shape.sub_bits)) << shift;
}

MAXLAT_ALWAYS_INLINE uint64_t maxlat_shape_high(struct maxlat_histogram_shape shape, uint32_t index) {
  return maxlat_shape_low(shape, index) + (((uint64_t)1 << maxlat_shape_shift(shape, index)) - 1);
}

#ifdef __cplusplus
}
#endif
#endif
