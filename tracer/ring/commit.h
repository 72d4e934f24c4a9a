/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Commit: a slot is written; count it, and if that filled the sub-buffer, deliver the packet (Desnoyers 2012,
 * Algorithm 3).
 *
 * What is different from the print, and why (each has a mutant in tracer/model/ that fails):
 *   - The delivery test is equation 2 asked of the slot's own position. The printed equation 3 is false for every
 *     commit that fills a sub-buffer.
 *   - It is asked of the value that the add RETURNS. Of all contexts that commit to a pass exactly one gets the value
 *     that fills it. "Add, then look" lets an outer and a nested context both see a full sub-buffer, and the slower one
 *     deliver it a second time, a pass later.
 *   - The reference flag is cleared before commit_seq is published. Until commit_seq moves, equation 3 keeps writers
 *     out of the next pass; afterwards the flag may already be theirs.
 *   - commit_seq is a plain store and not a CAS loop to the maximum: delivery is exclusive, and the next pass cannot
 *     begin, let alone be delivered, before this store. There is nobody to race with.
 *
 * HEADER. The bytes of a packet's header are committed with the record that opened it, by the same add.
 *
 * RECORDS. The add carries one record in the bits above the byte count. Of all the adds of a pass the sum is what the
 * word moved on: S bytes, and as many ones above them as the packet has records, whatever was carried from one to the
 * other.
 *
 * COST of a commit that does not fill: 1 add (locked only with MAXLAT_RING_CPU), 1 branch; counted in cost_test.cpp.
 */
#ifndef MAXLAT_RING_COMMIT_H
#define MAXLAT_RING_COMMIT_H

#include <maxlat/ring/reference.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_ONE_RECORD (1ull << MAXLAT_RING_COMMIT_BITS)

/* Records committed between two values of a commit count that are one pass apart. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_records_between(uint64_t before, uint64_t after) {
  return (after - before) >> MAXLAT_RING_COMMIT_BITS;
}

/*
 * Publishes the packet of `position`. `filled` is the commit count that filled it.
 * THREADS: the one context whose add returned `filled`; may be interrupted anywhere by writers of other packets.
 */
MAXLAT_RING_OUT_OF_LINE void maxlat_ring_deliver(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                 uint64_t position, uint64_t filled);

/* Counts `bytes` of the packet of `position` as committed: padding, or with MAXLAT_RING_ONE_RECORD a record.
   REQUIRES: commit_count is that packet's word. THREADS: the context that reserved the bytes, once. */
MAXLAT_RING_INLINE void maxlat_ring_commit_bytes(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                 uint64_t* commit_count, uint64_t position, uint64_t bytes) {
  /* release [W1] inside the add, or where the reader promotes it (promote.h) a compiler barrier [M1]: the payload
     before its count. Partner: acquire [P1] in read_place.h, through release [P1] in reserve.c. Shape: publish. Without
     this, the reader could see commit_seq before a payload byte. */
  const uint64_t commit = maxlat_ring_owner_add(ownership, commit_count, bytes);
  /* A necessary part of equation 2, and all that is asked of a commit that does not fill: its left side is a multiple
   * of S. */
  if (MAXLAT_UNLIKELY((commit & ring->shape.sub_buffer_mask) == 0) &&
      maxlat_ring_filled(&ring->shape, position, commit)) {
    maxlat_ring_deliver(ownership, ring, position, commit);
  }
}

#ifdef __cplusplus
}
#endif
#endif
