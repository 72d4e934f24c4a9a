/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* One record after another of a ring that is not read from. Contract and reasons: follow.h. */
#include <maxlat/ring/commit.h>
#include <maxlat/ring/follow/follow.h>

#define NOTHING_KNOWN (~0ull)                                /* no write_count: those are multiples of 8 */
#define TURN (1ull << (64 - MAXLAT_RING_COMMIT_BITS))        /* of a place's count of records */
#define IN_TURN (1ull << (64 - MAXLAT_RING_COMMIT_BITS - 1)) /* less than this is under way */

static bool is_behind(const struct maxlat_ring_follower* follower) {
  const uint64_t distance = maxlat_ring_wrap(maxlat_ring_oldest(&follower->ring) - follower->at);
  return distance != 0 && distance <= MAXLAT_RING_COUNT_MASK / 2;
}

static struct maxlat_ring_followed* place(struct maxlat_ring_follower* follower) {
  return &follower->places[maxlat_ring_index(&follower->ring.shape, follower->at)];
}

static void stand_at(struct maxlat_ring_follower* follower, uint64_t position) {
  follower->at = maxlat_ring_wrap(position);
  follower->entered = false;
  follower->copied = false;
  follower->offset = 0;
  follower->looked_at = NOTHING_KNOWN;
}

void maxlat_ring_follow_begin(struct maxlat_ring_follower* follower, const struct maxlat_ring* ring, uint8_t* copy,
                              struct maxlat_ring_followed* places) {
  const uint64_t sub_buffers = maxlat_ring_sub_buffers(ring);
  *follower = (struct maxlat_ring_follower){.ring = *ring, .copy = copy, .places = places};
  stand_at(follower, maxlat_ring_oldest(ring));
  for (uint64_t i = 0; i < sub_buffers; ++i) {
    places[i].commit = maxlat_ring_load_acquire(&ring->cells[i].commit_seq); /* [P1] */
    places[i].given = 0;
  }
  /* What is there of those that were counted is to be read. */
  for (uint64_t i = 0; i < sub_buffers; ++i) {
    const uint64_t position = maxlat_ring_wrap(follower->at + (i << ring->shape.sub_buffer_bits));
    struct maxlat_ring_followed* found = &places[maxlat_ring_index(&ring->shape, position)];
    const enum maxlat_ring_got got = maxlat_ring_peek(ring, position, copy, &follower->peeked);
    if (got == MAXLAT_RING_GOT && follower->peeked.complete && follower->peeked.after == found->commit)
      found->commit = follower->peeked.before;
  }
  /* This first: then what is delivered meanwhile makes the other less, and none_now() adds nothing that is not so. */
  const uint64_t found = maxlat_ring_follow_pending(follower);
  follower->delivered_before = maxlat_ring_load(&ring->header->records_delivered) - found; /* relaxed: a counter */
}

void maxlat_ring_follow_to_the_end(struct maxlat_ring_follower* follower) {
  follower->ended = true;
}

uint64_t maxlat_ring_follow_pending(const struct maxlat_ring_follower* follower) {
  const struct maxlat_ring* ring = &follower->ring;
  uint64_t pending = 0;
  for (uint64_t i = 0; i < maxlat_ring_sub_buffers(ring); ++i) {
    const struct maxlat_ring_followed* its = &follower->places[i];
    const uint64_t since = maxlat_ring_committed_since(ring, i << ring->shape.sub_buffer_bits, its->commit);
    if (since > its->given) pending += since - its->given;
  }
  return pending;
}

/* The packet at `at` begins with this count: all of the place's records before it that were not given are overwritten.
   Only at the beginning it may be one that was delivered while the counts were read, and is in its place's: then there
   are none. */
static void know_beginning(struct maxlat_ring_follower* follower, uint64_t before) {
  struct maxlat_ring_followed* its = place(follower);
  if (follower->entered) return;
  if (((before - its->commit) & MAXLAT_RING_COMMIT_MASK) <= MAXLAT_RING_COMMIT_MASK / 2)
    follower->books.overwritten += maxlat_ring_records_between(its->commit, before) - its->given;
  its->commit = before;
  its->given = 0;
  follower->entered = true;
}

