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
 * between. Equal stamps are possible, decreasing ones are not: on one CPU the program's order is enough. Two CPUs write
 * to one ring only with MAXLAT_RING_CPU and only when a thread was moved after it had looked where it is; its plain
 * counter read is not ordered with the load of write_count (rdtsc may run ~100 ns early), so a writer that is on the
 * ring's CPU just then may get a later stamp and an earlier place. The common path bears that (the race is one of
 * migration against an event in the same 100 ns; the record is then a long one and its full time is stored). Every
 * other path reads an ordered clock, so retries need no second look at the CPU's number.
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
#include <maxlat/ring/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_ATTEMPTS 64

/* What a reservation gives. */
struct maxlat_ring_slot {
  uint64_t position; /* where in the stream */
  uint64_t time;
  uint64_t size;   /* of the record */
  uint64_t header; /* of the packet, if the record opened it: committed with the record; else 0 */
  uint8_t* bytes;
};

/*
 * One attempt at the common case: a short record in the middle of a packet that was entered. Everything else is done
 * out of line, by maxlat_ring_record_begin_any (record_write.h).
 *
 * OPEN. The word open_packet says which packet was entered last and where it lies: the position of its first byte, plus
 * the number of its sub-buffer. A context that entered or found a packet stores it, in overwrite mode after the claim
 * of the reference. So one load, in the line that is needed anyway, replaces the look at the reference, and both modes
 * have the same path. It is looked at BEFORE the CAS: if it names this packet and the CAS then succeeds, the packet had
 * room until now, so it was not delivered, and now it waits for our commit: it stays where it is. A context that was
 * interrupted may store a packet that is no longer the last. That is seen: it has a slot there that it did not commit,
 * so write_count is at most one buffer further (equation 3), and the difference below is not that of this packet.
 *
 * REQUIRES: size a positive multiple of 8. RETURNS: true: the slot is the caller's until it commits it; false: not a
 * case for this, and nothing happened.
 */
MAXLAT_RING_INLINE bool maxlat_ring_reserve_common(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                   uint64_t size, struct maxlat_ring_slot* slot) {
  uint64_t* const write_count = ring->write_count;
  /* relaxed: the CAS below decides whether this value was still the last one. */
  const uint64_t position = maxlat_ring_load(write_count);
  const uint64_t offset = position & ring->shape.sub_buffer_mask;
  if (MAXLAT_UNLIKELY(offset + size >= ring->shape.sub_buffer_size)) return false;
  /* acquire [X1]: who stored it acquired the reader's exchange, and we must be behind that too. Partner: release [X1]
     in reserve.c. Shape: publish, through the claim. Without this, our stores could reach a sub-buffer that the reader
     has not let go of. */
  uint64_t sub_buffer = maxlat_ring_load_acquire(write_count + MAXLAT_RING_OPEN_PACKET) - position;
  __asm__("" : "+r"(sub_buffer)); /* in this order it is an instruction less */
  sub_buffer = maxlat_ring_wrap(sub_buffer + offset);
  if (MAXLAT_UNLIKELY(sub_buffer > ring->shape.sub_buffer_mask)) return false;
  slot->bytes = ring->memory + sub_buffer * ring->shape.sub_buffer_size + offset;
  slot->time = maxlat_ring_clock();
  /* acquire [T1]: whose time this is had reserved before it stored; the CAS below then is after that reservation.
     Partner: release [T1] in reserve.c. Shape: publish. Without this, a base of a later reservation could be taken for
     one of an earlier. */
  if (MAXLAT_UNLIKELY(!maxlat_ring_is_below(slot->time, write_count + MAXLAT_RING_TIME_LIMIT))) return false;
  if (MAXLAT_UNLIKELY(!maxlat_ring_owner_cas(ownership, write_count, position, maxlat_ring_wrap(position + size))))
    return false;
  slot->position = position;
  slot->size = size;
  slot->header = 0;
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
