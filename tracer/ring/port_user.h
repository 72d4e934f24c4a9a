/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring in user space: plain loads and stores with named order, the two ownership policies, and the time stamp.
 * Contract: port.h.
 */
#ifndef MAXLAT_RING_PORT_USER_H
#define MAXLAT_RING_PORT_USER_H

#include <maxlat/base/counter.h>
#include <maxlat/ring/port_user_cpu.h>
#include <maxlat/ring/port_user_thread.h>

MAXLAT_RING_INLINE uint64_t maxlat_ring_load(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED); /* relaxed: each caller says why */
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_load_acquire(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE); /* the caller names the label */
}
MAXLAT_RING_INLINE void maxlat_ring_store(uint64_t* word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED); /* relaxed: each caller says why */
}
MAXLAT_RING_INLINE void maxlat_ring_store_release(uint64_t* word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE); /* the caller names the label */
}

/* Compare with memory: one instruction less than the compiler's load, then compare. Loads are acquire on x86. */
MAXLAT_RING_INLINE bool maxlat_ring_is_below(uint64_t value, const uint64_t* word) {
#ifndef MAXLAT_RING_THREAD_BUILTINS
  bool not_below;
  __asm__ volatile("cmpq %[word], %[value]" : "=@ccae"(not_below) : [value] "r"(value), [word] "m"(*word) : "memory");
  return !not_below;
#else
  return value < maxlat_ring_load_acquire(word);
#endif
}

MAXLAT_RING_INLINE bool maxlat_ring_owner_cas(enum maxlat_ring_ownership ownership, uint64_t* word, uint64_t expected,
                                              uint64_t desired) {
  return ownership == MAXLAT_RING_THREAD ? maxlat_ring_thread_cas(word, expected, desired)
                                         : maxlat_ring_cpu_cas(word, expected, desired);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_owner_add(enum maxlat_ring_ownership ownership, uint64_t* word,
                                                  uint64_t amount) {
  return ownership == MAXLAT_RING_THREAD ? maxlat_ring_thread_add(word, amount) : maxlat_ring_cpu_add(word, amount);
}
MAXLAT_RING_INLINE bool maxlat_ring_shared_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

MAXLAT_RING_INLINE uint64_t maxlat_ring_clock(void) {
  return maxlat_counter_plain();
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_clock_ordered(void) {
  return maxlat_counter_fenced();
}

#endif
