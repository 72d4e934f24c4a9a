/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The first word of every record, and how a record that a dead writer left unfinished is told from a committed one.
 *
 *      63        52 51         41 40            27 26                      0
 *      +-----------+-------------+----------------+------------------------+
 *      | stamp     | length      | event id       | time, low 27 bits      |
 *      +-----------+-------------+----------------+------------------------+
 *   stamp   low 12 bits of the packet number: this word was written in this packet, not in an earlier pass
 *   length  of the whole record in units of 8 bytes, 1 to 2047 (16 KiB - 8); 0 marks a long record
 *   id      1 to 16382; 16383 marks a long record
 *
 * A LONG record has two more words: { length in units of 8, u32; event id, u32 } and the full 64-bit time. It is used
 * when the length or the id does not fit, and for the first record after a silence of 2^27 counter ticks or more (52 ms
 * at 2.6 GHz): a reader that takes each time as the first value not below the one before it then always finds the true
 * 64-bit time. All-zero (id 0) and all-ones (long id with length 2047) are no record.
 *
 * DEAD WRITERS. The question: after kill -9, which records of a packet that was never delivered are whole?
 * Three answers were weighed.
 *   Commit counts alone: free, and exact when nobody died inside a probe (reserved = committed: all of it is whole).
 * But with one unfinished slot nothing says which one it is, and a megabyte of committed events is lost with it. An
 * owner word, taken and released for each record or sub-buffer (LTTng 2.15): two more locked instructions, and writers
 * that meet the owner's claim pad, switch or wait. A claim word at reservation and a commit mark in it later (Aeron):
 * one store more for each event, and a hole of unknown length all the same if the writer dies between its CAS and the
 * claim. Decided: THE RECORD'S OWN FIRST WORD IS STORED LAST, just before the commit add, and carries the packet's
 * stamp. The word is written anyway, so this costs nothing: no locked instruction, no store, no branch. x86 keeps the
 * order of the stores; elsewhere a kill goes through the kernel, which orders them. For the recovery reader, with R =
 * bytes reserved (write_count) and C = bytes committed (commit_count) in the packet: R = C      the whole prefix is
 * committed. otherwise  walk: a word that bears the packet's stamp, fits, and whose time is possible, is a committed
 * record, and its length leads to the next. A word that does not is the slot of a dead writer. If it is the only one
 * its length is exactly R - C. If several died (a handler inside a handler's probe), the walk tries the next aligned
 * word that starts a chain of stamped records ending at R, with at least C bytes of them: 12 bits of stamp, the time
 * window and the sum must all fit, so stale bytes pass for a record only by conspiracy. A writer that died between its
 * last store and its add is whole and is recovered, though not counted in C.
 */
#ifndef MAXLAT_RING_RECORD_H
#define MAXLAT_RING_RECORD_H

#include <maxlat/ring/layout.h>

#define MAXLAT_RING_TIME_BITS 27
#define MAXLAT_RING_ID_BITS 14
#define MAXLAT_RING_LENGTH_BITS 11
#define MAXLAT_RING_STAMP_BITS 12
#define MAXLAT_RING_ID_SHIFT MAXLAT_RING_TIME_BITS
#define MAXLAT_RING_LENGTH_SHIFT (MAXLAT_RING_ID_SHIFT + MAXLAT_RING_ID_BITS)
#define MAXLAT_RING_STAMP_SHIFT (MAXLAT_RING_LENGTH_SHIFT + MAXLAT_RING_LENGTH_BITS)
#define MAXLAT_RING_LONG_ID ((1u << MAXLAT_RING_ID_BITS) - 1)
#define MAXLAT_RING_MAX_SHORT_BYTES (8u * ((1u << MAXLAT_RING_LENGTH_BITS) - 1))

MAXLAT_STATIC_ASSERT(MAXLAT_RING_STAMP_SHIFT + MAXLAT_RING_STAMP_BITS == 64, "the word is full");

/* The part of the word that is known when the probe is compiled. REQUIRES: 0 < id < LONG_ID, bytes <= MAX_SHORT_BYTES.
 */
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_kind(uint32_t id, uint64_t bytes) {
  return (uint64_t)id << MAXLAT_RING_ID_SHIFT | bytes / 8 << MAXLAT_RING_LENGTH_SHIFT;
}

/* The word of a record in packet number `packet`. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_record_word(uint64_t kind, uint64_t packet, uint64_t time) {
  return (time & MAXLAT_RING_LOW_BITS(MAXLAT_RING_TIME_BITS)) | kind | packet << MAXLAT_RING_STAMP_SHIFT;
}

/* Stores the word as the last of a record's stores: what comes before it in the program is in memory before it. */
MAXLAT_RING_INLINE void maxlat_ring_record_finish(uint8_t* record, uint64_t word) {
  /* release [D1]: payload before the word that declares it whole. Partner: acquire [D1] of the recovery reader. Shape:
   * publish. */
  maxlat_ring_store_release((uint64_t*)(void*)record, word);
}

#endif
