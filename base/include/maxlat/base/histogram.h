/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A log-linear histogram of counter ticks: every value from 0 to 2^40-1 has a bucket, no value is ever dropped, and a
 * value read back from a bucket is wrong by less than 0.1 %.
 *
 * EXECUTIVE SUMMARY
 *   relative error   below 2^-10 = 0.098 % (values below 2^11 = 2048 are exact)
 *   range            0 .. 2^40-1 ticks: 366 s at 3 GHz; beyond it a value is counted, and the first 16 are kept whole
 *   memory           31 * 1024 buckets of 8 bytes + 512 bytes of header = 248.5 KiB, whatever the counts
 *   insert           one OR, one bit scan, two shifts, two additions, one load and one store: no division, no float, no
 *                    branch but the range check (watched by npt's instruction-count test)
 *
 * DETAILS
 *   An octave [2^e, 2^(e+1)) is cut into 2^10 equal buckets, so a bucket is at most 2^-10 of its lower edge wide. Let
 *   shift = max(0, e - 10). The bucket of v is
 *
 *       index(v) = (shift << 10) + (v >> shift)
 *
 *   For v < 2^11 the shift is 0 and the index is v itself: the linear part and the first octave need no case of their
 *   own. With every further octave v >> shift runs through [2^10, 2^11) again, and (shift << 10) puts it behind the
 *   last:
 *
 *       v                 shift   index            bucket width
 *       0 .. 2047             0   0 .. 2047        1
 *       2048 .. 4095          1   2048 .. 3071     2
 *       4096 .. 8191          2   3072 .. 4095     4
 *       ...
 *       2^39 .. 2^40-1       29   30720 .. 31743   2^29
 *
 * LAYOUT (one for user space, shared memory and the kernel: fixed-width, no pointers, all-zero is not a valid header)
 *
 *       0  u32 magic   4  u16 version   6  u16 sub_bits   8  u32 bucket_count   12  u32 reserved
 *      16  u64 min  24  u64 max  32  u64 sum  40  u64 sum_sq_low  48  u64 sum_sq_high  56  u64 overflow_count
 *      64  16 x { u64 value, u64 time }  the first values beyond the range
 *     320  reserved to 512
 *     512  u64 bucket[31744]
 *
 * ROLES and THREADS: one writer at a time; any number of readers, also in other processes, at any time (relaxed word
 * accesses, see platform.h). A reader that wants a consistent picture asks the writer to stop first.
 *
 * INVARIANTS, each watched by histogram_test.cpp
 *   (1) sum of buckets + overflow_count = number of values recorded.
 *   (2) low(index(v)) <= v <= high(index(v)), and high(i) + 1 = low(i + 1): no gap, no overlap.
 *   (3) min, max, sum and the sum of squares are exact; sum wraps only after 2^64 ticks (195 years at 3 GHz).
 *   (4) merge(a, b) is what recording both sequences into one histogram gives.
 *
 * ERRORS: a histogram from shared memory or a file is foreign until maxlat_histogram_valid() says otherwise.
 */
#ifndef MAXLAT_BASE_HISTOGRAM_H
#define MAXLAT_BASE_HISTOGRAM_H

#include <maxlat/base/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_HISTOGRAM_MAGIC 0x474c484du /* "MHLG" */
#define MAXLAT_HISTOGRAM_VERSION 1u
#define MAXLAT_HISTOGRAM_SUB_BITS 10u
#define MAXLAT_HISTOGRAM_RANGE_BITS 40u
#define MAXLAT_HISTOGRAM_BUCKETS \
  ((MAXLAT_HISTOGRAM_RANGE_BITS - MAXLAT_HISTOGRAM_SUB_BITS + 1u) << MAXLAT_HISTOGRAM_SUB_BITS)
#define MAXLAT_HISTOGRAM_OVERFLOWS 16u

struct maxlat_histogram_overflow {
  uint64_t value;
  uint64_t time;
};

struct maxlat_histogram {
  uint32_t magic;
  uint16_t version;
  uint16_t sub_bits;
  uint32_t bucket_count;
  uint32_t reserved;
  uint64_t min; /* UINT64_MAX while empty */
  uint64_t max;
  uint64_t sum;
  uint64_t sum_sq_low;
  uint64_t sum_sq_high;
  uint64_t overflow_count;
  struct maxlat_histogram_overflow overflow[MAXLAT_HISTOGRAM_OVERFLOWS];
  uint64_t reserved_to_512[24];
  uint64_t bucket[MAXLAT_HISTOGRAM_BUCKETS];
};

MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, min) == 16, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, overflow) == 64, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, bucket) == 512, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_histogram) == 512 + 8 * 31 * 1024, "layout");

