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
 * ROLES. Writers: the owner thread and its signal handlers (MAXLAT_RING_THREAD), or any thread (MAXLAT_RING_CPU). A
 * handler may interrupt a writer at any instruction, here or in commit, and write its own record.
 *
 *                          reserve  commit  flush  finalise  get/put (read.h)
 *      reserve                -       -       -       X          -
 *      commit                         -       -       X          -
 *      flush                                  -       X          -          - : no exclusion needed
 *      finalise                                       X          -          X : the caller excludes
 *      get/put                                                   X
 *      with MAXLAT_RING_THREAD reserve, commit, flush and finalise are called by the owner thread and its handlers
 * only, or by anybody once that thread has ended.
 *
 * TIME ORDER (invariant 6). The clock is read after write_count and before the CAS that proves that nobody reserved in
 * between. Equal stamps are possible, decreasing ones are not. With MAXLAT_RING_CPU the counter read is not ordered
 * with memory (rdtsc may run ~100 ns early), so a thread must not retry on a ring whose CPU it may have left: reserve
 * makes one attempt and says AGAIN, and the caller looks at its CPU number again. A straggler's single attempt carries
 * a stamp from before its migration.
 *
 * LOST counters are read in the same loop, before the CAS, whenever a packet is closed: so what packet p says was lost
 * is never more than what packet p + 1 says (invariant 8), in whatever order their headers are written.
 *
 * PROGRESS: wait-free. An attempt is straight code. MAXLAT_RING_THREAD: an attempt fails only when a handler reserved
 * between two of this context's instructions; after MAXLAT_RING_ATTEMPTS failures the event is dropped as lost_wrap. No
 * writer ever waits for another: a claimed slot delays the delivery of its own packet and nothing else.
 *
 * COST: MAXLAT_RING_THREAD no locked instruction, MAXLAT_RING_CPU two (CAS and commit add); overwrite mode adds, once
 * per packet, one locked CAS for the reference and at most one for the reader. Lines: hot, the record, the view.
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
  MAXLAT_RING_AGAIN = 2,   /* another writer was first; nothing happened */
  MAXLAT_RING_UNCOMMON = 3 /* try_common only: not a case for it; nothing happened */
};

/* What a reservation gives. Everything that commit needs is worked out once, here; unused members cost nothing once
 * inlined. */
struct maxlat_ring_slot {
  uint64_t position; /* where in the stream */
  uint64_t packet;   /* number of the packet it is in */
  uint64_t time;
  uint8_t* bytes;
  uint64_t* commit_count; /* the packet's */
};

/* One attempt of any kind. Contract: maxlat_ring_try_reserve. */
MAXLAT_RING_OUT_OF_LINE enum maxlat_ring_outcome maxlat_ring_try_any(enum maxlat_ring_ownership ownership,
                                                                     const struct maxlat_ring* ring, uint64_t size,
                                                                     struct maxlat_ring_slot* slot);
/* Attempts of any kind. Contract: maxlat_ring_reserve. */
MAXLAT_RING_OUT_OF_LINE enum maxlat_ring_outcome maxlat_ring_reserve_any(enum maxlat_ring_ownership ownership,
                                                                         const struct maxlat_ring* ring, uint64_t size,
                                                                         struct maxlat_ring_slot* slot);

/* Overwrite mode: marks the place of `position` as held by writers for its packet, and makes the reader leave it.
   RETURNS: the sub-buffer that stands there. */
MAXLAT_RING_OUT_OF_LINE uint64_t maxlat_ring_claim(const struct maxlat_ring* ring, uint64_t position);

/* The sub-buffer in which the packet of a reserved position lies. In overwrite mode every context makes sure of the
   reference before it touches a byte: the one that opened the packet may have been interrupted before it did. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_sub_buffer_of(const struct maxlat_ring* ring, uint64_t position,
                                                      uint64_t packet) {
  const uint64_t place = packet & ring->shape.ring_mask;
  if (!maxlat_ring_overwrites(ring)) return place;
  /* acquire [X1]: the state may have been set by another writer; its claim acquired the reader's exchange, and we must
     stand behind that exchange too before we store into the spare. This context's reservation keeps the state from
     being cleared. Partner: [X1] of claim and of the exchange in read.c. Shape: publish, through the claim. */
  const uint64_t word = maxlat_ring_load_acquire(&ring->cells[place].reference);
  const uint64_t sub_buffer =
      word - maxlat_ring_ref(0, MAXLAT_RING_REF_WRITER, packet); /* in range only in that very state */
  return MAXLAT_LIKELY(sub_buffer <= MAXLAT_RING_REF_INDEX) ? sub_buffer : maxlat_ring_claim(ring, position);
}

