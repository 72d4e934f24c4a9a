/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Reading the time-stamp counter, and turning its ticks into nanoseconds without a division.
 *
 * There are three reads. They differ in which instructions the processor may move across the read:
 *
 *   plain     rdtsc                 earlier instructions may still be under way, later ones may already have begun.
 *                                   Cheapest (9.5 ns on a 2.6 GHz EPYC guest). For time stamps.
 *   fenced    lfence; rdtsc         every earlier instruction has finished. The default of npt: a gap between two
 *                                   fenced reads contains the whole of what stood between them (18.4 ns there).
 *   ordered   rdtscp                waits for earlier instructions like fenced; also tells the CPU number.
 *
 * On aarch64 all three are `isb; mrs cntvct_el0` (plain without the isb).
 *
 * THREADS and SIGNALS: every function here is pure or reads one register; call them from anywhere.
 * SOURCE: Beamonte 2015, section 4.1. npt 1.01 uses an unfenced rdtsc, which may execute before the instructions that
 * it measures.
 */
#ifndef MAXLAT_BASE_COUNTER_H
#define MAXLAT_BASE_COUNTER_H

#include <maxlat/base/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__x86_64__)
static inline uint64_t maxlat_counter_plain(void) { return __builtin_ia32_rdtsc(); }
static inline uint64_t maxlat_counter_fenced(void) {
  __asm__ volatile("lfence" ::: "memory");
  return __builtin_ia32_rdtsc();
}
static inline uint64_t maxlat_counter_ordered(void) {
  uint32_t cpu_and_node;
  return __builtin_ia32_rdtscp(&cpu_and_node);
}
#elif defined(__aarch64__)
static inline uint64_t maxlat_counter_plain(void) {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
}
static inline uint64_t maxlat_counter_fenced(void) {
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
}
static inline uint64_t maxlat_counter_ordered(void) { return maxlat_counter_fenced(); }
#else
#error "maxlat knows the time-stamp counters of x86-64 and aarch64 only"
#endif

/*
 * A fixed ratio ns = (ticks * mult) >> 32, ticks = (ns * inverse) >> 32, rounded to nearest, computed with 128-bit
 * intermediates: exact to 2^-32 of the ratio, no overflow below 2^64 ns.
 */
struct maxlat_counter_ratio {
  uint64_t mult;    /* ns per tick, 32.32 fixed point */
  uint64_t inverse; /* ticks per ns, 32.32 fixed point */
};

static inline uint64_t maxlat_ticks_to_ns(struct maxlat_counter_ratio ratio, uint64_t ticks) {
  return (uint64_t)(((maxlat_u128)ticks * ratio.mult + (1ull << 31)) >> 32);
}
static inline uint64_t maxlat_ns_to_ticks(struct maxlat_counter_ratio ratio, uint64_t ns) {
  return (uint64_t)(((maxlat_u128)ns * ratio.inverse + (1ull << 31)) >> 32);
}

#ifdef __cplusplus
}
#endif
#endif
