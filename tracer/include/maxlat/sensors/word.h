/* SPDX-License-Identifier: MIT */
/*
 * One word of a sensor, and what its writers do with it. `writers` is a constant wherever this is used, so that a post
 * is the one instruction that it names.
 *
 *   MAXLAT_SENSOR_THREAD   atomic with respect to the thread's signal handlers: a single instruction on x86-64; where
 *                          there is none, and under ThreadSanitizer, which cannot see into asm, the compiler's atomics
 *   MAXLAT_SENSOR_SHARED   atomic among all threads
 *
 * relaxed, all: a monitor wants a recent value of each word. Where words belong together, their kind orders them.
 */
#ifndef MAXLAT_SENSORS_WORD_H
#define MAXLAT_SENSORS_WORD_H

#include <maxlat/ring/port.h>
#include <maxlat/sensors/sensor.h>

#if !defined(MAXLAT_RING_PORT) && !defined(MAXLAT_RING_THREAD_BUILTINS)
#define MAXLAT_SENSOR_X86 1 /* port_user_thread.h decides where asm may be */
#endif

/* Adds; modulo 2^64. */
MAXLAT_ALWAYS_INLINE void maxlat_sensor_add(enum maxlat_sensor_writers writers, uint64_t* word, uint64_t amount) {
#if defined(MAXLAT_SENSOR_X86)
  if (writers == MAXLAT_SENSOR_THREAD)
    __asm__ volatile("addq %[amount], %[word]" : [word] "+m"(*word) : [amount] "er"(amount) : "cc");
  else
    __asm__ volatile("lock addq %[amount], %[word]" : [word] "+m"(*word) : [amount] "er"(amount) : "cc");
#else
  maxlat_ring_owner_add(writers == MAXLAT_SENSOR_THREAD ? MAXLAT_RING_THREAD : MAXLAT_RING_CPU, word, amount);
#endif
}

MAXLAT_ALWAYS_INLINE bool maxlat_sensor_cas(enum maxlat_sensor_writers writers, uint64_t* word, uint64_t expected,
                                            uint64_t desired) {
  return maxlat_ring_owner_cas(writers == MAXLAT_SENSOR_THREAD ? MAXLAT_RING_THREAD : MAXLAT_RING_CPU, word, expected,
                               desired);
}

/* For readers; the caller names the label. */
MAXLAT_ALWAYS_INLINE void maxlat_sensor_load_fence(void) {
#if !defined(MAXLAT_RING_PORT)
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/*
 * Adds to a number of two words, modulo 2^128. A carry is added by whoever caused it: between the two words another
 * post may come, and a signal handler gives the carry flag back as it was.
 */
MAXLAT_ALWAYS_INLINE void maxlat_sensor_add_wide(enum maxlat_sensor_writers writers, uint64_t* low, uint64_t* high,
                                                 maxlat_u128 amount) {
#if defined(MAXLAT_SENSOR_X86)
  if (writers == MAXLAT_SENSOR_THREAD) {
    __asm__ volatile("addq %[from_low], %[low]\n\tadcq %[from_high], %[high]"
                     : [low] "+m"(*low), [high] "+m"(*high)
                     : [from_low] "r"((uint64_t)amount), [from_high] "r"((uint64_t)(amount >> 64))
                     : "cc");
    return;
  }
#endif
  const uint64_t after = maxlat_ring_owner_add(writers == MAXLAT_SENSOR_THREAD ? MAXLAT_RING_THREAD : MAXLAT_RING_CPU,
                                               low, (uint64_t)amount);
  const uint64_t upper = (uint64_t)(amount >> 64) + (after < (uint64_t)amount);
  if (MAXLAT_UNLIKELY(upper != 0)) maxlat_sensor_add(writers, high, upper);
}

enum maxlat_sensor_number { MAXLAT_SENSOR_UNSIGNED, MAXLAT_SENSOR_SIGNED };

MAXLAT_ARITHMETIC bool maxlat_sensor_less(enum maxlat_sensor_number number, uint64_t a, uint64_t b) {
  return number == MAXLAT_SENSOR_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

/*
 * Makes the word an extreme of itself and the value. A new extreme is rare, so it is out of the way. Another writer may
 * be faster, and with a more extreme value: then there is nothing to do. Each failed exchange means that somebody else
 * stored one, so nobody waits for anybody.
 */
MAXLAT_ALWAYS_INLINE void maxlat_sensor_lower(enum maxlat_sensor_writers writers, enum maxlat_sensor_number number,
                                              uint64_t* word, uint64_t value) {
  uint64_t seen = maxlat_ring_load(word);
  while (MAXLAT_UNLIKELY(maxlat_sensor_less(number, value, seen)) && !maxlat_sensor_cas(writers, word, seen, value))
    seen = maxlat_ring_load(word);
}
MAXLAT_ALWAYS_INLINE void maxlat_sensor_raise(enum maxlat_sensor_writers writers, enum maxlat_sensor_number number,
                                              uint64_t* word, uint64_t value) {
  uint64_t seen = maxlat_ring_load(word);
  while (MAXLAT_UNLIKELY(maxlat_sensor_less(number, seen, value)) && !maxlat_sensor_cas(writers, word, seen, value))
    seen = maxlat_ring_load(word);
}

#endif
