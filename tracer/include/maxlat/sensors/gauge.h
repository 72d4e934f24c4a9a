/* SPDX-License-Identifier: MIT */
/*
 * A gauge: a number that goes up and down, such as the length of a queue. It can have limits, which are the reader's to
 * watch (`maxlat sensors check`): a post compares nothing.
 *
 * COST of a post: one instruction (store, or add to memory).
 * SOURCE: Pohlack 2010, section 3.2.3.1, scalar sensors with limits.
 */
#ifndef MAXLAT_SENSORS_GAUGE_H
#define MAXLAT_SENSORS_GAUGE_H

#include <maxlat/sensors/word.h>

#define MAXLAT_GAUGE_VERSION 1u

/* The sensor's shape is {lowest, highest}, both allowed, as signed words. */
struct maxlat_gauge {
  struct maxlat_sensor sensor;
  uint64_t value; /* signed */
  uint64_t unused[7];
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_gauge) == 256, "layout");

MAXLAT_ALWAYS_INLINE void maxlat_gauge_set(struct maxlat_gauge* gauge, int64_t value) {
  maxlat_ring_store(&gauge->value, (uint64_t)value); /* relaxed: word.h */
}
/* The amount may be negative. */
MAXLAT_ALWAYS_INLINE void maxlat_gauge_add(enum maxlat_sensor_writers writers, struct maxlat_gauge* gauge,
                                           int64_t amount) {
  maxlat_sensor_add(writers, &gauge->value, (uint64_t)amount);
}

#endif
