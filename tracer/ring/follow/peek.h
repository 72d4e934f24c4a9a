/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Looking at the packets of a ring in overwrite mode without taking them: for readers that cannot write to its memory,
 * any number of them, each at its own pace. What get() makes safe by an exchange is made safe here by a second look: a
 * packet is copied, and the copy is good if the packet was still there behind the last byte.
 *
 * A packet is there as long as its place's reference bears its number as the tag. Who enters the next packet of that
 * place puts another there before the first byte, and a tag never comes again (reference.h). So:
 *
 *   writer   claim: the reference has the next packet's tag      [O2]   bytes of the next packet
 *   reader   the reference has this packet's tag                 copy   [O2]   the reference is the same word
 *
 * A packet that is not delivered yet is copied as open_packet.h says, if nobody is inside: the same second look, and it
 * may be copied again when it has more.
 *
 * RECORDS ARE COUNTED by the upper bits of the commit counts (equations.h): the difference of two values of one place
 * is the number of records between, whatever packets that were, as long as they are fewer than 2^24. So a reader knows
 * how many records it has missed though it has seen nothing of their packets: it keeps, for each place, the count up to
 * which it knows.
 *
 * REQUIRES of all: overwrite mode; no reader takes packets (else those that are taken look overwritten); no
 * MAXLAT_RING_NEEDS_PROMOTION. THREADS: any. TRUST: as read.h: nothing makes the reader leave the ring's memory, or
 * loop. PROGRESS: straight code; a reader starves if writers lap it within each copy.
 */
#ifndef MAXLAT_RING_PEEK_H
#define MAXLAT_RING_PEEK_H

#include <maxlat/ring/read.h>

#ifdef __cplusplus
extern "C" {
#endif

struct maxlat_ring_peeked {
  struct maxlat_ring_view view; /* of the copy */
  bool complete;                /* nothing more will be in it */
  uint64_t before;              /* the place's commit count when the packet began */
  uint64_t after;               /* and when it was complete */
};

/* Where the oldest packet begins that may still be there. Not after write_count in an honest ring. */
uint64_t maxlat_ring_oldest(const struct maxlat_ring* ring);

/*
 * Copies the packet at `position` to `to`, one sub-buffer's size, 8-byte aligned.
 * RETURNS: GOT. NOT_NOW: it is not there yet, or a writer is inside; or, if maxlat_ring_oldest() is behind `position`
 * now, not any more. CORRUPT: the memory does not say what a ring can say.
 */
enum maxlat_ring_got maxlat_ring_peek(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                      struct maxlat_ring_peeked* peeked);

/*
 * As peek, of a packet whose writers have gone for good, one of them in the middle of a record: all that was reserved,
 * of which a walk finds the records up to that one.
 */
enum maxlat_ring_got maxlat_ring_peek_unfinished(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                                 struct maxlat_ring_peeked* peeked);

/* What the commit count of the place was when its last packet was delivered. */
uint64_t maxlat_ring_committed_last(const struct maxlat_ring* ring, uint64_t position);
/* Records that were committed at the place of `position` since its commit count was `before`. */
uint64_t maxlat_ring_committed_since(const struct maxlat_ring* ring, uint64_t position, uint64_t before);

#ifdef __cplusplus
}
#endif
#endif
