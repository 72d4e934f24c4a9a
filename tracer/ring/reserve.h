/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Reserve: a writer takes the next bytes of the ring for itself, with the time stamp that belongs to them. Seed 001,
 * Algorithms 1 and 2. The writer then stores its record and commits it (commit.h), in any order with its neighbours.
 *
 *      write_count         old                old + size
 *           |               |<---- slot ------>|
 *      -----+--- records ---+------------------+- - - - -      one CAS old -> old + size, or over padding and a header:
 *
 *           | records |  padding  | header |<---- slot --->|   when the record does not fit (switch.h)
 *
 * ROLES. Writers: the owner thread and its signal handlers (MAXLAT_RING_THREAD), or any thread (MAXLAT_RING_CPU). A handler may
 * interrupt a writer at any instruction, here or in commit, and write its own record.
 *
 *                          reserve  commit  flush  finalise  get/put (read.h)
 *      reserve                -       -       -       X          -
 *      commit                         -       -       X          -
 *      flush                                  -       X          -          - : no exclusion needed
 *      finalise                                       X          -          X : the caller excludes
 *      get/put                                                   X
 *      with MAXLAT_RING_THREAD reserve, commit, flush and finalise are called by the owner thread and its handlers only, or by
 *      anybody once that thread has ended.
 *
 * TIME ORDER (invariant 6). The clock is read after write_count and before the CAS that proves that nobody reserved in between.
 * Equal stamps are possible, decreasing ones are not. With MAXLAT_RING_CPU the counter read is not ordered with memory (rdtsc may
 * run ~100 ns early), so a thread must not retry on a ring whose CPU it may have left: reserve makes one attempt and
 * says AGAIN, and the caller looks at its CPU number again. A straggler's single attempt carries a stamp from before its migration.
 *
 * LOST counters are read in the same loop, before the CAS, whenever a packet is closed: so what packet p says was lost is
 * never more than what packet p + 1 says (invariant 8), in whatever order their headers are written.
 *
 * PROGRESS: wait-free. An attempt is straight code. MAXLAT_RING_THREAD: an attempt fails only when a handler reserved
 * between two of this context's instructions; after MAXLAT_RING_ATTEMPTS failures the event is dropped as lost_wrap. No
 * writer ever waits for another: a claimed slot delays the delivery of its own packet and nothing else.
 *
 * COST: MAXLAT_RING_THREAD no locked instruction, MAXLAT_RING_CPU two (CAS and commit add); overwrite mode adds, once per
 * packet, one locked CAS for the reference and at most one for the reader. Lines: hot, the record, the view.
 * Instructions: cost_test.cpp holds the counts (common path, dropped event, longest path).
 *
 * DROPPING is cheaper than recording: no clock, no CAS, one add to a counter.
 */
#ifndef MAXLAT_RING_RESERVE_H
#define MAXLAT_RING_RESERVE_H

#include <maxlat/ring/commit.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_ATTEMPTS 64

enum maxlat_ring_outcome {
  MAXLAT_RING_RESERVED = 0,
  MAXLAT_RING_DROPPED = 1, /* and counted, by cause */
  MAXLAT_RING_AGAIN = 2    /* another writer was first; nothing happened */
};

struct maxlat_ring_slot {
  uint64_t position; /* where in the stream; says which packet */
  uint64_t time;
  uint8_t* bytes;
};

/* The part of an attempt that begins or ends a packet, or drops the event. Same contract as maxlat_ring_try_reserve. */
MAXLAT_RING_COLD enum maxlat_ring_outcome maxlat_ring_try_reserve_at_edge(enum maxlat_ring_ownership ownership,
                                                                          const struct maxlat_ring* ring, uint64_t size,
                                                                          struct maxlat_ring_slot* slot);
/* The second and later attempts. */
MAXLAT_RING_COLD enum maxlat_ring_outcome maxlat_ring_reserve_again(enum maxlat_ring_ownership ownership,
                                                                    const struct maxlat_ring* ring, uint64_t size,
                                                                    struct maxlat_ring_slot* slot);

