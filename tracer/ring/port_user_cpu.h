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
 * NOT rseq(2). A restartable sequence would do without the two lock prefixes and the second look where the thread is.
 * What that can win at most is an arm of ring_bench, "rseq at its best", a sequence that costs nothing itself. Seen in
 * four runs of 6 million events, a machine of 2.6 GHz, in ticks (the counter's steps are of 26):
 *
 *                          batches, to a bare read    single events    p50    p99.9            p99.99
 *   nothing at all                                                      52    52 - 78          312 - 3926
 *   these atomics              1.016 - 1.027                            78   130, once 546     806 - 31226
 *   rseq at its best           1.003 - 1.008                            78   104, once 416     754 - 30446
 *
 * So the bound is 2 % faster where the counter read hides most of it, and tighter at p99.9 by one step of the counter;
 * at p99.99 the machine's own tail is all there is to see. (Where another hyperthread has half of the core, 1.22 to
 * 1.10; before records asked for their lines ahead, 400 to 250 at p99.9.) What a real sequence costs is not in it, and
 * stands against it: the stores that announce a sequence and its end, its abort handler in assembly, a commit that
 * needs another sequence though the thread may have moved in between (and then a locked add to a word that the other
 * CPU adds to without lock: a lost count, so a packet that is never delivered), and a flush from another CPU, which
 * would need membarrier(2) for every ring.
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
