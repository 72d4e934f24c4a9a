/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Copies of packets that were not delivered. Contracts and reasons: open_packet.h; the words: record.h. */
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/promote.h>
#include <maxlat/ring/read_place.h>
#include <maxlat/ring/reference.h>
#include <maxlat/ring/walk.h>

#define HEADER MAXLAT_RING_PACKET_HEADER

/* A packet that is not delivered: what the counters say, and where it lies. */
struct open {
  uint64_t position;
  uint64_t number;     /* of the packet */
  uint64_t reserved;   /* bytes, padding included */
  uint64_t committed;  /* bytes */
  uint64_t sub_buffer; /* valid if found */
  bool last;           /* write_count stands in it: nothing after `reserved` */
  bool found;          /* in overwrite mode: writers ever claimed a sub-buffer for it */
};

/* The commit count of the packet's place: the first thing that is read of it. */
static uint64_t commits_at(const struct maxlat_ring* ring, uint64_t position) {
  /* acquire [O1]: the bytes of the slots after the count that covers them, and write_count after it: see open_packet.h.
     Partner: release [W1] in commit.h. Shape: publish. Without this, a slot reserved in between could hide one that is
     not committed. */
  return maxlat_ring_load_acquire(maxlat_ring_commit_count(ring, maxlat_ring_index(&ring->shape, position)));
}

/* `commit`: what commits_at said before. RETURNS: false when the memory cannot be so. */
static bool find(const struct maxlat_ring* ring, uint64_t position, uint64_t commit, struct open* open) {
  const struct maxlat_ring_shape* shape = &ring->shape;
  open->position = position;
  open->number = maxlat_ring_packet_number(shape, position);
  const uint64_t write = maxlat_ring_wrap(maxlat_ring_load(ring->write_count)); /* relaxed: acquire [O1] above */
  open->committed = (commit - maxlat_ring_committed_before(shape, position)) & shape->common_bits;
  open->last = maxlat_ring_sub_buffer_start(shape, write) == position;
  open->reserved = open->last ? write - position : shape->sub_buffer_size;
  open->sub_buffer = maxlat_ring_index(shape, position);
  open->found = true;
  if (maxlat_ring_overwrites(ring)) {
    const uint64_t word = maxlat_ring_load_acquire(&maxlat_ring_cell_at(ring, position)->reference); /* [R1], [X1] */
    open->found = (maxlat_ring_ref_state(word) & ~MAXLAT_RING_REF_WRITER) == maxlat_ring_ref(0, 0, open->number);
    open->sub_buffer = maxlat_ring_ref_sub_buffer(word);
    if (open->found && open->sub_buffer > maxlat_ring_sub_buffers(ring)) return false;
  }
  return open->reserved % 8 == 0;
}

/* The writer's stores to an overwritten packet are plain: ThreadSanitizer would call the copy a race, and it is one,
   seen by the check that follows. */
__attribute__((no_sanitize("thread"))) static void copy_words(uint64_t* to, const uint64_t* from, uint64_t bytes) {
  /* acquire [O2]: the reference is looked at again after the last byte. Partner: the fence behind the claim of the
     reference in reserve.c. Shape: seqlock. Without this, bytes of the next pass could be taken. */
  for (uint64_t i = 0; i < bytes / 8; ++i) to[i] = maxlat_ring_load_acquire(from + i);
}

/* RETURNS: false when writers have entered the sub-buffer for another packet meanwhile. */
static bool copy(const struct maxlat_ring* ring, const struct open* open, uint8_t* to) {
  copy_words((uint64_t*)(void*)to, (const uint64_t*)(const void*)maxlat_ring_bytes_of(ring, open->sub_buffer),
             open->reserved);
  if (!maxlat_ring_overwrites(ring)) return true;
  const uint64_t word = maxlat_ring_load(&maxlat_ring_cell_at(ring, open->position)->reference); /* relaxed: [O2] */
  return (word & ~MAXLAT_RING_REF_WRITER) == maxlat_ring_ref(open->sub_buffer, 0, open->number);
}

static struct maxlat_ring_packet* packet_at(uint8_t* bytes) {
  return (struct maxlat_ring_packet*)(void*)bytes;
}

