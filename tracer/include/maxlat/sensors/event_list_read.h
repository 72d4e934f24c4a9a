/* SPDX-License-Identifier: MIT */
/*
 * Reading a list of events (event_list.h) while it is written. A reader has a position of its own and writes nothing
 * into the list; any number of them read at once, each at its own pace.
 *
 * BOOKS. Each reader has exact counts of what happened to every post since it began:
 *
 *   posts = delivered + late + overwritten + dropped + unfinished + open + pending
 *
 *   delivered     handed out, in the order of positions, and so of times
 *   late          handed out after its turn: its writer was delayed longer than the reader waits
 *   overwritten   the reader came too late
 *   dropped       it found its slot, or its bytes, being written, or no position, or was too large
 *   unfinished    its writer had not come back when its slot had another event, or had refused one that came later
 *   open          passed over; it may still come, late
 *   pending       not looked at yet
 *
 * WAITING. An event whose writer is not done delays the reader for `patience` at most, in units of the `now` that it is
 * called with. Then it is open, and the reader goes on. A reader remembers MAXLAT_EVENT_OPEN open events; when there
 * are more, the oldest counts as unfinished.
 *
 * BOUNDS. A call takes at most MAXLAT_EVENT_STEPS positions and looks once at each open one, whatever writers do.
 * TRUST: the list may hold anything. The caller passes the slots and their number; no address is computed from what is
 * read.
 * THREADS: one a reader.
 */
#ifndef MAXLAT_SENSORS_EVENT_LIST_READ_H
#define MAXLAT_SENSORS_EVENT_LIST_READ_H

#include <maxlat/sensors/var_event_list.h>

#define MAXLAT_EVENT_OPEN 32u
#define MAXLAT_EVENT_STEPS 1024u

struct maxlat_event_copy {
  uint64_t position;
  uint64_t time;
  uint32_t type;
  uint32_t cpu;
  uint64_t size; /* of the payload, in bytes */
  uint64_t payload[MAXLAT_EVENT_MAX_PAYLOAD / sizeof(uint64_t)];
};

enum maxlat_event_look {
  MAXLAT_EVENT_IS_WHOLE,
  MAXLAT_EVENT_IS_AWAITED,
  MAXLAT_EVENT_IS_DROPPED,
  MAXLAT_EVENT_IS_OUTLIVED, /* not whole, and a later event was dropped here: a note of this one would be gone */
  MAXLAT_EVENT_IS_GONE
};

/* A list as a reader has it. */
struct maxlat_event_memory {
  const struct maxlat_event_list* list;
  struct maxlat_event_slots slots;
  struct maxlat_event_ring ring; /* of no bytes: payloads lie in their slots */
};

/* relaxed, all words of both copies: between two looks at the stamp. */
static inline void maxlat_event_copy_from_slot(const struct maxlat_event_memory* memory,
                                               const struct maxlat_event_slot* slot, struct maxlat_event_copy* copy) {
  const uint64_t* const words = (const uint64_t*)(const void*)(slot + 1);
  copy->size = memory->slots.size - sizeof *slot;
  for (uint64_t i = 0; i < copy->size / sizeof *words; ++i) copy->payload[i] = maxlat_ring_load(&words[i]);
}
/* RETURNS: where the payload begins. */
static inline uint64_t maxlat_event_copy_from_ring(const struct maxlat_event_memory* memory,
                                                   const struct maxlat_event_slot* slot,
                                                   struct maxlat_event_copy* copy) {
  const struct maxlat_var_event_slot* const var = (const struct maxlat_var_event_slot*)(const void*)slot;
  const uint64_t begin = maxlat_ring_load(&var->begin);
  copy->size = maxlat_ring_load(&var->size);
  const uint64_t words = maxlat_var_event_is_size(memory->ring.size, copy->size) ? copy->size / sizeof(uint64_t) : 0;
  for (uint64_t i = 0; i < words; ++i)
    copy->payload[i] = maxlat_ring_load(maxlat_var_event_word(memory->ring, begin, i));
  return begin;
}

