/* SPDX-License-Identifier: MIT */
/*
 * A histogram that is made in sensor memory and read in place: base's (maxlat/base/shaped_histogram.h has layout and
 * invariants), behind the head of a sensor. Nothing that was posted is ever lost; a value beyond the range is counted,
 * and the first 16 are kept whole.
 *
 * NESTED POSTS. Unlike base's own record(), these posts may interrupt each other anywhere, and shared ones may meet:
 * each word is changed by one read-modify-write. Words are not a whole: in the middle of a post a bucket is ahead of
 * the sum by one value, and that is what a monitor may see. Once nobody posts, all are exact.
 *
 * COST of a post: maxlat_histogram_sensor_count() 10 instructions, with the moments 27; a new extreme takes more.
 * SOURCE: Pohlack 2010, section 3.2.3.1, histogram sensors; bucket arithmetic in place of its multiplier.
 */
#ifndef MAXLAT_SENSORS_HISTOGRAM_H
#define MAXLAT_SENSORS_HISTOGRAM_H

#include <maxlat/base/shaped_histogram.h>
#include <maxlat/sensors/word.h>

#define MAXLAT_HISTOGRAM_SENSOR_VERSION 1u

/* The sensor's shape is {sub_bits, range_bits}. The buckets stand behind this, and zeros up to the next cache line. */
struct maxlat_histogram_sensor {
  struct maxlat_sensor sensor;
  struct maxlat_histogram_head head;
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_histogram_sensor) == 704, "layout");

MAXLAT_ARITHMETIC uint64_t maxlat_histogram_sensor_size(struct maxlat_histogram_shape shape) {
  return sizeof(struct maxlat_histogram_sensor) + (maxlat_shape_buckets(shape) * sizeof(uint64_t) + 63) / 64 * 64;
}

/* Of a value beyond the range. */
static inline void maxlat_histogram_sensor_overflow(enum maxlat_sensor_writers writers,
                                                    struct maxlat_histogram_head* head, uint64_t value,
                                                    uint64_t time) {
  const uint64_t number = maxlat_ring_owner_add(writers == MAXLAT_SENSOR_THREAD ? MAXLAT_RING_THREAD : MAXLAT_RING_CPU,
                                                &head->overflow_count, 1);
  if (number > MAXLAT_HISTOGRAM_OVERFLOWS) return;
  maxlat_ring_store(&head->overflow[number - 1].value, value); /* relaxed, both: the place is this post's alone */
  maxlat_ring_store(&head->overflow[number - 1].time, time);
}

/* The bucket alone. `buckets` are those behind the head, `shape` is theirs. REQUIRES: the value is in range. */
MAXLAT_ALWAYS_INLINE void maxlat_histogram_sensor_count(enum maxlat_sensor_writers writers, uint64_t* buckets,
                                                        struct maxlat_histogram_shape shape, uint64_t value) {
  maxlat_sensor_add(writers, &buckets[maxlat_shape_index(shape, value)], 1);
}

/* Sum, sum of squares and extremes. */
MAXLAT_ALWAYS_INLINE void maxlat_histogram_sensor_moments(enum maxlat_sensor_writers writers,
                                                          struct maxlat_histogram_head* head, uint64_t value) {
  maxlat_sensor_add_wide(writers, &head->sum_sq_low, &head->sum_sq_high, (maxlat_u128)value * value);
  maxlat_sensor_add(writers, &head->sum, value);
  maxlat_sensor_lower(writers, MAXLAT_SENSOR_UNSIGNED, &head->min, value);
  maxlat_sensor_raise(writers, MAXLAT_SENSOR_UNSIGNED, &head->max, value);
}

/* Everything. `time` is kept only for a value beyond the range. */
MAXLAT_ALWAYS_INLINE void maxlat_histogram_sensor_post(enum maxlat_sensor_writers writers,
                                                       struct maxlat_histogram_head* head, uint64_t* buckets,
                                                       struct maxlat_histogram_shape shape, uint64_t value,
                                                       uint64_t time) {
  if (MAXLAT_LIKELY(maxlat_shape_in_range(shape, value)))
    maxlat_histogram_sensor_count(writers, buckets, shape, value);
  else
    maxlat_histogram_sensor_overflow(writers, head, value, time);
  maxlat_histogram_sensor_moments(writers, head, value);
}

#endif