/* What a copy says of itself, once it is known how much of it is content. */
static void label(const struct maxlat_ring* ring, const struct open* open, uint8_t* to, uint64_t content,
                  uint64_t records, uint64_t end_time, struct maxlat_ring_view* view) {
  struct maxlat_ring_packet* packet = packet_at(to);
  packet->end_time = end_time;
  packet->content_bits = 8 * content;
  packet->packet_bits = 8 * ring->shape.sub_buffer_size;
  packet->sequence = open->number;
  packet->records = records;
  /* relaxed: counters; any later packet has read them later. */
  packet->lost_full = maxlat_ring_load(&ring->header->lost_full);
  packet->lost_wrap = maxlat_ring_load(&ring->header->lost_wrap);
  packet->lost_big = maxlat_ring_load(&ring->header->lost_big);
  view->bytes = to;
  view->size = ring->shape.sub_buffer_size;
  view->content_size = content;
  view->sequence = open->number;
  view->position = open->position;
}

/* The open packet, with records, and nobody inside. */
static bool is_whole(const struct open* open) {
  return open->last && open->found && open->reserved > HEADER && open->committed == open->reserved;
}

/* Copies what is reserved, and walks it to its end or, where `whole` does not say that there is no such, to the first
   record that is not finished. */
static enum maxlat_ring_got copy_prefix(const struct maxlat_ring* ring, const struct open* open, bool whole,
                                        uint8_t* to, struct maxlat_ring_view* view) {
  if (!copy(ring, open, to)) return MAXLAT_RING_NOT_NOW;
  struct maxlat_ring_walk walk;
  struct maxlat_ring_walked record;
  enum maxlat_ring_step step;
  uint64_t records = 0;
  maxlat_ring_walk_start(&walk, to, open->reserved);
  walk.stamp = maxlat_ring_stamp_of(open->number);
  record.time = 0;
  while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) ++records;
  if ((whole && step == MAXLAT_RING_BROKEN) || packet_at(to)->sequence != open->number) return MAXLAT_RING_CORRUPT;
  label(ring, open, to, walk.offset, records, record.time, view);
  return MAXLAT_RING_GOT;
}

enum maxlat_ring_got maxlat_ring_copy_open(const struct maxlat_ring_reader* reader, uint8_t* to,
                                           struct maxlat_ring_view* view) {
  if (reader->unfinished) return MAXLAT_RING_NOT_NOW;
  return maxlat_ring_copy_open_at(&reader->ring, maxlat_ring_read_position(&reader->ring), to, view);
}

enum maxlat_ring_got maxlat_ring_copy_open_at(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                              struct maxlat_ring_view* view) {
  struct open open;
  const uint64_t commit = commits_at(ring, position);
  if (!find(ring, position, commit, &open)) return MAXLAT_RING_CORRUPT;
  if (!is_whole(&open)) return MAXLAT_RING_NOT_NOW;
  if ((ring->features & MAXLAT_RING_NEEDS_PROMOTION) != 0) {
    /* What is promoted is what [O1] orders elsewhere: all that comes behind the commit count is read behind it. */
    if (!maxlat_ring_promote() || !find(ring, position, commit, &open) || !is_whole(&open)) return MAXLAT_RING_NOT_NOW;
  }
  return copy_prefix(ring, &open, true, to, view);
}

enum maxlat_ring_got maxlat_ring_copy_begun_at(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                               struct maxlat_ring_view* view) {
  struct open open;
  if (!find(ring, position, commits_at(ring, position), &open)) return MAXLAT_RING_CORRUPT;
  if (!open.found || open.reserved <= HEADER) return MAXLAT_RING_NOT_NOW;
  return copy_prefix(ring, &open, false, to, view);
}

bool maxlat_ring_copy_delivered(const struct maxlat_ring* ring, uint64_t position, uint64_t sub_buffer, uint8_t* to) {
  const struct open open = {.position = position,
                            .number = maxlat_ring_packet_number(&ring->shape, position),
                            .reserved = ring->shape.sub_buffer_size,
                            .sub_buffer = sub_buffer};
  return copy(ring, &open, to);
}

/* Recovery: a walk over a copy that may have holes, which moves the records that are whole together. */
struct rescue {
  struct maxlat_ring_walk walk; /* of the copy, up to `end` */
  uint64_t kept;                /* bytes of header and records moved together so far */
  uint64_t records;
  uint64_t behind;      /* the last of them, where it lay */
  uint64_t first_time;  /* of the first one, valid if there is one */
  uint64_t time;        /* of the last one */
  uint64_t latest;      /* no record is later */
  uint64_t unaccounted; /* bytes reserved and not committed, less the holes found: no hole is longer */
  uint64_t holes;
};

