/* SPDX-License-Identifier: MIT */
/*
 * Counters side by side, each with a label: how often each system call, each state, each error. An index beyond the
 * last is counted as `outside`, and nothing else happens.
 *
 * COST of a post: 6 instructions; of a constant index one.
 * SOURCE: Pohlack 2010, section 3.2.3.1, the array of scalars.
 */
#ifndef MAXLAT_SENSORS_COUNTERS_H
#define MAXLAT_SENSORS_COUNTERS_H

#include <maxlat/sensors/word.h>

#define MAXLAT_COUNTERS_VERSION 1u
#define MAXLAT_COUNTERS_MAX 4096u
#define MAXLAT_COUNTERS_LABEL 32u /* bytes, the zero included */

/* The sensor's shape is {count, 0}. Behind this stand `count` values, then, on the next cache line, as many labels. */
struct maxlat_counters {
  struct maxlat_sensor sensor;
  uint64_t outside;
  uint64_t unused[7];
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_counters) == 256, "layout");

MAXLAT_ARITHMETIC uint64_t maxlat_counters_labels_offset(uint64_t count) {
  return sizeof(struct maxlat_counters) + (count * sizeof(uint64_t) + 63) / 64 * 64;
}
MAXLAT_ARITHMETIC uint64_t maxlat_counters_size(uint64_t count) {
  return maxlat_counters_labels_offset(count) + (count * MAXLAT_COUNTERS_LABEL + 63) / 64 * 64;
}

/* `values` are those behind the counters, `count` is the shape's. */
MAXLAT_ALWAYS_INLINE void maxlat_counters_add(enum maxlat_sensor_writers writers, struct maxlat_counters* counters,
                                              uint64_t* values, uint64_t count, uint64_t index, uint64_t amount) {
  maxlat_sensor_add(writers, MAXLAT_LIKELY(index < count) ? &values[index] : &counters->outside, amount);
}

#endif
