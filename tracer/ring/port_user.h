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

/* The caller names the label. */
MAXLAT_RING_INLINE void maxlat_ring_store_fence(void) {
#ifdef __x86_64__
  __asm__ volatile("" : : : "memory"); /* stores stay in order; and ThreadSanitizer knows no fences */
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
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

/*
 * By hand on x86, where loads are acquire: for one thread port_x86.h; per CPU with a second compare, of which only the
 * flag comes out, whichever was the one that failed. The register of the CPU's number is named because the compiler,
 * left to itself, takes one that it must save.
 */
#if !defined(MAXLAT_RING_THREAD_BUILTINS) && MAXLAT_RING_TIME_BITS == 32
MAXLAT_RING_INLINE bool maxlat_ring_clock_follows(enum maxlat_ring_ownership ownership, struct maxlat_ring_cpu cpu,
                                                  const uint64_t* word, uint64_t* time) {
  const uint32_t* const upper_word = (const uint32_t*)(const void*)word + 1;
  if (ownership == MAXLAT_RING_THREAD) return maxlat_ring_x86_clock_follows(word, time);
  bool differs;
  uint64_t place_then_lower = (uint64_t)cpu.now;
  __asm__ volatile(
      "rdtsc\n\tcmpl %[upper_word], %%edx\n\tjne 1f\n\tcmpl %k[chosen], (%[place])\n1:\tmovl %%eax, %k[place]"
      : "=@ccne"(differs), [place] "+D"(place_then_lower)
      : [upper_word] "m"(*upper_word), [chosen] "c"(cpu.chosen)
      : "memory", "rax", "rdx");
  if (place_then_lower > UINT32_MAX) __builtin_unreachable(); /* or the compiler clears what is clear */
  *time = place_then_lower;
  return !differs;
}
#else
MAXLAT_RING_INLINE bool maxlat_ring_clock_follows(enum maxlat_ring_ownership ownership, struct maxlat_ring_cpu cpu,
                                                  const uint64_t* word, uint64_t* time) {
  *time = maxlat_ring_clock();
  if ((*time ^ maxlat_ring_load_acquire(word)) >> MAXLAT_RING_TIME_BITS != 0) return false;
  return ownership == MAXLAT_RING_THREAD || *cpu.now == cpu.chosen;
}
#endif

#endif