/* RETURNS: whether there is a copy of the packet at `at`, or of what it has now. */
static bool look(struct maxlat_ring_follower* follower) {
  const struct maxlat_ring* ring = &follower->ring;
  const uint64_t write_count = maxlat_ring_load(ring->write_count); /* relaxed: peek looks for itself */
  if (write_count == follower->looked_at) return false;
  /* Also where the packet has no record yet, and its place had some that were missed. */
  const uint64_t last = maxlat_ring_committed_last(ring, follower->at);
  if (maxlat_ring_fully_committed(&ring->shape, follower->at, last)) know_beginning(follower, last);
  enum maxlat_ring_got got = maxlat_ring_peek(ring, follower->at, follower->copy, &follower->peeked);
  if (got == MAXLAT_RING_NOT_NOW && follower->ended)
    got = maxlat_ring_peek_unfinished(ring, follower->at, follower->copy, &follower->peeked);
  if (got != MAXLAT_RING_GOT) return false;
  follower->looked_at = follower->peeked.complete ? NOTHING_KNOWN : write_count;
  return true;
}

/* Goes on in the copy. */
static void enter(struct maxlat_ring_follower* follower) {
  follower->copied = true;
  maxlat_ring_walk_start(&follower->walk, follower->copy, follower->peeked.view.content_size);
  follower->walk.stamp = maxlat_ring_stamp_of(follower->peeked.view.sequence);
  if (follower->offset != 0 && follower->offset <= follower->walk.end) { /* not less, but where somebody lies */
    follower->walk.offset = follower->offset;
    follower->walk.base = follower->base;
  }
  know_beginning(follower, follower->peeked.before);
}

/* A complete packet, of which all was given that can be. */
static void leave(struct maxlat_ring_follower* follower) {
  struct maxlat_ring_followed* its = place(follower);
  const uint64_t counted = maxlat_ring_records_between(its->commit, follower->peeked.after);
  /* Who died behind a record and before its count has left one more to be given. */
  if (counted > its->given) follower->books.unfinished += counted - its->given;
  its->commit = follower->peeked.after;
  its->given = 0;
  stand_at(follower, follower->at + follower->ring.shape.sub_buffer_size);
}

/* Adds the turns that places have made meanwhile. */
static enum maxlat_ring_follow none_now(struct maxlat_ring_follower* follower) {
  const struct maxlat_ring_follower_books* books = &follower->books;
  /* acquire [B1]: what is counted is seen to be committed, and so is known or pending. Partner: release [B1] in
     reserve.c. Shape: publish. Without this, what is under way could look like a turn. */
  const uint64_t all = maxlat_ring_load_acquire(&follower->ring.header->records_delivered) - follower->delivered_before;
  const uint64_t known = books->given + books->overwritten + books->unfinished + maxlat_ring_follow_pending(follower);
  const uint64_t missing = all - known + IN_TURN;
  if ((int64_t)missing > 0) follower->books.overwritten += missing / TURN * TURN;
  return MAXLAT_RING_FOLLOW_NONE;
}

enum maxlat_ring_follow maxlat_ring_follow_next(struct maxlat_ring_follower* follower,
                                                struct maxlat_ring_walked* record) {
  for (int looks = 0; looks < MAXLAT_RING_LOOKS; ++looks) {
    if (follower->copied) {
      if (maxlat_ring_walk_next(&follower->walk, record) == MAXLAT_RING_EVENT) {
        ++place(follower)->given;
        ++follower->books.given;
        return MAXLAT_RING_FOLLOW_RECORD;
      }
      follower->copied = false;
      follower->offset = follower->walk.offset;
      follower->base = follower->walk.base;
      if (follower->peeked.complete) leave(follower); /* else there may be more by now */
    }
    if (is_behind(follower)) stand_at(follower, maxlat_ring_oldest(&follower->ring));
    if (look(follower))
      enter(follower);
    else if (!is_behind(follower)) /* else it was overwritten meanwhile */
      return none_now(follower);
  }
  return MAXLAT_RING_FOLLOW_AGAIN;
}
