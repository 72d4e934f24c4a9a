/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A histogram of any shape (histogram_shape.h) in memory that is borrowed: shared memory, a device's, a buffer of the
 * caller's. What histogram.h says of layout, roles, invariants and threads holds here, too; one of the standard shape
 * that is made here is a struct maxlat_histogram.
 *
 *   bytes = maxlat_shaped_bytes(shape)           of memory, aligned to MAXLAT_SHAPED_ALIGNMENT
 *   head = maxlat_shaped_make(memory, bytes, shape)         the writer, once
 *   maxlat_shaped_record(head, shape, value, time)          the writer, each value
 *   head = maxlat_shaped_find(memory, bytes, &shape)        a reader, once
 *   maxlat_shaped_value_at_rank(head, shape, rank) ...      a reader, at any time
 *
 * TRUST: writers and readers pass the shape, and never read it from the memory again: find() copies and checks it.
 * Whatever happens to the head later, no access leaves the memory. Counts may be wrong then, nothing else.
 *
 * SUMS are modulo 2^64 (the sum of squares modulo 2^128): mean and variance are right as long as the sums are below
 * that.
 *
 * LAYOUT: the head (512 bytes), then bucket_count words. The range is told by them:
 * range_bits = (bucket_count >> sub_bits) + sub_bits - 1.
 */
#ifndef MAXLAT_BASE_SHAPED_HISTOGRAM_H
#define MAXLAT_BASE_SHAPED_HISTOGRAM_H

#include <maxlat/base/histogram.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cache line: what is written beside a histogram costs its writer nothing. */
#define MAXLAT_SHAPED_ALIGNMENT 64u

/* Of memory. RETURNS: 0 for a shape that is none. */
MAXLAT_ALWAYS_INLINE size_t maxlat_shaped_bytes(struct maxlat_histogram_shape shape) {
  if (!maxlat_shape_valid(shape)) return 0;
  return sizeof(struct maxlat_histogram_head) + sizeof(uint64_t) * (size_t)maxlat_shape_buckets(shape);
}

/*
 * Makes an empty histogram in the memory; it may be more than is needed.
 * RETURNS: null, and nothing is written: not aligned, too small, or a shape that is none.
 */
struct maxlat_histogram_head* maxlat_shaped_make(void* memory, size_t bytes, struct maxlat_histogram_shape shape);

/*
 * The histogram that lies in the memory, and its shape. Reads the head only, each word once.
 * RETURNS: null: not aligned, no histogram of this version, or one that does not fit in.
 */
const struct maxlat_histogram_head* maxlat_shaped_find(const void* memory, size_t bytes,
                                                       struct maxlat_histogram_shape* shape);

/* REQUIRED of all that follows: the head is from make() or find(), and the shape is its own. */

MAXLAT_ALWAYS_INLINE uint64_t* maxlat_shaped_buckets(struct maxlat_histogram_head* head) {
  return (uint64_t*)(void*)(head + 1);
}
MAXLAT_ALWAYS_INLINE uint64_t maxlat_shaped_count_at(const struct maxlat_histogram_head* head, uint32_t index) {
  const uint64_t* buckets = (const uint64_t*)(const void*)(head + 1);
  return MAXLAT_LOAD(&buckets[index]);
}

/* As maxlat_histogram_count_in_range(). REQUIRES: the value is in the shape's range. */
MAXLAT_ALWAYS_INLINE void maxlat_shaped_count_in_range(struct maxlat_histogram_head* head,
                                                       struct maxlat_histogram_shape shape, uint64_t value) {
  uint64_t* bucket = &maxlat_shaped_buckets(head)[maxlat_shape_index(shape, value)];
  MAXLAT_STORE(bucket, MAXLAT_LOAD(bucket) + 1);
}

/* The others as their namesakes in histogram.h. */
void maxlat_shaped_record(struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape, uint64_t value,
                          uint64_t time);
/* RETURNS: 0, and nothing is changed: their shapes differ. */
int maxlat_shaped_merge(struct maxlat_histogram_head* into, struct maxlat_histogram_shape shape_of_into,
                        const struct maxlat_histogram_head* from, struct maxlat_histogram_shape shape_of_from);
uint64_t maxlat_shaped_total(const struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape);
/*
 * The value at a rank: the largest value with the same bucket as the rank-th smallest one (ranks from 1), never beyond
 * the exact maximum. So a quantile is never understated, and overstated by less than 2^-sub_bits of it.
 * RETURNS: 0 for an empty histogram or rank 0; the maximum for a rank beyond the last bucket.
 */
uint64_t maxlat_shaped_value_at_rank(const struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape,
                                     uint64_t rank);

#ifdef __cplusplus
}
#endif
#endif
