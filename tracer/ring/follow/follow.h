/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Following a ring in overwrite mode without taking its packets (peek.h): record after record, oldest first, and of the
 * packet that is being written what has come since it was copied last.
 *
 * BOOKS. Each place of the ring counts its records for ever. For each, the follower keeps up to which count it knows
 * what became of them, and how many it gave beyond that. When it comes to the next packet of a place, all before that
 * packet which it did not give are overwritten. So it is exact to the record, whatever it missed; what it has not come
 * to yet is pending.
 *   A place counts 2^24 records, and begins anew. How often it did so shows the count of all that were delivered, of
 *   64 bits, when the follower has given all there is.
 *
 * INVARIANTS, watched by follow_schedule_test.cpp and sensors/trace_ring_test.cpp; peek.pml has the memory order
 *   (1) what is given was committed, and is given once, in the order of reservation
 *   (2) when nobody writes and all was given, nothing is pending; what was not given is overwritten or unfinished
 *
 * REQUIRES: as peek.h; and writers go on by less than half of what a position counts from one call to the next.
 * TRUST: as peek.h. THREADS: one a follower. PROGRESS: a call copies at most MAXLAT_RING_LOOKS packets.
 */
#ifndef MAXLAT_RING_FOLLOW_H
#define MAXLAT_RING_FOLLOW_H

#include <maxlat/ring/follow/peek.h>
#include <maxlat/ring/walk.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_LOOKS 256

/* Of one place of the ring. */
struct maxlat_ring_followed {
  uint64_t commit; /* the count up to which all is known */
  uint64_t given;  /* of its records behind that */
};

struct maxlat_ring_follower_books {
  uint64_t given;
  uint64_t overwritten;
  uint64_t unfinished; /* behind a record whose writer died in it; one less where another died before it counted one */
};

struct maxlat_ring_follower {
  struct maxlat_ring ring;
  uint8_t* copy;                       /* a sub-buffer's size, 8-byte aligned: the caller's */
  struct maxlat_ring_followed* places; /* [n]: the caller's */
  struct maxlat_ring_follower_books books;

  uint64_t at;        /* the packet that is read */
  bool entered;       /* its place is known up to its beginning */
  bool copied;        /* `walk` is in a copy of it */
  bool ended;         /* nobody writes any more */
  uint64_t offset;    /* of the walk, where it goes on in the next copy; 0: at the beginning */
  uint64_t base;      /* and its time */
  uint64_t looked_at; /* write_count when an open packet was given to its end; ~0: there is something to look for */
  uint64_t delivered_before;
  struct maxlat_ring_peeked peeked;
  struct maxlat_ring_walk walk;
};

enum maxlat_ring_follow {
  MAXLAT_RING_FOLLOW_NONE,   /* nothing to give now */
  MAXLAT_RING_FOLLOW_RECORD, /* valid until the next call */
  MAXLAT_RING_FOLLOW_AGAIN   /* writers were faster: call again */
};

/* With the oldest packet that is there. What is overwritten before it was found was before this follower. */
void maxlat_ring_follow_begin(struct maxlat_ring_follower* follower, const struct maxlat_ring* ring, uint8_t* copy,
                              struct maxlat_ring_followed* places);

enum maxlat_ring_follow maxlat_ring_follow_next(struct maxlat_ring_follower* follower,
                                                struct maxlat_ring_walked* record);

/* Nobody writes any more, so that a record which is not finished never will be: those before it are given, too. */
void maxlat_ring_follow_to_the_end(struct maxlat_ring_follower* follower);

/* Records that were committed and are in no book yet. */
uint64_t maxlat_ring_follow_pending(const struct maxlat_ring_follower* follower);

#ifdef __cplusplus
}
#endif
#endif
