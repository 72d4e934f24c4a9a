/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* See histogram.h. Freestanding: no library call, so that the kernel modules compile this very file. */
#include <maxlat/base/histogram.h>

#define SUB_BUCKETS (1u << MAXLAT_HISTOGRAM_SUB_BITS)

/* The shift that index() had for this bucket: 0 for the linear part and the first octave. */
static uint32_t bucket_shift(uint32_t index) {
  return index < 2 * SUB_BUCKETS ? 0 : (index >> MAXLAT_HISTOGRAM_SUB_BITS) - 1;
}

uint64_t maxlat_histogram_low(uint32_t index) {
  const uint32_t shift = bucket_shift(index);
  return (uint64_t)(index - (shift << MAXLAT_HISTOGRAM_SUB_BITS)) << shift;
}

uint64_t maxlat_histogram_high(uint32_t index) {
  return maxlat_histogram_low(index) + (((uint64_t)1 << bucket_shift(index)) - 1);
}

void maxlat_histogram_init(struct maxlat_histogram* h) {
  /* Word by word, not memset: the kernel and a reader in another process see whole words only. */
  uint64_t* word = (uint64_t*)h;
  for (size_t i = 0; i < sizeof *h / sizeof *word; i++) MAXLAT_STORE(&word[i], 0);
  h->version = MAXLAT_HISTOGRAM_VERSION;
  h->sub_bits = MAXLAT_HISTOGRAM_SUB_BITS;
  h->bucket_count = MAXLAT_HISTOGRAM_BUCKETS;
  h->min = ~(uint64_t)0;
  h->magic = MAXLAT_HISTOGRAM_MAGIC;
}

int maxlat_histogram_valid(const struct maxlat_histogram* h) {
  return h->magic == MAXLAT_HISTOGRAM_MAGIC && h->version == MAXLAT_HISTOGRAM_VERSION &&
         h->sub_bits == MAXLAT_HISTOGRAM_SUB_BITS && h->bucket_count == MAXLAT_HISTOGRAM_BUCKETS;
}

void maxlat_histogram_count_overflow(struct maxlat_histogram* h, uint64_t value, uint64_t time) {
  const uint64_t count = MAXLAT_LOAD(&h->overflow_count);
  if (count < MAXLAT_HISTOGRAM_OVERFLOWS) {
    MAXLAT_STORE(&h->overflow[count].value, value);
    MAXLAT_STORE(&h->overflow[count].time, time);
  }
  MAXLAT_STORE(&h->overflow_count, count + 1);
}

void maxlat_histogram_add_moments(struct maxlat_histogram* h, const struct maxlat_moments* moments) {
  const maxlat_u128 squares = (((maxlat_u128)h->sum_sq_high << 64) | h->sum_sq_low) + moments->sum_sq;
  if (moments->min < h->min) MAXLAT_STORE(&h->min, moments->min);
  if (moments->max > h->max) MAXLAT_STORE(&h->max, moments->max);
  MAXLAT_STORE(&h->sum, h->sum + moments->sum);
  MAXLAT_STORE(&h->sum_sq_low, (uint64_t)squares);
  MAXLAT_STORE(&h->sum_sq_high, (uint64_t)(squares >> 64));
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
  const struct maxlat_moments moments = {from->min, from->max, from->sum,
                                         ((maxlat_u128)from->sum_sq_high << 64) | from->sum_sq_low};
  const uint64_t overflows = MAXLAT_LOAD(&from->overflow_count);
  const uint64_t kept = overflows < MAXLAT_HISTOGRAM_OVERFLOWS ? overflows : MAXLAT_HISTOGRAM_OVERFLOWS;
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; i++) {
    const uint64_t count = MAXLAT_LOAD(&from->bucket[i]);
    if (count != 0) MAXLAT_STORE(&into->bucket[i], MAXLAT_LOAD(&into->bucket[i]) + count);
  }
  for (uint64_t i = 0; i < kept; i++)
    maxlat_histogram_count_overflow(into, from->overflow[i].value, from->overflow[i].time);
  MAXLAT_STORE(&into->overflow_count, MAXLAT_LOAD(&into->overflow_count) + (overflows - kept));
  maxlat_histogram_add_moments(into, &moments);
}

uint64_t maxlat_histogram_total(const struct maxlat_histogram* h) {
  uint64_t total = MAXLAT_LOAD(&h->overflow_count);
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; i++) total += MAXLAT_LOAD(&h->bucket[i]);
  return total;
}

uint64_t maxlat_histogram_value_at_rank(const struct maxlat_histogram* h, uint64_t rank) {
  uint64_t below = 0;
  if (rank == 0) return 0;
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; i++) {
    below += MAXLAT_LOAD(&h->bucket[i]);
    if (below >= rank) {
      const uint64_t high = maxlat_histogram_high(i);
      return high < h->max ? high : h->max;
    }
  }
  return h->max; /* beyond the last bucket: among the overflows, or an empty histogram (max is 0) */
}