/* A long record whose writer died inside it: its length and its time are there. RETURNS: false when it is not one. */
static bool skip_begun(struct maxlat_ring_walk* walk) {
  const struct maxlat_ring_long* words = (const struct maxlat_ring_long*)(const void*)(walk->bytes + walk->offset);
  const uint64_t left = walk->end - walk->offset;
  if (left < sizeof *words) return false;
  const uint64_t length = 8 * (uint64_t)words->length;
  if (words->word != maxlat_ring_record_word(MAXLAT_RING_BEGUN_KIND, walk->stamp, words->time)) return false;
  if (length < sizeof *words || length > left) return false;
  walk->base = words->time;
  walk->offset += length;
  return true;
}

#define CHAIN 4u        /* records in a row that prove that a walk is on the right track: their times must fit, too */
#define SEARCHED 65536u /* bytes of a hole that are searched, and holes of a packet: bounds for hostile memory */
#define SEARCHED_HOLES 256u

/* Records in a row from `offset` on, at most `most`; that many if they reach the end. */
static uint64_t chain_at(const struct rescue* rescue, uint64_t offset, uint64_t most) {
  struct maxlat_ring_walk walk = rescue->walk;
  struct maxlat_ring_walked record;
  uint64_t time = rescue->time;
  walk.offset = offset;
  for (uint64_t length = 0; length < most; ++length) {
    const enum maxlat_ring_step step = maxlat_ring_walk_next(&walk, &record);
    if (step == MAXLAT_RING_END) return most;
    if (step == MAXLAT_RING_BROKEN && skip_begun(&walk)) continue;
    if (step == MAXLAT_RING_BROKEN || record.time < time || record.time > rescue->latest) return length;
    time = record.time;
  }
  return most;
}

/* The nearest place within `most` bytes behind walk.offset that starts a chain of `wanted`, or of the most, or 0. */
static uint64_t search(const struct rescue* rescue, uint64_t most, uint64_t wanted) {
  uint64_t likely = 0, longest = 0;
  for (uint64_t length = 8; length <= most && longest < wanted; length += 8) {
    const uint64_t chain = chain_at(rescue, rescue->walk.offset + length, wanted);
    if (chain <= longest) continue;
    longest = chain;
    likely = length;
  }
  return likely;
}

/*
 * The length of the hole at walk.offset, or 0: the first place that starts a chain of records. But a record alone
 * between two holes is none, so what lies before the chain and has a possible time, no later than the chain's, comes
 * first.
 */
static uint64_t hole(const struct rescue* rescue) {
  const uint64_t left = rescue->walk.end - rescue->walk.offset;
  const uint64_t most = rescue->unaccounted < left ? rescue->unaccounted : left;
  const uint64_t chain = search(rescue, most < SEARCHED ? most : SEARCHED, CHAIN);
  if (chain == 0) return 0;
  struct rescue before = *rescue;
  struct maxlat_ring_walk behind = rescue->walk;
  struct maxlat_ring_walked first;
  behind.offset += chain;
  if (maxlat_ring_walk_next(&behind, &first) == MAXLAT_RING_EVENT) before.latest = first.time;
  before.walk.end = rescue->walk.offset + chain;
  const uint64_t alone = search(&before, chain - 8, 1);
  return alone != 0 ? alone : chain;
}

static void keep(struct rescue* rescue, uint8_t* bytes, uint64_t from, uint64_t to, uint64_t time) {
  for (; from < to; from += 8, rescue->kept += 8)
    *(uint64_t*)(void*)(bytes + rescue->kept) = *(const uint64_t*)(const void*)(bytes + from);
  if (rescue->records++ == 0) rescue->first_time = time;
  rescue->time = time;
  rescue->behind = to;
}

/* Moves the whole records of the copy together behind its header. RETURNS: holes. */
static uint64_t rescue_records(struct rescue* rescue, uint8_t* bytes) {
  struct maxlat_ring_walk* walk = &rescue->walk;
  while (rescue->holes < SEARCHED_HOLES) {
    const uint64_t offset = walk->offset;
    struct maxlat_ring_walked record;
    const enum maxlat_ring_step step = maxlat_ring_walk_next(walk, &record);
    if (step == MAXLAT_RING_END) return rescue->holes;
    if (step == MAXLAT_RING_EVENT) {
      keep(rescue, bytes, offset, walk->offset, record.time);
      continue;
    }
    if (!skip_begun(walk)) walk->offset += hole(rescue);
    const uint64_t length = walk->offset - offset;
    if (length == 0) break;
    rescue->unaccounted -= length < rescue->unaccounted ? length : rescue->unaccounted;
    ++rescue->holes;
  }
  return rescue->holes + 1;
}

