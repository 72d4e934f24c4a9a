/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Memory barriers that the writers do not execute (Desnoyers 2012, section 4.4).
 *
 * The reader may look at a packet's bytes after it saw commit_seq. Writers must therefore have stored the bytes before.
 * The paper's writers have only a compiler barrier [M1] at each commit; when the reader is about to take a packet it
 * makes the CPU of the writer execute a full barrier, between two of its own: writer's program order becomes memory
 * order at that point, and a packet of 131 072 events costs one barrier instead of as many.
 *
 *   machine                          writers            reader
 *   x86 (stores stay in order)       compiler barrier   nothing: acquire loads are plain loads
 *   others, membarrier(2) works      compiler barrier   membarrier: GLOBAL_EXPEDITED, for which the producer registered
 *   others, no membarrier            release adds       nothing: every add and store of commit.h is a release
 *
 * What the system call costs: docs/repeat-the-papers.md. The reader's own two barriers [M2] are in promote.c. The last
 * row is what the compiler's atomics in port_user_thread.h give, and the only one built for machines that are not x86
 * until one is at hand to measure; rows one and three are correct without any system call. The promotion itself is
 * here, called by the reader when the ring's header asks for it (MAXLAT_RING_NEEDS_PROMOTION), and checked on the
 * weak-memory model (model/promotion.pml: passes; fails without the reader's barriers, without the promotion, and
 * without the compiler barrier).
 */
#ifndef MAXLAT_RING_PROMOTE_H
#define MAXLAT_RING_PROMOTE_H

#include <maxlat/ring/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Producer, once per process, before it creates a ring that needs promotion. RETURNS: false: the kernel cannot; do not
   set MAXLAT_RING_NEEDS_PROMOTION. THREADS: any. */
bool maxlat_ring_register_for_promotion(void);

/* Reader: between its look at commit_seq (of an open packet: the commit count) and its next look at the ring. RETURNS:
 * false when the kernel refused. THREADS: any. */
bool maxlat_ring_promote(void);

#ifdef __cplusplus
}
#endif
#endif
