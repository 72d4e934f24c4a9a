/* SPDX-License-Identifier: MIT */
/*
 * A counter: one number that grows, modulo 2^64. For how often something happened; what goes up and down is a gauge.
 *
 * COST of a post: one instruction (add to memory).
 * SOURCE: Pohlack 2010, section 3.2.3.1, scalar sensors.
 */
#ifndef MAXLAT_SENSORS_COUNTER_H
#define MAXLAT_SENSORS_COUNTER_H

#include <maxlat/sensors/word.h>

#define MAXLAT_COUNTER_VERSION 1u

struct maxlat_counter {
  struct maxlat_sensor sensor;
  uint64_t value;
  uint64_t unused[7];
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_counter) == 256, "layout");

MAXLAT_ALWAYS_INLINE void maxlat_counter_add(enum maxlat_sensor_writers writers, struct maxlat_counter* counter,
                                             uint64_t amount) {
  maxlat_sensor_add(writers, &counter->value, amount);
}

#endif