/* How much of a packet may be records: all that was reserved, unless who closed it has said what is padding. */
struct extent {
  uint64_t end;
  bool closed;
};
static struct extent extent_of(const struct maxlat_ring* ring, const struct open* open,
                               const struct maxlat_ring_packet* packet) {
  const uint64_t content = maxlat_ring_content_size(ring, open->position, maxlat_ring_load(&packet->content_end));
  const bool closed = !open->last && content != 0;
  return (struct extent){closed ? content : open->reserved, closed};
}

#define SHORT_TIMES MAXLAT_RING_LOW_BITS(MAXLAT_RING_TIME_BITS) /* one less: how far a short record tells its time */

/* When the packet before the one at `position` ended, if its header is still somewhere, or 0. */
static uint64_t end_of_previous(const struct maxlat_ring* ring, uint64_t position) {
  const uint64_t previous = maxlat_ring_wrap(position - ring->shape.sub_buffer_size);
  const uint64_t in_memory = maxlat_ring_sub_buffers(ring) + (maxlat_ring_overwrites(ring) ? 1 : 0);
  for (uint64_t i = 0; i < in_memory; ++i) {
    const struct maxlat_ring_packet* packet = (const void*)maxlat_ring_bytes_of(ring, i);
    /* relaxed, both: nobody writes any more */
    if (maxlat_ring_content_size(ring, previous, maxlat_ring_load(&packet->content_end)) != 0)
      return maxlat_ring_load(&packet->end_time);
  }
  return 0;
}

/* The time of the first long record, begun or whole, or 0. It is there twice, 32 bits of it in the stamped word:
   nothing else looks so. */
static uint64_t first_long_time(const struct maxlat_ring_walk* walk) {
  for (uint64_t offset = walk->offset; offset + sizeof(struct maxlat_ring_long) <= walk->end; offset += 8) {
    const struct maxlat_ring_long* words = (const void*)(walk->bytes + offset);
    const uint64_t begun = maxlat_ring_record_word(MAXLAT_RING_BEGUN_KIND, walk->stamp, words->time);
    if ((words->word | 1ull << MAXLAT_RING_LENGTH_SHIFT) == begun) return words->time;
  }
  return 0;
}

/*
 * Where who opened the packet died before begin_time was there: a time that no record is before, and no short one that
 * comes before all long ones by 2^32 ticks. Those have the upper bits of a time_base that was stored before the packet
 * was opened (record.h, TIME), and so of the end of the packet before. Where that is gone, too, they are taken for the
 * last such times before the first long record or the end of the packet, or for times next to time_base.
 */
static uint64_t time_before(const struct maxlat_ring* ring, const struct open* open,
                            const struct maxlat_ring_walk* walk, const struct maxlat_ring_packet* packet, bool closed) {
  const uint64_t previous = end_of_previous(ring, open->position);
  if (previous != 0) return previous;
  uint64_t after = first_long_time(walk);
  if (after == 0 && closed) after = packet->end_time;
  if (after == 0) /* relaxed: nobody writes any more */
    after = (maxlat_ring_load(maxlat_ring_time_base(ring)) & ~MAXLAT_RING_FOREIGN) | SHORT_TIMES;
  return after > SHORT_TIMES ? after - SHORT_TIMES : 0;
}

/* RETURNS: the packet at `position` was entered and does not begin with a record, so that a hole at the end of the one
   before goes on in it, where it is counted. So it is when a writer dies that leaves one packet for the next. */
static bool begins_with_hole(const struct maxlat_ring* ring, uint64_t position) {
  struct open open;
  if (!find(ring, position, commits_at(ring, position), &open) || open.reserved <= HEADER) return false;
  if (!open.found) return true;
  const uint8_t* bytes = maxlat_ring_bytes_of(ring, open.sub_buffer);
  struct maxlat_ring_walk walk;
  struct maxlat_ring_walked record;
  maxlat_ring_walk_start(&walk, bytes, extent_of(ring, &open, (const void*)bytes).end);
  walk.stamp = maxlat_ring_stamp_of(open.number);
  return maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_BROKEN;
}