/*
 * One attempt at the common case: a record in the middle of a packet whose reference is already held. A probe that does
 * everything else out of line (event_probe.h) has no call on this path, and so no registers to save.
 *
 * In overwrite mode the reference is looked at BEFORE the CAS: if it is held for this packet and the CAS then succeeds,
 * the packet had room until now, so it was not delivered, and now it waits for our commit: the reference stays held.
 * REQUIRES: as maxlat_ring_try_reserve. RETURNS: RESERVED, AGAIN or UNCOMMON.
 */
MAXLAT_RING_INLINE enum maxlat_ring_outcome maxlat_ring_try_common(enum maxlat_ring_ownership ownership,
                                                                   const struct maxlat_ring* ring, uint64_t size,
                                                                   struct maxlat_ring_slot* slot) {
  const uint64_t sub_buffer_mask = ring->shape.sub_buffer_mask;
  const uint32_t sub_buffer_bits = ring->shape.sub_buffer_bits;
  /* relaxed: the CAS below decides whether this value was still the last one. */
  const uint64_t position = maxlat_ring_load(ring->write_count);
  const uint64_t offset = position & sub_buffer_mask;
  if (MAXLAT_UNLIKELY(offset == 0 || offset + size > sub_buffer_mask)) return MAXLAT_RING_UNCOMMON;
  const uint64_t packet = position >> sub_buffer_bits;
  const uint64_t place = packet & ring->shape.ring_mask;
  uint64_t sub_buffer = place;
  if (maxlat_ring_overwrites(ring)) {
    /* acquire [X1]: as in maxlat_ring_sub_buffer_of. */
    sub_buffer =
        maxlat_ring_load_acquire(&ring->cells[place].reference) - maxlat_ring_ref(0, MAXLAT_RING_REF_WRITER, packet);
    if (MAXLAT_UNLIKELY(sub_buffer > MAXLAT_RING_REF_INDEX)) return MAXLAT_RING_UNCOMMON;
  }
  slot->position = position;
  slot->packet = packet;
  slot->commit_count = &ring->commit_count[place];
  slot->bytes = ring->memory + (sub_buffer << sub_buffer_bits) + offset;
  slot->time = maxlat_ring_clock();
  return MAXLAT_LIKELY(maxlat_ring_owner_cas(ownership, ring->write_count, position, maxlat_ring_wrap(position + size)))
             ? MAXLAT_RING_RESERVED
             : MAXLAT_RING_AGAIN;
}

/*
 * One attempt. REQUIRES: size a positive multiple of 8, below 2^32.
 * RETURNS: RESERVED: the slot is the caller's until it commits it. DROPPED. AGAIN.
 */
MAXLAT_RING_INLINE enum maxlat_ring_outcome maxlat_ring_try_reserve(enum maxlat_ring_ownership ownership,
                                                                    const struct maxlat_ring* ring, uint64_t size,
                                                                    struct maxlat_ring_slot* slot) {
  const enum maxlat_ring_outcome outcome = maxlat_ring_try_common(ownership, ring, size, slot);
  return outcome == MAXLAT_RING_UNCOMMON ? maxlat_ring_try_any(ownership, ring, size, slot) : outcome;
}

/*
 * Attempts until one succeeds, at most MAXLAT_RING_ATTEMPTS. For MAXLAT_RING_THREAD; with MAXLAT_RING_CPU only where
 * time stamps need not be in order (see TIME ORDER). REQUIRES, RETURNS: as maxlat_ring_try_reserve, never AGAIN.
 */
MAXLAT_RING_INLINE enum maxlat_ring_outcome maxlat_ring_reserve(enum maxlat_ring_ownership ownership,
                                                                const struct maxlat_ring* ring, uint64_t size,
                                                                struct maxlat_ring_slot* slot) {
  if (MAXLAT_LIKELY(maxlat_ring_try_common(ownership, ring, size, slot) == MAXLAT_RING_RESERVED))
    return MAXLAT_RING_RESERVED;
  return maxlat_ring_reserve_any(ownership, ring, size, slot);
}

/* Commits the record of `size` bytes in its slot: Algorithm 3. THREADS: the context that reserved it, once. */
MAXLAT_RING_INLINE void maxlat_ring_commit(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                           const struct maxlat_ring_slot* slot, uint64_t size) {
  maxlat_ring_commit_bytes(ownership, ring, slot->commit_count, slot->position, size + MAXLAT_RING_ONE_RECORD);
}

/* Counts an event that was given up after too many AGAINs. */
void maxlat_ring_give_up(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring);

#ifdef __cplusplus
}
#endif
#endif