/* One look at a position that was given out. `copy` holds the event if it is whole. */
static inline enum maxlat_event_look maxlat_event_look_at(const struct maxlat_event_memory* memory, uint64_t position,
                                                          struct maxlat_event_copy* copy) {
  const struct maxlat_event_slot* const slot = maxlat_event_slot_at(memory->slots, position);
  /* acquire [V4]: the words of an event that is whole. Partner: release [V4] in event_list.h. Shape: publish. */
  const uint64_t stamp = maxlat_ring_load_acquire(&slot->stamp);
  if (stamp > maxlat_event_written(position)) return MAXLAT_EVENT_IS_GONE;
  if (stamp != maxlat_event_whole(position)) {
    const uint64_t dropped = stamp == maxlat_event_written(position) ? 0 : maxlat_ring_load(&slot->dropped_at);
    if (dropped > position + 1) return MAXLAT_EVENT_IS_OUTLIVED;
    return dropped == position + 1 ? MAXLAT_EVENT_IS_DROPPED : MAXLAT_EVENT_IS_AWAITED;
  }
  copy->position = position;
  copy->time = maxlat_ring_load(&slot->time);
  const uint64_t type_and_cpu = maxlat_ring_load((const uint64_t*)(const void*)&slot->type);
  copy->type = (uint32_t)type_and_cpu;
  copy->cpu = (uint32_t)(type_and_cpu >> 32);
  uint64_t begin = 0;
  if (memory->ring.size == 0)
    maxlat_event_copy_from_slot(memory, slot, copy);
  else
    begin = maxlat_event_copy_from_ring(memory, slot, copy);
  /* acquire [V3]: the copy before the second look. Partner: release [V3] in event_list.h. Shape: seqlock.
     acquire [V5]: and before the look at what was claimed since. Partner: release [V5] in var_event_list.h. Shape:
     seqlock. */
  maxlat_sensor_load_fence();
  if (maxlat_ring_load(&slot->stamp) != stamp) return MAXLAT_EVENT_IS_GONE;
  if (memory->ring.size == 0) return MAXLAT_EVENT_IS_WHOLE;
  if (copy->size == MAXLAT_VAR_EVENT_DROPPED) return MAXLAT_EVENT_IS_DROPPED;
  const bool is_there = maxlat_var_event_is_size(memory->ring.size, copy->size) &&
                        maxlat_var_event_is_there(memory->list, memory->ring, begin);
  return is_there ? MAXLAT_EVENT_IS_WHOLE : MAXLAT_EVENT_IS_GONE;
}

struct maxlat_event_books {
  uint64_t delivered, late, overwritten, dropped, unfinished, open, pending;
};

struct maxlat_event_reader {
  struct maxlat_event_memory memory;
  uint64_t patience;
  uint64_t position; /* of the next event */
  uint64_t began_at, without_place_before;
  uint64_t waits_since; /* where it waits for the event at `position` */
  bool waits;
  struct maxlat_event_books books; /* of the past: without pending, and without posts that got no position */
  uint64_t open[MAXLAT_EVENT_OPEN];
};

/* RETURNS: how many posts had no position until now. */
static inline uint64_t maxlat_event_without_place(const struct maxlat_event_list* list) {
  return maxlat_ring_load(&list->dropped) + maxlat_ring_load(&list->refused);
}

/*
 * Where payloads lie in a ring, those of the oldest slots may be gone: the position behind them. They begin in the
 * order of positions, but for the few that interrupted each other or were left; so halving finds it.
 */
static inline uint64_t maxlat_event_first_there(const struct maxlat_event_memory* memory, uint64_t first,
                                                uint64_t next) {
  while (first < next) {
    const uint64_t middle = first + (next - first) / 2;
    const struct maxlat_var_event_slot* const slot =
        (const struct maxlat_var_event_slot*)(const void*)maxlat_event_slot_at(memory->slots, middle);
    const uint64_t stamp = maxlat_ring_load(&slot->slot.stamp);
    if (stamp > maxlat_event_written(middle) || /* its slot has a later event already */
        (stamp == maxlat_event_whole(middle) &&
         !maxlat_var_event_is_there(memory->list, memory->ring, maxlat_ring_load(&slot->begin))))
      first = middle + 1;
    else
      next = middle;
  }
  return first;
}

/* From the oldest event that is still there on. */
static inline void maxlat_event_reader_begin(struct maxlat_event_reader* reader, struct maxlat_event_memory memory,
                                             uint64_t patience) {
  __builtin_memset(reader, 0, sizeof *reader);
  reader->memory = memory;
  reader->patience = patience;
  const uint64_t next = maxlat_ring_load(&memory.list->next);
  reader->position = next > memory.slots.count ? next - memory.slots.count : 0;
  if (memory.ring.size != 0) reader->position = maxlat_event_first_there(&memory, reader->position, next);
  reader->began_at = reader->position;
  reader->without_place_before = maxlat_event_without_place(memory.list);
}