/* The bucket of a value in range. REQUIRES: value < 2^40. */
static inline uint32_t maxlat_histogram_index(uint64_t value) {
  const uint32_t exponent = 63u - (uint32_t)__builtin_clzll(value | (1ull << MAXLAT_HISTOGRAM_SUB_BITS));
  const uint32_t shift = exponent - MAXLAT_HISTOGRAM_SUB_BITS;
  return (shift << MAXLAT_HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift);
}

/* Smallest and largest value of a bucket. REQUIRES: index < MAXLAT_HISTOGRAM_BUCKETS. */
uint64_t maxlat_histogram_low(uint32_t index);
uint64_t maxlat_histogram_high(uint32_t index);

static inline int maxlat_histogram_in_range(uint64_t value) { return value >> MAXLAT_HISTOGRAM_RANGE_BITS == 0; }

/*
 * Counts a value in its bucket and nothing else: for a measured loop that keeps min, max, sum and squares in registers
 * and hands them over with maxlat_histogram_add_moments(). REQUIRES: value < 2^40.
 */
static inline void maxlat_histogram_count_in_range(struct maxlat_histogram* h, uint64_t value) {
  uint64_t* bucket = &h->bucket[maxlat_histogram_index(value)];
  MAXLAT_STORE(bucket, MAXLAT_LOAD(bucket) + 1);
}

/* Counts a value beyond the range; the first 16 keep value and time. */
void maxlat_histogram_count_overflow(struct maxlat_histogram* h, uint64_t value, uint64_t time);

/* Exact sums of a set of values, kept apart from the buckets so that a loop can hold them in registers. */
struct maxlat_moments {
  uint64_t min;
  uint64_t max;
  uint64_t sum;
  maxlat_u128 sum_sq;
};

#define MAXLAT_MOMENTS_EMPTY {~0ull, 0, 0, 0}

void maxlat_histogram_add_moments(struct maxlat_histogram* h, const struct maxlat_moments* moments);

/* Everything at once, for writers that are not in a hurry. `time` is kept only for a value beyond the range. */
void maxlat_histogram_record(struct maxlat_histogram* h, uint64_t value, uint64_t time);

void maxlat_histogram_init(struct maxlat_histogram* h);
/* Non-zero when the header is one that this code wrote. Reads the header only. */
int maxlat_histogram_valid(const struct maxlat_histogram* h);
void maxlat_histogram_merge(struct maxlat_histogram* into, const struct maxlat_histogram* from);
/* Sum of buckets + overflow_count. */
uint64_t maxlat_histogram_total(const struct maxlat_histogram* h);
/*
 * The value at a rank: the largest value v' with the same bucket as the rank-th smallest value (ranks from 1), never
 * beyond the exact max. So a quantile is never understated, and overstated by less than 0.1 %.
 * RETURNS: 0 for an empty histogram or rank 0; max for a rank beyond the last bucket.
 */
uint64_t maxlat_histogram_value_at_rank(const struct maxlat_histogram* h, uint64_t rank);

#ifdef __cplusplus
}
#endif
#endif
