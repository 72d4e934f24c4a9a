/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring in the kernel. Contract: port.h.
 *
 *   MAXLAT_RING_THREAD  a ring of one CPU, written by one task bound to it and by that CPU's interrupts and NMIs: local
 *                       operations, which are atomic against what runs on the same CPU and take no lock prefix; those
 *                       of port_x86.h, and elsewhere the kernel's.
 *                       This is Desnoyers 2012 as printed; in user space the thread stands for the CPU and the signal
 *                       for the interrupt. A task that may be moved between two of its events turns preemption off
 *                       around each.
 *   MAXLAT_RING_CPU     whoever likes to write: SMP atomics.
 *
 * Where stores are not ordered local operations order nothing, so a ring of the first kind needs the promotion there
 * (promote.h; the interprocessor interrupt itself is in promote_kernel.c).
 */
#ifndef MAXLAT_RING_PORT_KERNEL_H
#define MAXLAT_RING_PORT_KERNEL_H

#include <asm/barrier.h>
#include <asm/local64.h>
#include <linux/atomic.h>
#include <maxlat/base/counter.h>
#ifdef CONFIG_X86_64
#include <maxlat/ring/port_x86.h>
#endif

MAXLAT_RING_INLINE uint64_t maxlat_ring_load(const uint64_t* word) {
  return READ_ONCE(*word); /* relaxed: each caller says why */
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_load_acquire(const uint64_t* word) {
  return smp_load_acquire(word); /* the caller names the label */
}
MAXLAT_RING_INLINE void maxlat_ring_store(uint64_t* word, uint64_t value) {
  WRITE_ONCE(*word, value); /* relaxed: each caller says why */
}
MAXLAT_RING_INLINE void maxlat_ring_store_release(uint64_t* word, uint64_t value) {
  smp_store_release(word, value); /* the caller names the label */
}

MAXLAT_RING_INLINE void maxlat_ring_store_fence(void) {
  smp_wmb(); /* the caller names the label */
}

MAXLAT_RING_INLINE bool maxlat_ring_shared_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return cmpxchg64(word, expected, desired) == expected;
}
MAXLAT_RING_INLINE bool maxlat_ring_owner_cas(enum maxlat_ring_ownership ownership, uint64_t* word, uint64_t expected,
                                              uint64_t desired) {
  if (ownership == MAXLAT_RING_CPU) return maxlat_ring_shared_cas(word, expected, desired);
#ifdef CONFIG_X86_64
  return maxlat_ring_x86_cas(word, expected, desired);
#else
  return (uint64_t)local64_cmpxchg((local64_t*)word, (s64)expected, (s64)desired) == expected;
#endif
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_owner_add(enum maxlat_ring_ownership ownership, uint64_t* word,
                                                  uint64_t amount) {
  if (ownership == MAXLAT_RING_CPU) return (uint64_t)atomic64_add_return((s64)amount, (atomic64_t*)word);
#ifdef CONFIG_X86_64
  return maxlat_ring_x86_add(word, amount);
#else
  return (uint64_t)local64_add_return((s64)amount, (local64_t*)word);
#endif
}

MAXLAT_RING_INLINE uint64_t maxlat_ring_clock(void) {
  return maxlat_counter_plain();
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_clock_ordered(void) {
  return maxlat_counter_fenced();
}
MAXLAT_RING_INLINE bool maxlat_ring_clock_follows(enum maxlat_ring_ownership ownership, struct maxlat_ring_cpu cpu,
                                                  const uint64_t* word, uint64_t* time) {
#ifdef CONFIG_X86_64
  if (ownership == MAXLAT_RING_THREAD) return maxlat_ring_x86_clock_follows(word, time);
#endif
  *time = maxlat_ring_clock();
  if ((*time ^ maxlat_ring_load_acquire(word)) >> MAXLAT_RING_TIME_BITS != 0) return false;
  return ownership == MAXLAT_RING_THREAD || *cpu.now == cpu.chosen;
}

#endif
