/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Reserve: a writer takes the next bytes of the ring for itself, with the time stamp that belongs to them. It follows
 * Desnoyers 2012, Algorithms 1 and 2. The writer then stores its record and commits it (commit.h), in any order with
 * its neighbours.
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
 *      only, or by anybody once that thread has ended.
 *
 * TIME ORDER (invariant 6). The clock is read after write_count and before the CAS that proves that nobody reserved in
 * between. Equal stamps are possible, decreasing ones are not: on one CPU the program's order is enough. It is not on
 * two: rdtsc waits for no load, so while the load of write_count fetches its line from the CPU that reserved last, the
 * counter has been read, some hundred ticks before that reservation. A step back, and for a reader that counts from the
 * record before (CTF), a jump of 2^32 ticks ahead. Two CPUs write to one ring only with MAXLAT_RING_CPU and only when a
 * thread was moved after it had looked where it is, or does not know. So:
 *   - Every stamp of the common path is read on the ring's CPU. The probe looks where it is a second time, between
 *     clock and CAS, and goes out of line when it was moved. Moved behind that look, it brings along a stamp that was
 *     read before anybody else could read one there: a switch of threads, and a handler, is a barrier.
 *   - Out of line the clock is an ordered one, never earlier than the loads before it. So it may be a flush from any
 *     CPU that comes before: the record behind it opens a packet, which is never the common path.
 *   - A foreign writer, one that is elsewhere at its second look, marks time_base before its reservation
 *     (MAXLAT_RING_FOREIGN). Who sees its reservation [T2] sees the mark, no time follows from that, so the next writer
 *     comes out of line, too, reads an ordered clock, and writes a long record; on the ring's CPU its time is the new
 *     base. A mark is a value of its own (the foreign writer's time is in it), and bases are put by a CAS from what was
 *     read before the reservation: so a base of before does not cover a mark.
 * What remains: a thread that is moved away and back between its two looks, with write_count and clock both read there,
 * in the same 100 ns as an event here, and with no event here during the two moves. Its record steps back by those
 * ticks, and `maxlat trace check` says so. And counters of two CPUs must agree to less than a line takes between them;
 * the kernel checks that with the same experiment, and calls others unstable (the session then does not start).
 *
 * LOST counters are read in the same loop, before the CAS, whenever a packet is closed: so what packet p says was lost
 * is never more than what packet p + 1 says (invariant 8), in whatever order their headers are written.
 *
 * PROGRESS: wait-free. An attempt is straight code. MAXLAT_RING_THREAD: an attempt fails only when a handler reserved
 * between two of this context's instructions; after MAXLAT_RING_ATTEMPTS failures the event is dropped as lost_wrap. No
 * writer ever waits for another: a claimed slot delays the delivery of its own packet and nothing else.
 *
 * COST: MAXLAT_RING_THREAD no locked instruction, MAXLAT_RING_CPU two (CAS and commit add), and once per packet one for
 * time_base, one for the books, and one for padding if there is some; a foreign writer two or three more for its mark.
 * Overwrite mode adds, once per packet, one locked CAS for the reference and at most one for the reader. Lines: hot,
 * the record, the view. Instructions: cost_test.cpp holds the counts (common path, dropped event, longest path).
 *
 * AHEAD. A record asks for the line that a record will need 512 bytes later. Not for the mean, which was the same
 * without: the processor sees a stream for itself. But its prefetchers end with a page, and at the next one a writer
 * with locked instructions waits for its stores, and any writer for the translation: once in 128 events. One event in a
 * thousand took 140 to 210 ns, per CPU 200 to 341, and with this 50 to 60 and 50 to 70 (bench/tracer_peers, three runs
 * of either in turn; 256 and 1024 bytes: up to 180).
 *
 * DROPPING is cheaper than recording: no clock, no CAS, one add to a counter. (While a ring is kept for a snapshot the
 * clock is read: freeze.h.)
 */
#ifndef MAXLAT_RING_RESERVE_H
#define MAXLAT_RING_RESERVE_H

#include <maxlat/ring/commit.h>
#include <maxlat/ring/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_ATTEMPTS 64

#define MAXLAT_RING_BYTES_AHEAD 512

/* What a reservation gives. */
struct maxlat_ring_slot {
  uint64_t position; /* where in the stream */
  uint64_t time;     /* of a short record at least the lower bits; the rest is time_base's */
  uint64_t size;     /* of the record */
  uint64_t header;   /* of the packet, if the record opened it: committed with the record; else 0 */
  uint8_t* bytes;
  uint64_t* counts; /* on the common path: the ring's write_count, and what follows it */
  uint64_t base;    /* out of line, without a header: of time_base before, for a long record to replace */
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
 * REQUIRES: size a positive multiple of 8; with MAXLAT_RING_CPU cpu.chosen is the ring's. RETURNS: true: the slot is
 * the caller's until it commits it; false: not a case for this, and nothing happened.
 */
MAXLAT_RING_INLINE bool maxlat_ring_reserve_common(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                   struct maxlat_ring_cpu cpu, uint64_t size,
                                                   struct maxlat_ring_slot* slot) {
  uint64_t* const write_count = ring->write_count;
  /* The CAS below decides whether this value was still the last one. acquire [T2]: the mark of a foreign writer before
     its reservation. Partner: release [T2], the locked CAS of a foreign writer in reserve.c. Shape: publish. Without
     this, the base of before the mark could be seen, and a time from before that writer's be taken. */
  const uint64_t position = maxlat_ring_load_acquire(write_count);
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
  MAXLAT_FETCH_TO_WRITE((uintptr_t)slot->bytes + MAXLAT_RING_BYTES_AHEAD);
  /* acquire [T1]: whose time this is had reserved before it stored; the CAS below then is after that reservation.
     Partner: release [T1] in reserve.c. Shape: publish. Without this, a base of a later reservation could be taken for
     one of an earlier. */
  if (MAXLAT_UNLIKELY(!maxlat_ring_clock_follows(ownership, cpu, write_count + MAXLAT_RING_TIME_BASE, &slot->time)))
    return false;
  if (MAXLAT_UNLIKELY(!maxlat_ring_owner_cas(ownership, write_count, position, maxlat_ring_wrap(position + size))))
    return false;
  slot->position = position;
  slot->size = size;
  slot->header = 0;
  slot->counts = write_count;
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
