/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The first word of every record: what it is, when it was, and whether it is whole.
 *
 *      63      55 54        45 44          32 31                           0
 *      +---------+------------+--------------+------------------------------+
 *      | stamp   | length     | event id     | time, low 32 bits            |
 *      +---------+------------+--------------+------------------------------+
 *   time    of the reservation. 32 bits, so that cutting it off is a 32-bit move and no instruction of its own
 *   id      1 to 8190; 8191 marks a long record
 *   length  of the whole record in units of 8 bytes, 1 to 1023 (8184 bytes); 0 in a long record
 *   stamp   a one, then the low 8 bits of the packet number: this word was written in this packet, not in an earlier
 *           pass. A ring has at most 2^7 sub-buffers (layout.h), so what a place held a pass before bears another
 *           stamp. The one is there because fields that are small numbers, addresses or times begin with zeros: none
 *           looks like a record
 *
 * A LONG record has two more words before its payload: { length in units of 8, u32; event id, u32 } and the full 64-bit
 * time. It is written when the length or the id does not fit, and when the time does not follow from its low bits.
 * All-zero (id 0) and all-ones (long id, length not 0) are no record.
 *
 * TIME. Who reads a packet knows the full time of a record as
 *
 *      time = B + ((low - B) mod 2^32)      B: full time of the last long record before it in the packet, or the
 *                                           packet's begin_time
 *
 * which is exact if 0 <= time - B < 2^32. The writer does not know B without a search; the ring's word `time_base`
 * (layout.h) holds a b that is never younger than B. It is stored by whoever opens a packet (b = begin_time) and by
 * whoever writes a long record (b = its time), after their reservation. A probe reads it before the CAS of its own
 * reservation and writes a short record only if time and b have the same upper 32 bits: one compare of what the counter
 * gives in a register of its own. Else it writes a long one. Proof that b <= B <= time for a short record. Its CAS
 * succeeded, so nobody reserved since write_count was read; the context that stored b had reserved before it stored,
 * hence before ours in the stream. Times never go back in the stream (reserve.h, TIME ORDER), and B is the time of the
 * LAST opener or long record before ours, b the time of ANY of them (a context that was interrupted between its CAS and
 * its store may have put an older b over a newer one). So b <= B <= time, all three with the same upper bits, and
 * time - B < 2^32. All races err to one side: an older b has other upper bits sooner, at worst a long record that was
 * not needed. Each time the upper bits change (every 1.6 s at 2.6 GHz) a ring has one long record, then short ones
 * again.
 *
 * DEAD WRITERS. The question: after kill -9, which records of a packet that was never delivered are whole?
 * Three answers were weighed.
 *   Commit counts alone: free, and exact when nobody died inside a probe (reserved = committed: all of it is whole).
 *     But with one unfinished slot nothing says which one it is, and a megabyte of committed events is lost with it.
 *   An owner word, taken and released for each record or sub-buffer (LTTng 2.15): two more locked instructions, and
 *     writers that meet the owner's claim pad, switch or wait.
 *   A claim word at reservation and a commit mark in it later (Aeron): one store more for each event, and a hole of
 *     unknown length all the same if the writer dies between its CAS and the claim.
 * Decided: THE RECORD'S OWN FIRST WORD IS STORED LAST, just before the commit add, and carries the packet's stamp. The
 * word is written anyway, so this costs nothing: no locked instruction, no store, no branch. x86 keeps the order of the
 * stores; elsewhere a kill goes through the kernel, which orders them. For the recovery reader (open_packet.h), with
 * R = bytes reserved (write_count) and C = bytes committed (commit_count) in the packet:
 *   R = C      the whole prefix is committed.
 *   otherwise  walk: a word that bears the packet's stamp and fits is a committed record, and its length leads to the
 *              next. A word that does not is the slot of a dead writer, at most R - C long; the walk goes on at the
 *              next aligned word that starts a chain of stamped records with possible times.
 * A writer that died between its last store and its add is whole and is recovered, though not counted in C. A long
 * record is BEGUN with a word of its own (long id, length 1) before time_base moves, because its time is the base of
 * records after it: if its writer dies, the walk of recovery still has that time, and the slot's length.
 */
#ifndef MAXLAT_RING_RECORD_H
#define MAXLAT_RING_RECORD_H

#include <maxlat/ring/layout.h>

