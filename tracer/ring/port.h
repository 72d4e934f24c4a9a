/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring's door to the world it is compiled into. Everything else under tracer/ring/ is arithmetic and calls to the
 * functions named here, so that one source serves user space, the kernel module and the tests.
 *
 * A world is chosen at compile time: -DMAXLAT_RING_PORT='<maxlat/ring/port_test.h>' names another port header; without
 * it the ring is compiled for user space or, where that is what is compiled, for the kernel. A port supplies, for
 * 64-bit words in memory that several contexts share:
 *
 *   maxlat_ring_load(w)  maxlat_ring_load_acquire(w)  maxlat_ring_store(w, v)  maxlat_ring_store_release(w, v)
 *   maxlat_ring_store_fence()                                stores before it are seen before those behind it
 *   maxlat_ring_clock_follows(ownership, cpu, w, &time)      reads the time stamp; whether it and load_acquire(w) have
 *                                                            the same upper bits and, with MAXLAT_RING_CPU, the caller
 *                                                            is then on the ring's CPU. If so, at least the lower bits
 *                                                            of the stamp are in `time`
 *   maxlat_ring_owner_cas(ownership, w, expected, desired)   compare-exchange among the contexts that own the ring
 *   maxlat_ring_owner_add(ownership, w, n)                   add, returns the NEW value; same contexts; releases
 *   maxlat_ring_shared_cas(w, expected, desired)             compare-exchange among everybody, the reader included
 *   maxlat_ring_clock()                                      the whole time stamp
 *   maxlat_ring_clock_ordered()                              the same, not read before any load that precedes it
 *
 * OWNERSHIP is a policy, and a constant wherever speed matters (every function that takes it is inlined):
 *   MAXLAT_RING_THREAD  one thread owns the write side. Only its own signal handlers are concurrent with it, they nest,
 *                       and an instruction is never interrupted in its middle: read-modify-write without `lock` is
 *                       atomic enough. The thread takes the place that the CPU has in Desnoyers 2012; signals are its
 *                       interrupts.
 *   MAXLAT_RING_CPU     any thread that was on the CPU when it looked may write: full SMP atomics.
 *
 * WHERE a writer of a ring per CPU is, it finds in a word that the kernel keeps current for it (rseq(2)); the ring
 * looks once more, because counter reads on two CPUs have no order of their own (reserve.h, TIME ORDER).
 */
#ifndef MAXLAT_RING_PORT_H
#define MAXLAT_RING_PORT_H

#include <maxlat/base/platform.h>

#ifndef __KERNEL__
#include <stdbool.h>
#endif

enum maxlat_ring_ownership { MAXLAT_RING_THREAD = 0, MAXLAT_RING_CPU = 1 };

#ifndef MAXLAT_RING_TIME_BITS
#define MAXLAT_RING_TIME_BITS 32 /* of a short record; tests use fewer, so that times overflow often */
#endif

/* Where the calling thread finds the number of the CPU it is on, and what that was when it chose the ring. */
struct maxlat_ring_cpu {
  const volatile uint32_t* now;
  uint64_t chosen; /* 64 bits: it was also an index */
};

/* For the fast path: inlined whatever the compiler thinks, so that a constant ownership selects one instruction. */
#define MAXLAT_RING_INLINE static inline __attribute__((__always_inline__))
/* For what happens once per sub-buffer or in a collision: out of the way of the fast path's instruction cache. Not
   `cold`, which would make the compiler prefer few bytes to few instructions, and this is the longest path there is. */
#define MAXLAT_RING_OUT_OF_LINE __attribute__((__noinline__)) /* the kernel has a macro without the underscores */

/* Of a writer that cannot tell: it is treated as on another CPU than the ring's, always. With MAXLAT_RING_THREAD nobody
 * looks. */
MAXLAT_RING_INLINE struct maxlat_ring_cpu maxlat_ring_unknown_cpu(void) {
  static const uint32_t none = 0xffffffff;
  const struct maxlat_ring_cpu cpu = {&none, 0};
  return cpu;
}

#ifdef MAXLAT_RING_PORT
#include MAXLAT_RING_PORT
#elif defined(__KERNEL__)
#include <maxlat/ring/port_kernel.h>
#else
#include <maxlat/ring/port_user.h>
#endif

#endif
