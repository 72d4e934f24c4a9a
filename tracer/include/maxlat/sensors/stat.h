/* SPDX-License-Identifier: MIT */
/*
 * A stat: the last value, the smallest and the largest, how many there were, and their sum. The five belong together,
 * so that a mean is one of values that were really posted.
 *
 * TOGETHER. A post raises `begun` before the first word and `count` behind the last; both count posts. A monitor reads
 * `count`, the words, then `begun`: they are equal if and only if no post was under way from the first look to the
 * last.
 * This holds with any number of writers, and with posts that interrupt posts: an odd-and-even sequence word would be
 * even in the middle of two. A monitor looks a bounded number of times; a writer that died in the middle leaves them
 * different for ever, and the monitor says so.
 *
 *   writer:  begun + 1   store fence [V1]   words   release [V2]   count + 1
 *   reader:  count, acquire [V2]   words   acquire fence [V1]   begun
 *
 *   Without [V1] a reader could have a word of a post whose `begun` it has not; without [V2] the count without a word.
 *
 * The extremes are exact. The sum is modulo 2^64.
 *
 * COST of a post: 10 instructions; a new extreme takes more.
 * SOURCE: Pohlack 2010, section 3.2.3.1, scalar sensors; the two counts are ours.
 */
#ifndef MAXLAT_SENSORS_STAT_H
#define MAXLAT_SENSORS_STAT_H

#include <maxlat/sensors/word.h>

#define MAXLAT_STAT_VERSION 1u

struct maxlat_stat {
  struct maxlat_sensor sensor;
  uint64_t begun;
  uint64_t value; /* signed, as the next three */
  uint64_t min;   /* INT64_MAX while there is none */
  uint64_t max;   /* INT64_MIN */
  uint64_t sum;
  uint64_t count;
  uint64_t unused[2];
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_stat) == 256, "layout");

MAXLAT_ALWAYS_INLINE void maxlat_stat_post(enum maxlat_sensor_writers writers, struct maxlat_stat* stat,
                                           int64_t value) {
  maxlat_sensor_add(writers, &stat->begun, 1);
  maxlat_ring_store_fence(); /* release [V1]. Partner: acquire [V1] in kind_stat.cpp. Shape: seqlock. */
  /* relaxed, all: between the two counts */
  maxlat_ring_store(&stat->value, (uint64_t)value);
  maxlat_sensor_lower(writers, MAXLAT_SENSOR_SIGNED, &stat->min, (uint64_t)value);
  maxlat_sensor_raise(writers, MAXLAT_SENSOR_SIGNED, &stat->max, (uint64_t)value);
  maxlat_sensor_add(writers, &stat->sum, (uint64_t)value);
  maxlat_ring_store_fence(); /* release [V2]. Partner: acquire [V2] in kind_stat.cpp. Shape: publish. */
  maxlat_sensor_add(writers, &stat->count, 1);
}

#endif