static inline void maxlat_event_forget_open(struct maxlat_event_reader* reader, uint64_t number) {
  reader->open[number] = reader->open[--reader->books.open];
}

/* RETURNS: whether one that was open has come. */
static inline bool maxlat_event_read_open(struct maxlat_event_reader* reader, struct maxlat_event_copy* copy) {
  for (uint64_t i = 0; i < reader->books.open;) {
    const enum maxlat_event_look look = maxlat_event_look_at(&reader->memory, reader->open[i], copy);
    if (look == MAXLAT_EVENT_IS_AWAITED) {
      ++i;
      continue;
    }
    maxlat_event_forget_open(reader, i);
    if (look == MAXLAT_EVENT_IS_DROPPED) ++reader->books.dropped;
    if (look == MAXLAT_EVENT_IS_GONE || look == MAXLAT_EVENT_IS_OUTLIVED) ++reader->books.unfinished;
    if (look == MAXLAT_EVENT_IS_WHOLE) {
      ++reader->books.late;
      return true;
    }
  }
  return false;
}

/* The event at the reader's position is passed over. */
static inline void maxlat_event_leave_open(struct maxlat_event_reader* reader) {
  if (reader->books.open == MAXLAT_EVENT_OPEN) {
    uint64_t oldest = 0;
    for (uint64_t i = 1; i < MAXLAT_EVENT_OPEN; ++i)
      if (reader->open[i] < reader->open[oldest]) oldest = i;
    maxlat_event_forget_open(reader, oldest);
    ++reader->books.unfinished;
  }
  reader->open[reader->books.open++] = reader->position++;
  reader->waits = false;
}

/* RETURNS: whether the event at the reader's position still holds it up. */
static inline bool maxlat_event_waits(struct maxlat_event_reader* reader, uint64_t now) {
  if (!reader->waits) reader->waits_since = now;
  reader->waits = true;
  return now - reader->waits_since < reader->patience;
}

enum maxlat_event_read {
  MAXLAT_EVENT_NONE, /* nothing to hand out now */
  MAXLAT_EVENT_IN_ORDER,
  MAXLAT_EVENT_LATE,
  MAXLAT_EVENT_AGAIN /* as many steps as a call takes were in vain: call again, now or later */
};

static inline enum maxlat_event_read maxlat_event_read_next(struct maxlat_event_reader* reader, uint64_t now,
                                                            struct maxlat_event_copy* copy) {
  if (maxlat_event_read_open(reader, copy)) return MAXLAT_EVENT_LATE;
  for (unsigned step = 0; step < MAXLAT_EVENT_STEPS; ++step) {
    const uint64_t next = maxlat_ring_load(&reader->memory.list->next);
    if (next <= reader->position) return MAXLAT_EVENT_NONE; /* less: somebody writes there who must not */
    if (next - reader->position > reader->memory.slots.count) {
      const uint64_t missed = next - reader->position - reader->memory.slots.count;
      reader->books.overwritten += missed;
      reader->position += missed;
      reader->waits = false;
    }
    const enum maxlat_event_look look = maxlat_event_look_at(&reader->memory, reader->position, copy);
    if (look == MAXLAT_EVENT_IS_AWAITED || look == MAXLAT_EVENT_IS_OUTLIVED) {
      if (maxlat_event_waits(reader, now)) return MAXLAT_EVENT_NONE;
      maxlat_event_leave_open(reader);
      continue;
    }
    ++reader->position;
    reader->waits = false;
    if (look == MAXLAT_EVENT_IS_WHOLE) {
      ++reader->books.delivered;
      return MAXLAT_EVENT_IN_ORDER;
    }
    ++*(look == MAXLAT_EVENT_IS_DROPPED ? &reader->books.dropped : &reader->books.overwritten);
  }
  return MAXLAT_EVENT_AGAIN;
}

/* The books now; `posts` is what they add up to. */
static inline struct maxlat_event_books maxlat_event_books_now(const struct maxlat_event_reader* reader,
                                                               uint64_t* posts) {
  struct maxlat_event_books books = reader->books;
  const uint64_t without_place = maxlat_event_without_place(reader->memory.list) - reader->without_place_before;
  const uint64_t next = maxlat_ring_load(&reader->memory.list->next);
  books.dropped += without_place;
  books.pending = next > reader->position ? next - reader->position : 0;
  *posts = without_place + (next > reader->began_at ? next - reader->began_at : 0);
  return books;
}

#endif