#define MAXLAT_RING_ID_BITS 13
#define MAXLAT_RING_LENGTH_BITS 10
#define MAXLAT_RING_STAMP_BITS 9
#define MAXLAT_RING_ID_SHIFT 32
#define MAXLAT_RING_LENGTH_SHIFT (MAXLAT_RING_ID_SHIFT + MAXLAT_RING_ID_BITS)
#define MAXLAT_RING_STAMP_SHIFT (MAXLAT_RING_LENGTH_SHIFT + MAXLAT_RING_LENGTH_BITS)
#define MAXLAT_RING_LONG_ID ((1u << MAXLAT_RING_ID_BITS) - 1)
#define MAXLAT_RING_MAX_SHORT_BYTES (8u * ((1u << MAXLAT_RING_LENGTH_BITS) - 1))

#define MAXLAT_RING_LONG_EXTRA 16u /* bytes that a long record has more */

struct maxlat_ring_long {
  uint64_t word;
  uint32_t length; /* of the whole record, in units of 8 bytes */
  uint32_t id;
  uint64_t time;
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_ring_long) == 8 + MAXLAT_RING_LONG_EXTRA, "layout");

MAXLAT_STATIC_ASSERT(MAXLAT_RING_STAMP_SHIFT + MAXLAT_RING_STAMP_BITS == 64, "the word is full");
MAXLAT_STATIC_ASSERT(MAXLAT_RING_TIME_BITS <= MAXLAT_RING_ID_SHIFT, "the time stays below the id");
MAXLAT_STATIC_ASSERT(MAXLAT_RING_STAMP_BITS > MAXLAT_RING_MAX_RING_BITS + 1, "a pass later the stamp is another");

#define MAXLAT_RING_RECORD_MARK (1ull << 63)

/* The part of the word that is known when the probe is compiled. REQUIRES: 0 < id < LONG_ID, bytes <= MAX_SHORT_BYTES.
 */
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_kind(uint32_t id, uint64_t bytes) {
  return MAXLAT_RING_RECORD_MARK | (uint64_t)id << MAXLAT_RING_ID_SHIFT | bytes / 8 << MAXLAT_RING_LENGTH_SHIFT;
}
#define MAXLAT_RING_LONG_KIND (MAXLAT_RING_RECORD_MARK | (uint64_t)MAXLAT_RING_LONG_ID << MAXLAT_RING_ID_SHIFT)
#define MAXLAT_RING_BEGUN_KIND (MAXLAT_RING_LONG_KIND | 1ull << MAXLAT_RING_LENGTH_SHIFT)

/* The word of a record in packet number `packet`. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_word(uint64_t kind, uint64_t packet, uint64_t time) {
  return (time & MAXLAT_RING_LOW_BITS(MAXLAT_RING_TIME_BITS)) | kind | packet << MAXLAT_RING_STAMP_SHIFT;
}

/* Its parts. */
MAXLAT_RING_INLINE uint32_t maxlat_ring_record_id(uint64_t word) {
  return (uint32_t)(word >> MAXLAT_RING_ID_SHIFT) & MAXLAT_RING_LONG_ID;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_length(uint64_t word) {
  return 8 * (word >> MAXLAT_RING_LENGTH_SHIFT & MAXLAT_RING_LOW_BITS(MAXLAT_RING_LENGTH_BITS));
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_time(uint64_t word, uint64_t base) {
  return base + ((word - base) & MAXLAT_RING_LOW_BITS(MAXLAT_RING_TIME_BITS));
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_stamp(uint64_t word) {
  return word >> MAXLAT_RING_STAMP_SHIFT;
}

/* The stamp of packet number `packet`. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_stamp_of(uint64_t packet) {
  return maxlat_ring_record_stamp(MAXLAT_RING_RECORD_MARK | packet << MAXLAT_RING_STAMP_SHIFT);
}

/* In time_base: a writer on another CPU than the ring's comes next, or came. No time has this bit. */
#define MAXLAT_RING_FOREIGN (1ull << 63)

/* Of a short record with so much payload. REQUIRES: payload_bytes < 2^63. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_size(uint64_t payload_bytes) {
  return (payload_bytes + 15) & ~7ull;
}

/* Stores the word as the last of a record's stores: what comes before it in the program is in memory before it. */
MAXLAT_RING_INLINE void maxlat_ring_record_finish(uint8_t* record, uint64_t word) {
  /* release [D1]: payload before the word that declares it whole. Partner: acquire [D1] in walk.c. Shape: publish.
     Without this, recovery could take a record whose payload was never stored. */
  maxlat_ring_store_release((uint64_t*)(void*)record, word);
}

#endif
