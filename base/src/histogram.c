/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * See histogram.h and shaped_histogram.h. Freestanding: no library call, so that the kernel modules compile this very
 * file.
 *
 * What goes through the buckets is written once, for a head, its buckets and a shape. The functions of the standard
 * shape hand it over as a constant, and the compiler makes of it what it would make of macros.
 */
#include <maxlat/base/shaped_histogram.h>

void maxlat_head_count_overflow(struct maxlat_histogram_head* head, uint64_t value, uint64_t time) {
  const uint64_t count = MAXLAT_LOAD(&head->overflow_count);
  if (count < MAXLAT_HISTOGRAM_OVERFLOWS) {
    MAXLAT_STORE(&head->overflow[count].value, value);
    MAXLAT_STORE(&head->overflow[count].time, time);
  }
  MAXLAT_STORE(&head->overflow_count, count + 1);
}

void maxlat_head_add_moments(struct maxlat_histogram_head* head, const struct maxlat_moments* moments) {
  const maxlat_u128 squares = (((maxlat_u128)head->sum_sq_high << 64) | head->sum_sq_low) + moments->sum_sq;
  if (moments->min < head->min) MAXLAT_STORE(&head->min, moments->min);
  if (moments->max > head->max) MAXLAT_STORE(&head->max, moments->max);
  MAXLAT_STORE(&head->sum, head->sum + moments->sum);
  MAXLAT_STORE(&head->sum_sq_low, (uint64_t)squares);
  MAXLAT_STORE(&head->sum_sq_high, (uint64_t)(squares >> 64));
}

MAXLAT_ALWAYS_INLINE void make_empty(struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape) {
  /* Word by word, not memset: the kernel and a reader in another process see whole words only. */
  uint64_t* word = (uint64_t*)(void*)head;
  for (size_t i = 0; i < maxlat_shaped_bytes(shape) / sizeof *word; i++) MAXLAT_STORE(&word[i], 0);
  head->version = MAXLAT_HISTOGRAM_VERSION;
  head->sub_bits = (uint16_t)shape.sub_bits;
  head->bucket_count = maxlat_shape_buckets(shape);
  head->min = ~(uint64_t)0;
  head->magic = MAXLAT_HISTOGRAM_MAGIC;
}

MAXLAT_ALWAYS_INLINE void merge(struct maxlat_histogram_head* into, uint64_t* buckets_of_into,
                                const struct maxlat_histogram_head* from, const uint64_t* buckets_of_from,
                                struct maxlat_histogram_shape shape) {
  const struct maxlat_moments moments = {from->min, from->max, from->sum,
                                         ((maxlat_u128)from->sum_sq_high << 64) | from->sum_sq_low};
  const uint64_t overflows = MAXLAT_LOAD(&from->overflow_count);
  const uint64_t kept = overflows < MAXLAT_HISTOGRAM_OVERFLOWS ? overflows : MAXLAT_HISTOGRAM_OVERFLOWS;
  for (uint32_t i = 0; i < maxlat_shape_buckets(shape); i++) {
    const uint64_t count = MAXLAT_LOAD(&buckets_of_from[i]);
    if (count != 0) MAXLAT_STORE(&buckets_of_into[i], MAXLAT_LOAD(&buckets_of_into[i]) + count);
  }
  for (uint64_t i = 0; i < kept; i++) maxlat_head_count_overflow(into, from->overflow[i].value, from->overflow[i].time);
  MAXLAT_STORE(&into->overflow_count, MAXLAT_LOAD(&into->overflow_count) + (overflows - kept));
  maxlat_head_add_moments(into, &moments);
}

MAXLAT_ALWAYS_INLINE uint64_t total(const struct maxlat_histogram_head* head, const uint64_t* buckets,
                                    struct maxlat_histogram_shape shape) {
  uint64_t sum = MAXLAT_LOAD(&head->overflow_count);
  for (uint32_t i = 0; i < maxlat_shape_buckets(shape); i++) sum += MAXLAT_LOAD(&buckets[i]);
  return sum;
}

MAXLAT_ALWAYS_INLINE uint64_t value_at_rank(const struct maxlat_histogram_head* head, const uint64_t* buckets,
                                            struct maxlat_histogram_shape shape, uint64_t rank) {
  uint64_t below = 0;
  if (rank == 0) return 0;
  for (uint32_t i = 0; i < maxlat_shape_buckets(shape); i++) {
    below += MAXLAT_LOAD(&buckets[i]);
    if (below >= rank) {
      const uint64_t high = maxlat_shape_high(shape, i);
      return high < head->max ? high : head->max;
    }
  }
  return head->max; /* beyond the last bucket: among the overflows, or an empty histogram (max is 0) */
}