/* The packet at `position`, copied and mended. RETURNS: as recover; NOT_NOW: nothing of it is whole. */
static enum maxlat_ring_got mend(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                 struct maxlat_ring_view* view, uint64_t* unfinished) {
  struct open open;
  if (!find(ring, position, commits_at(ring, position), &open) || open.committed > open.reserved)
    return MAXLAT_RING_CORRUPT;
  if (open.reserved == 0 || open.reserved == HEADER) return MAXLAT_RING_NOT_NOW; /* no record was ever begun in it */
  if (!open.found || open.reserved < HEADER) { /* entered, and dead before the first store */
    ++*unfinished;
    return MAXLAT_RING_NOT_NOW;
  }
  if (!copy(ring, &open, to)) return MAXLAT_RING_CORRUPT;

  struct maxlat_ring_packet* packet = packet_at(to);
  const struct extent extent = extent_of(ring, &open, packet);
  const bool opened = packet->sequence == open.number; /* stored behind begin_time */
  struct rescue rescue;
  maxlat_ring_walk_start(&rescue.walk, to, extent.end);
  rescue.walk.stamp = maxlat_ring_stamp_of(open.number);
  if (!opened) rescue.walk.base = time_before(ring, &open, &rescue.walk, packet, extent.closed);
  rescue.kept = HEADER;
  rescue.behind = HEADER;
  rescue.records = 0;
  rescue.time = rescue.walk.base;
  rescue.latest = extent.closed ? packet->end_time : ~0ull;
  rescue.unaccounted = open.reserved - open.committed;
  rescue.holes = 0;
  uint64_t holes = rescue_records(&rescue, to);
  const bool ends_with_hole = holes > 0 && rescue.behind < extent.end;
  const uint64_t next = maxlat_ring_wrap(position + ring->shape.sub_buffer_size);
  if (ends_with_hole && !open.last && begins_with_hole(ring, next)) --holes;
  *unfinished += holes;
  if (rescue.records == 0) return MAXLAT_RING_NOT_NOW;
  if (!opened) packet->begin_time = rescue.first_time;
  label(ring, &open, to, rescue.kept, rescue.records, extent.closed ? packet->end_time : rescue.time, view);
  return MAXLAT_RING_GOT;
}

enum maxlat_ring_got maxlat_ring_recover(struct maxlat_ring_reader* reader, uint8_t* to, struct maxlat_ring_view* view,
                                         uint64_t* unfinished) {
  const struct maxlat_ring* ring = &reader->ring;
  if (reader->unfinished) return maxlat_ring_get(reader, view);
  const uint64_t size = ring->shape.sub_buffer_size;
  for (uint64_t packets = 0; packets < 2 * maxlat_ring_sub_buffers(ring) + 2; ++packets) {
    const uint64_t position = maxlat_ring_read_position(ring);
    const uint64_t write = maxlat_ring_load(ring->write_count); /* relaxed: nobody writes any more */
    const uint64_t left = maxlat_ring_wrap(write - position);
    /* No more than two passes: equation 3 lets no packet be entered whose place is not filled up to the pass before,
       but who entered may have died before it pushed the reader. Behind the last packet `left` is negative. */
    if (left == 0 || left > 2 * (ring->shape.buffer_mask + 1)) {
      if (left == 0 || maxlat_ring_wrap(position - write) < size) return MAXLAT_RING_NOT_NOW;
      maxlat_ring_store(&ring->header->read_count, write); /* relaxed: the reader's own */
      return MAXLAT_RING_CORRUPT;
    }
    enum maxlat_ring_got got = MAXLAT_RING_CORRUPT;
    maxlat_ring_store(&ring->header->read_count, position); /* relaxed: the reader's own; so that put finds it */
    if (maxlat_ring_filled_at(ring, position)) {
      got = maxlat_ring_get(reader, view);
      if (got == MAXLAT_RING_GOT) return got;
      got = MAXLAT_RING_CORRUPT;
    } else {
      got = mend(ring, position, to, view, unfinished);
    }
    maxlat_ring_store(&ring->header->read_count, maxlat_ring_wrap(position + size)); /* relaxed: the reader's own */
    if (got != MAXLAT_RING_NOT_NOW) return got;
  }
  return MAXLAT_RING_NOT_NOW; /* only where somebody moves the counters meanwhile */
}
