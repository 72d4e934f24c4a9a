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
 * DETAILS: histogram_shape.h says which bucket a value has. This is the standard shape: its numbers are constants of
 *   the compiler, its memory is a struct; npt's loop, the kernel modules and all results have it. Other shapes, and
 *   memory that is somebody else's: shaped_histogram.h, with the same layout.
 *
 * LAYOUT (one for user space, shared memory and the kernel: fixed-width, no pointers, all-zero is not a valid header)
 *
 *       0  u32 magic   4  u16 version   6  u16 sub_bits   8  u32 bucket_count   12  u32 reserved
 *      16  u64 min  24  u64 max  32  u64 sum  40  u64 sum_sq_low  48  u64 sum_sq_high  56  u64 overflow_count
 *      64  16 x { u64 value, u64 time }  the first values beyond the range
 *     320  reserved to 512
 *     512  u64 bucket[31744]
 *   The first 512 bytes are the head, which every shape has; bucket_count and sub_bits tell which one it is.
 *
 * ROLES and THREADS: one writer at a time; any number of readers, also in other processes, at any time (relaxed word
 * accesses, see platform.h). A reader that wants a consistent picture asks the writer to stop first.
 *
 * INVARIANTS, each watched by histogram_test.cpp
 *   (1) sum of buckets + overflow_count = number of values recorded.
 *   (2) the buckets are those of histogram_shape.h.
 *   (3) min, max, sum and the sum of squares are exact; sum wraps only after 2^64 ticks (195 years at 3 GHz).
 *   (4) merge(a, b) is what recording both sequences into one histogram gives.
 *
 * ERRORS: a histogram from shared memory or a file is foreign until maxlat_histogram_valid() says otherwise.
 */
#ifndef MAXLAT_BASE_HISTOGRAM_H
#define MAXLAT_BASE_HISTOGRAM_H

#include <maxlat/base/histogram_shape.h>

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

/* The members once for the head by itself, and once for a histogram that has them as its own. */
#define MAXLAT_HISTOGRAM_HEAD_MEMBERS                                    \
  uint32_t magic;                                                        \
  uint16_t version;                                                      \
  uint16_t sub_bits;                                                     \
  uint32_t bucket_count;                                                 \
  uint32_t reserved;                                                     \
  uint64_t min; /* UINT64_MAX while empty */                             \
  uint64_t max;                                                          \
  uint64_t sum;                                                          \
  uint64_t sum_sq_low;                                                   \
  uint64_t sum_sq_high;                                                  \
  uint64_t overflow_count;                                               \
  struct maxlat_histogram_overflow overflow[MAXLAT_HISTOGRAM_OVERFLOWS]; \
  uint64_t reserved_to_512[24];

struct maxlat_histogram_head {
  MAXLAT_HISTOGRAM_HEAD_MEMBERS
};

struct maxlat_histogram {
  __extension__ union {
    struct maxlat_histogram_head head;
    __extension__ struct { MAXLAT_HISTOGRAM_HEAD_MEMBERS };
  };
  uint64_t bucket[MAXLAT_HISTOGRAM_BUCKETS];
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_histogram_head) == 512, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram_head, min) == 16, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram_head, overflow) == 64, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, min) == 16, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, overflow) == 64, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_histogram, bucket) == 512, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_histogram) == 512 + 8 * 31 * 1024, "layout");

MAXLAT_ALWAYS_INLINE struct maxlat_histogram_shape maxlat_histogram_standard_shape(void) {
  const struct maxlat_histogram_shape standard = {MAXLAT_HISTOGRAM_SUB_BITS, MAXLAT_HISTOGRAM_RANGE_BITS};
  return standard;
}

/* The bucket of a value in range. REQUIRES: value < 2^40. */
static inline uint32_t maxlat_histogram_index(uint64_t value) {
  return maxlat_shape_index(maxlat_histogram_standard_shape(), value);
}

/* Smallest and largest value of a bucket. REQUIRES: index < MAXLAT_HISTOGRAM_BUCKETS. */
static inline uint64_t maxlat_histogram_low(uint32_t index) {
  return maxlat_shape_low(maxlat_histogram_standard_shape(), index);
}
static inline uint64_t maxlat_histogram_high(uint32_t index) {
  return maxlat_shape_high(maxlat_histogram_standard_shape(), index);
}

static inline int maxlat_histogram_in_range(uint64_t value) {
  return maxlat_shape_in_range(maxlat_histogram_standard_shape(), value);
}

/*
 * Counts a value in its bucket and nothing else: for a measured loop that keeps min, max, sum and squares in registers
 * and hands them over with maxlat_histogram_add_moments(). REQUIRES: value < 2^40.
 */
static inline void maxlat_histogram_count_in_range(struct maxlat_histogram* h, uint64_t value) {
  uint64_t* bucket = &h->bucket[maxlat_histogram_index(value)];
  MAXLAT_STORE(bucket, MAXLAT_LOAD(bucket) + 1);
}

/* Counts a value beyond the range; the first 16 keep value and time. Of any shape. */
void maxlat_head_count_overflow(struct maxlat_histogram_head* head, uint64_t value, uint64_t time);

static inline void maxlat_histogram_count_overflow(struct maxlat_histogram* h, uint64_t value, uint64_t time) {
  maxlat_head_count_overflow(&h->head, value, time);
}

/* Exact sums of a set of values, kept apart from the buckets so that a loop can hold them in registers. */
struct maxlat_moments {
  uint64_t min;
  uint64_t max;
  uint64_t sum;
  maxlat_u128 sum_sq;
};

#define MAXLAT_MOMENTS_EMPTY \
  { ~0ull, 0, 0, 0 }

/* Of any shape. */
void maxlat_head_add_moments(struct maxlat_histogram_head* head, const struct maxlat_moments* moments);

static inline void maxlat_histogram_add_moments(struct maxlat_histogram* h, const struct maxlat_moments* moments) {
  maxlat_head_add_moments(&h->head, moments);
}

/* Everything at once, for writers that are not in a hurry. `time` is kept only for a value beyond the range. */
void maxlat_histogram_record(struct maxlat_histogram* h, uint64_t value, uint64_t time);

void maxlat_histogram_init(struct maxlat_histogram* h);
/* Non-zero when the header is one that this code wrote. Reads the header only. */
int maxlat_histogram_valid(const struct maxlat_histogram* h);
void maxlat_histogram_merge(struct maxlat_histogram* into, const struct maxlat_histogram* from);
/* Sum of buckets + overflow_count. */
uint64_t maxlat_histogram_total(const struct maxlat_histogram* h);

#ifdef __cplusplus
}
#endif
#endif
