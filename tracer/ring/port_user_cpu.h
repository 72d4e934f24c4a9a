/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Read-modify-write of a word that several threads on several CPUs may hit at once: SMP atomics.
 *
 * acquire-release [C1]: every commit of a sub-buffer reads the commit count that the commit before it wrote, so the
 * last one, which delivers, happens after all of them, and its release of commit_seq [P1] in reserve.c carries all
 * their payloads to the reader. Without this, a payload stored by a thread on one CPU could be seen after commit_seq
 * was stored by a thread on another. Shape: publish, through a release sequence. Partner: [C1] itself, in the other
 * writers.
 *
 * NOT rseq(2). A restartable sequence would do without the two lock prefixes. What that can win at most is an arm of
 * ring_bench, "rseq at its best": 1.005 times the counter read where these take 1.011 (seen on a quiet machine). Against
 * it stand the stores that announce a sequence, its end and its abort handler in assembly, a commit that needs another
 * sequence though the thread may have moved in between (and then a locked add to a word that the other CPU adds to
 * without lock), and a flush from another CPU, which would need membarrier(2) for every ring.
 */
#ifndef MAXLAT_RING_PORT_USER_CPU_H
#define MAXLAT_RING_PORT_USER_CPU_H

#include <maxlat/ring/port_user_thread.h> /* MAXLAT_RING_THREAD_BUILTINS */

MAXLAT_RING_INLINE bool maxlat_ring_cpu_cas(uint64_t* word, uint64_t expected, uint64_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
/* On x86 by hand: the compiler's needs the address in a register, an instruction more. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_cpu_add(uint64_t* word, uint64_t amount) {
#ifndef MAXLAT_RING_THREAD_BUILTINS
  uint64_t before = amount;
  __asm__ volatile("lock xaddq %[before], %[word]" : [before] "+r"(before), [word] "+m"(*word) : : "memory", "cc");
  return before + amount;
#else
  return __atomic_add_fetch(word, amount, __ATOMIC_ACQ_REL);
#endif
}

#endif
