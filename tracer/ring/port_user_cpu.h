/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Read-modify-write of a word that several threads on several CPUs may hit at once: SMP atomics.
 *
 * acquire-release [C1]: every commit of a sub-buffer reads the commit count that the commit before it wrote, so the
 * last one, which delivers, happens after all of them, and its release of commit_seq [P1] in commit.h carries all their
 * payloads to the reader. Without this, a payload stored by a thread on one CPU could be seen after commit_seq was
 * stored by a thread on another. Shape: publish, through a release sequence. Partner: [C1] itself, in the other
 * writers.
 */
#ifndef MAXLAT_RING_PORT_USER_CPU_H
#define MAXLAT_RING_PORT_USER_CPU_H

MAXLAT_RING_INLINE bool maxlat_ring_cpu_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_cpu_add(uint64_t* word, uint64_t amount) {
  return __atomic_add_fetch(word, amount, __ATOMIC_ACQ_REL);
}

#endif
