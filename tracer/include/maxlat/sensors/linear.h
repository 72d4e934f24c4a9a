/* SPDX-License-Identifier: MIT */
/*
 * A linear histogram: buckets of one width, from a low bound on. What is below or above them is counted as that, and is
 * in sum and extremes, so that the mean is right, and the extremes say how to choose the bounds better. Where values
 * are spread over powers of ten, the histogram of histogram.h has a bucket for each.
 *
 * WIDTH, LOW are constants where a post is compiled: the compiler makes of the division a multiplication by a constant
 * and a shift, as Ferret's histograms have them by hand, or a shift alone.
 * NESTED POSTS: as histogram.h.
 *
 * COST of a post: maxlat_linear_count() 10 instructions, with sum and extremes 17; a new extreme takes more.
 * SOURCE: Pohlack 2010, section 3.2.3.1, histogram sensors.
 */
#ifndef MAXLAT_SENSORS_LINEAR_H
#define MAXLAT_SENSORS_LINEAR_H

#include <maxlat/sensors/word.h>

#define MAXLAT_LINEAR_VERSION 1u
#define MAXLAT_LINEAR_MAX_BUCKETS 65536u
#define MAXLAT_LINEAR_MAX_WIDTH (1ull << 40)

/* Buckets of one width side by side. */
struct maxlat_linear_axis {
  uint64_t low, width, buckets;
};

MAXLAT_ARITHMETIC bool maxlat_linear_valid(struct maxlat_linear_axis axis) {
  return axis.buckets > 0 && axis.buckets <= MAXLAT_LINEAR_MAX_BUCKETS && axis.width > 0 &&
         axis.width <= MAXLAT_LINEAR_MAX_WIDTH && axis.low <= UINT64_MAX - axis.buckets * axis.width;
}

/* Of a value; not below the number of buckets: it is in none of them. */
MAXLAT_ALWAYS_INLINE uint64_t maxlat_linear_index(struct maxlat_linear_axis axis, uint64_t value) {
  const uint64_t index = (value - axis.low) / axis.width;
  return MAXLAT_UNLIKELY(value < axis.low) ? UINT64_MAX : index;
}

/* The sensor's shape is {low, width | buckets << 44}. Behind this stand the buckets, and zeros up to a cache line. */
struct maxlat_linear {
  struct maxlat_sensor sensor;
  uint64_t below, above; /* values in no bucket */
  uint64_t sum;          /* modulo 2^64 */
  uint64_t min, max;     /* UINT64_MAX and 0 while there is no value */
  uint64_t unused[3];
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_linear) == 256, "layout");

MAXLAT_ARITHMETIC uint64_t maxlat_linear_shape_word(struct maxlat_linear_axis axis) {
  return axis.width | axis.buckets << 44;
}
MAXLAT_ARITHMETIC struct maxlat_linear_axis maxlat_linear_axis_of(uint64_t low, uint64_t word) {
  const struct maxlat_linear_axis axis = {low, word & ((1ull << 44) - 1), word >> 44};
  return axis;
}
MAXLAT_ARITHMETIC uint64_t maxlat_linear_size(uint64_t buckets) {
  return sizeof(struct maxlat_linear) + (buckets * sizeof(uint64_t) + 63) / 64 * 64;
}

/* The bucket alone. `buckets` are those behind the head. */
MAXLAT_ALWAYS_INLINE void maxlat_linear_count(enum maxlat_sensor_writers writers, struct maxlat_linear* linear,
                                              uint64_t* buckets, struct maxlat_linear_axis axis, uint64_t value) {
  const uint64_t index = maxlat_linear_index(axis, value);
  if (MAXLAT_LIKELY(index < axis.buckets))
    maxlat_sensor_add(writers, &buckets[index], 1);
  else
    maxlat_sensor_add(writers, value < axis.low ? &linear->below : &linear->above, 1);
}

/* Everything. */
MAXLAT_ALWAYS_INLINE void maxlat_linear_post(enum maxlat_sensor_writers writers, struct maxlat_linear* linear,
                                             uint64_t* buckets, struct maxlat_linear_axis axis, uint64_t value) {
  maxlat_linear_count(writers, linear, buckets, axis, value);
  maxlat_sensor_add(writers, &linear->sum, value);
  maxlat_sensor_lower(writers, MAXLAT_SENSOR_UNSIGNED, &linear->min, value);
  maxlat_sensor_raise(writers, MAXLAT_SENSOR_UNSIGNED, &linear->max, value);
}

#endif
