/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The reading side of a ring: poll, get, put. Desnoyers 2012, Algorithms 5, 6 and 7.
 *
 *      poll -> READY -> get -> the packet is this reader's alone -> put -> poll ...
 *
 * ROLES. One reader at a time, in any process that maps the ring: the caller excludes others from attach to the end.
 * Writers run on without knowing. The reader makes no system call but, where the ring asks for it, the barrier of
 * promote.h.
 *
 * GET in discard mode reads in place: the writers cannot come back before put moves read_count (equation 1).
 * GET in overwrite mode exchanges the place's reference with the reader's spare sub-buffer: afterwards no writer knows
 * the packet's bytes, and put cannot fail even if the writers have pushed the reader meanwhile.
 *
 * Differences from the printed Algorithm 6, and why:
 *   - The exchange compares the whole tagged reference, so it takes the packet that commit_seq was asked about or
 *     nothing (reference.h). Lines 6 and 10 (write_count, equation 4) are then implied, and the reader stays off the
 *     writers' hot line.
 *   - The barrier is membarrier(2), and only where stores are not ordered anyway (promote.h).
 *
 * DEATH of the reader: another may attach. In discard mode it gets the same packet again. In overwrite mode, if the
 * reader died between get and put, the packet is in the one sub-buffer that no cell names; attach takes that as its
 * spare, and get returns it first, whatever writers do meanwhile. So a packet may be seen twice (its sequence says so).
 * Where writers had come round to its place before the successor attached, nothing names it any more: it is lost, and
 * counts as overwritten, as the packets behind it.
 *
 * TRUST. The ring may be written by a hostile producer: counters only select among checked sub-buffers, and what a
 * packet says of itself is copied and checked before it is believed. Nothing makes the reader leave the ring's memory
 * or loop.
 *
 * PROGRESS: each call is straight code; the reader can starve in overwrite mode if writers lap it between any two
 * calls.
 */
#ifndef MAXLAT_RING_READ_H
#define MAXLAT_RING_READ_H

#include <maxlat/ring/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

enum maxlat_ring_state {
  MAXLAT_RING_NOTHING, /* no whole packet */
  MAXLAT_RING_READY,   /* at least one */
  MAXLAT_RING_URGENT,  /* and the writers are in the last free sub-buffer, or out of them */
  MAXLAT_RING_HANGUP   /* finalised, and everything was read */
};

enum maxlat_ring_got {
  MAXLAT_RING_GOT,
  MAXLAT_RING_NOT_NOW, /* nothing ready, or writers were faster: ask again */
  MAXLAT_RING_CORRUPT  /* the memory does not say what a ring can say; nothing was taken */
};

struct maxlat_ring_reader {
  struct maxlat_ring ring;
  uint64_t spare;   /* overwrite mode: the sub-buffer that is the reader's */
  bool unfinished;  /* the spare holds a packet that an earlier reader got and did not put */
  uint64_t in_hand; /* and its position, which stays when writers push the reader on */
};

/* A packet in the hands of the reader, until put. */
struct maxlat_ring_view {
  const uint8_t* bytes;
  uint64_t size;         /* of the sub-buffer */
  uint64_t content_size; /* header and records; checked: PACKET_HEADER <= content_size <= size */
  uint64_t sequence;
  uint64_t position; /* for put */
};

/* RETURNS: false when the cells name no free sub-buffer, or one twice, or one outside. THREADS: before any other reader
 * call. */
bool maxlat_ring_reader_start(struct maxlat_ring_reader* reader, const struct maxlat_ring* ring);

/* Algorithm 5 without the waiting. */
enum maxlat_ring_state maxlat_ring_poll(const struct maxlat_ring_reader* reader);

/* Algorithm 6. GOT: the packet is the caller's until put. */
enum maxlat_ring_got maxlat_ring_get(struct maxlat_ring_reader* reader, struct maxlat_ring_view* view);

/* Algorithm 7. Gives the packet back. REQUIRES: `view` is what the last get gave, once. */
void maxlat_ring_put(struct maxlat_ring_reader* reader, const struct maxlat_ring_view* view);

#ifdef __cplusplus
}
#endif
#endif