/* The standard shape. */

void maxlat_histogram_init(struct maxlat_histogram* h) {
  make_empty(&h->head, maxlat_histogram_standard_shape());
}

int maxlat_histogram_valid(const struct maxlat_histogram* h) {
  return h->magic == MAXLAT_HISTOGRAM_MAGIC && h->version == MAXLAT_HISTOGRAM_VERSION &&
         h->sub_bits == MAXLAT_HISTOGRAM_SUB_BITS && h->bucket_count == MAXLAT_HISTOGRAM_BUCKETS;
}

void maxlat_histogram_record(struct maxlat_histogram* h, uint64_t value, uint64_t time) {
  const struct maxlat_moments one = {value, value, value, (maxlat_u128)value * value};
  if (MAXLAT_LIKELY(maxlat_histogram_in_range(value)))
    maxlat_histogram_count_in_range(h, value);
  else
    maxlat_histogram_count_overflow(h, value, time);
  maxlat_histogram_add_moments(h, &one);
}

void maxlat_histogram_merge(struct maxlat_histogram* into, const struct maxlat_histogram* from) {
  merge(&into->head, into->bucket, &from->head, from->bucket, maxlat_histogram_standard_shape());
}

uint64_t maxlat_histogram_total(const struct maxlat_histogram* h) {
  return total(&h->head, h->bucket, maxlat_histogram_standard_shape());
}

/* Any shape. */

static const uint64_t* buckets_of(const struct maxlat_histogram_head* head) {
  return (const uint64_t*)(const void*)(head + 1);
}

struct maxlat_histogram_head* maxlat_shaped_make(void* memory, size_t bytes, struct maxlat_histogram_shape shape) {
  struct maxlat_histogram_head* head = (struct maxlat_histogram_head*)memory;
  if (!maxlat_shape_valid(shape) || (uintptr_t)memory % MAXLAT_SHAPED_ALIGNMENT != 0) return NULL;
  if (bytes < maxlat_shaped_bytes(shape)) return NULL;
  make_empty(head, shape);
  return head;
}

const struct maxlat_histogram_head* maxlat_shaped_find(const void* memory, size_t bytes,
                                                       struct maxlat_histogram_shape* shape) {
  const struct maxlat_histogram_head* head = (const struct maxlat_histogram_head*)memory;
  struct maxlat_histogram_shape found;
  uint32_t buckets;
  if ((uintptr_t)memory % MAXLAT_SHAPED_ALIGNMENT != 0 || bytes < sizeof *head) return NULL;
  if (MAXLAT_LOAD(&head->magic) != MAXLAT_HISTOGRAM_MAGIC || MAXLAT_LOAD(&head->version) != MAXLAT_HISTOGRAM_VERSION)
    return NULL;
  buckets = MAXLAT_LOAD(&head->bucket_count);
  found.sub_bits = MAXLAT_LOAD(&head->sub_bits);
  if (found.sub_bits > MAXLAT_SHAPE_MAX_SUB_BITS) return NULL;
  found.range_bits = (buckets >> found.sub_bits) + found.sub_bits - 1;
  if (!maxlat_shape_valid(found) || maxlat_shape_buckets(found) != buckets) return NULL;
  if (bytes < maxlat_shaped_bytes(found)) return NULL;
  *shape = found;
  return head;
}

void maxlat_shaped_record(struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape, uint64_t value,
                          uint64_t time) {
  const struct maxlat_moments one = {value, value, value, (maxlat_u128)value * value};
  if (MAXLAT_LIKELY(maxlat_shape_in_range(shape, value)))
    maxlat_shaped_count_in_range(head, shape, value);
  else
    maxlat_head_count_overflow(head, value, time);
  maxlat_head_add_moments(head, &one);
}

int maxlat_shaped_merge(struct maxlat_histogram_head* into, struct maxlat_histogram_shape shape_of_into,
                        const struct maxlat_histogram_head* from, struct maxlat_histogram_shape shape_of_from) {
  if (!maxlat_shape_equal(shape_of_into, shape_of_from)) return 0;
  merge(into, maxlat_shaped_buckets(into), from, buckets_of(from), shape_of_into);
  return 1;
}

uint64_t maxlat_shaped_total(const struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape) {
  return total(head, buckets_of(head), shape);
}

uint64_t maxlat_shaped_value_at_rank(const struct maxlat_histogram_head* head, struct maxlat_histogram_shape shape,
                                     uint64_t rank) {
  return value_at_rank(head, buckets_of(head), shape, rank);
}