/* Overwrite mode: marks the place of `position` as held by writers for its packet, and makes the reader leave it. */
MAXLAT_RING_COLD uint64_t maxlat_ring_claim(const struct maxlat_ring* ring, uint64_t position);

/* The bytes of a reserved position. In overwrite mode every context makes sure of the reference before it touches a byte: the
   one that opened the packet may have been interrupted before it did. */
MAXLAT_RING_INLINE uint8_t* maxlat_ring_bytes_at(const struct maxlat_ring* ring, uint64_t position) {
  const struct maxlat_ring_shape* shape = &ring->shape;
  if (!maxlat_ring_overwrites(ring)) return ring->memory + (position & shape->buffer_mask);
  /* relaxed: only writers set the state that is looked for, and this context's reservation keeps it from being cleared. */
  uint64_t word = maxlat_ring_load(&ring->cells[maxlat_ring_index(shape, position)].reference);
  if (MAXLAT_UNLIKELY(maxlat_ring_ref_state(word) !=
                      maxlat_ring_ref(0, MAXLAT_RING_REF_WRITER, maxlat_ring_packet_number(shape, position)))) {
    word = maxlat_ring_claim(ring, position);
  }
  return ring->memory + (maxlat_ring_ref_sub_buffer(word) << shape->sub_buffer_bits) +
         (position & shape->sub_buffer_mask);
}

/*
 * One attempt. REQUIRES: size a positive multiple of 8, below 2^32.
 * RETURNS: RESERVED: the slot is the caller's until it commits `size` bytes at slot->position. DROPPED. AGAIN.
 */
MAXLAT_RING_INLINE enum maxlat_ring_outcome maxlat_ring_try_reserve(enum maxlat_ring_ownership ownership,
                                                                    const struct maxlat_ring* ring, uint64_t size,
                                                                    struct maxlat_ring_slot* slot) {
  /* relaxed: the CAS below decides whether this value was still the last one. */
  const uint64_t position = maxlat_ring_load(ring->write_count);
  const uint64_t offset = position & ring->shape.sub_buffer_mask;
  if (MAXLAT_UNLIKELY(offset == 0 || offset + size > ring->shape.sub_buffer_mask)) {
    return maxlat_ring_try_reserve_at_edge(ownership, ring, size, slot);
  }
  const uint64_t time = maxlat_ring_clock();
  if (MAXLAT_UNLIKELY(!maxlat_ring_owner_cas(ownership, ring->write_count, position, maxlat_ring_wrap(position + size)))) {
    return MAXLAT_RING_AGAIN;
  }
  slot->position = position;
  slot->time = time;
  slot->bytes = maxlat_ring_bytes_at(ring, position);
  return MAXLAT_RING_RESERVED;
}

/*
 * Attempts until one succeeds, at most MAXLAT_RING_ATTEMPTS. For MAXLAT_RING_THREAD; with MAXLAT_RING_CPU only where time
 * stamps need not be in order (see TIME ORDER). REQUIRES, RETURNS: as maxlat_ring_try_reserve, never AGAIN.
 */
MAXLAT_RING_INLINE enum maxlat_ring_outcome maxlat_ring_reserve(enum maxlat_ring_ownership ownership,
                                                                const struct maxlat_ring* ring, uint64_t size,
                                                                struct maxlat_ring_slot* slot) {
  const enum maxlat_ring_outcome outcome = maxlat_ring_try_reserve(ownership, ring, size, slot);
  if (MAXLAT_LIKELY(outcome != MAXLAT_RING_AGAIN)) return outcome;
  return maxlat_ring_reserve_again(ownership, ring, size, slot);
}

/* Counts an event that was given up after too many AGAINs. */
void maxlat_ring_give_up(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring);

#ifdef __cplusplus
}
#endif
#endif
