/* SPDX-License-Identifier: MIT */
/*
 * A list of the last events: slots of one size, of which the oldest is overwritten. This is what a writer does; what a
 * monitor does is event_list_read.h.
 *
 *   list      head (the sensor's), `next`, `dropped` and some more, then the slots
 *   position  how many events had a place in the list before this one; never used again (a stamp holds 2^63 of them:
 *             one a nanosecond for 292 years). Event p lies in slot p modulo the number of slots.
 *   slot      stamp, dropped_at, time, type, CPU, payload
 *
 *   stamp     0                  never used
 *             2 (p + 1)          event p is whole
 *             2 (p + 1) + 1      event p is being written
 *
 * A POST   1. time is read, then `next` raised by one, by an exchange that fails when another event came in between:
 *             then both are done again. So positions and times have one order, for all writers together.
 *          2. the slot is taken: its stamp is exchanged for "p is being written", unless it says that somebody writes
 *             there, or has a later event. Then this event is dropped, and the slot notes its position.
 *          3. payload and time are stored, then "p is whole".
 *
 * INVARIANTS, watched by sensors/event_list_schedule_test.cpp, model/event_list.pml, and the mutants of both
 *   (1) No slot ever has two writers. A writer that died in step 3 costs one event a lap, and nothing else.
 *   (2) What a monitor takes for whole is event p as it was written.
 *   (3) Each call has a position, or is counted in `dropped`; each position becomes whole, or is noted as dropped, or
 *       its writer is still at it.
 *   (4) Times do not decrease from position to position.
 *   (5) A post takes a bounded number of steps.
 *         Step 1: MAXLAT_EVENT_ATTEMPTS; one that failed as often is dropped.
 *         Step 2: one exchange of the stamp. Where the event is dropped instead, its note is tried again only when
 *         another post of the same slot, with an earlier position, has put its own meanwhile. Each does that once, and
 *         a later position ends it: as often, at most, as earlier posts of that slot are still under way.
 *         Step 3: the stores.
 *
 * WHY (4) HOLDS. Position p + 1 is read from `next` behind the exchange that gave p away. So times are in order when
 * each is read behind its read of `next` and before its exchange.
 *   one thread   What comes in between is a handler, whose post makes the exchange fail. Reads of the counter by one
 *                CPU are in the order of the program, as the rings have it, too.
 *   shared       x86-64: lfence in the ordered clock lets the read of `next` end first; the locked exchange is behind
 *                the clock, for it is not done before what precedes it has retired.
 *                aarch64: isb stands between `next` and the counter, and the exchange is acquire and release. But its
 *                architecture orders the counter with accesses of memory by dependencies, not by these: that times are
 *                in order there is not proven. A reader that finds one smaller than the one before says so
 *                (`maxlat sensors check`).
 *
 * MEMORY ORDER: as a seqlock for each slot.
 *   writer:  stamp, acquire [V4]   "being written"   store fence [V3]   words   release [V4]   "whole"
 *   reader:  stamp, acquire [V4]   words   acquire fence [V3]   stamp
 * From writer to writer a slot goes by the stamp, too: who takes it has seen "whole", and so stores behind the stores
 * of the one before.
 *
 * THREADS, SIGNALS: MAXLAT_SENSOR_THREAD: one thread and its handlers, which may interrupt a post anywhere, also for
 * more posts than there are slots. MAXLAT_SENSOR_SHARED: any of the process.
 * SOURCE: Pohlack 2010, section 4.1.6.1 (AList) and 3.2.4.2 (GList). There a kernel made each post atomic. Here the
 * stamps do that: they distinguish an event that is not ready from one that is.
 */
#ifndef MAXLAT_SENSORS_EVENT_LIST_H
#define MAXLAT_SENSORS_EVENT_LIST_H

#include <maxlat/sensors/word.h>

#define MAXLAT_EVENT_ATTEMPTS 64u
#define MAXLAT_EVENT_MAX_SLOT_SIZE 4096u
#define MAXLAT_EVENT_MAX_PAYLOAD (MAXLAT_EVENT_MAX_SLOT_SIZE - 32u)

struct maxlat_event_list {
  struct maxlat_sensor sensor;
  uint64_t next;    /* position of the event that comes */
  uint64_t dropped; /* posts that got no position */
  uint64_t refused; /* and these three are a list's whose events vary in size: var_event_list.h */
  uint64_t claimed;
  uint64_t innermost;
  uint64_t unused[3];
};

/* The slots stand behind it. */
struct maxlat_event_slot {
  uint64_t stamp;
  uint64_t dropped_at; /* position + 1 of the last event that found somebody writing here */
  uint64_t time;
  uint32_t type;
  uint32_t cpu; /* 0xffffffff: not known */
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_event_list) == 256, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_event_slot) == 32, "layout");

MAXLAT_ARITHMETIC uint64_t maxlat_event_whole(uint64_t position) {
  return 2 * (position + 1);
}
MAXLAT_ARITHMETIC uint64_t maxlat_event_written(uint64_t position) {
  return 2 * (position + 1) + 1;
}

/* Slots, their number and size: constants of a list. */
struct maxlat_event_slots {
  void* first;
  uint64_t count;
  uint64_t size;
};

MAXLAT_ALWAYS_INLINE struct maxlat_event_slot* maxlat_event_slot_at(struct maxlat_event_slots slots,
                                                                    uint64_t position) {
  return (struct maxlat_event_slot*)(void*)((uint8_t*)slots.first + (position & (slots.count - 1)) * slots.size);
}

struct maxlat_event_place {
  struct maxlat_event_slot* slot;
  uint64_t position;
  uint64_t time;
};

/* Steps 1 and 2. RETURNS: whether there is a slot to write to; if not, the event is dropped, and counted. */
MAXLAT_ALWAYS_INLINE bool maxlat_event_claim(enum maxlat_sensor_writers writers, struct maxlat_event_list* list,
                                             struct maxlat_event_slots slots, struct maxlat_event_place* place) {
  unsigned attempt = 0;
  for (;;) {
    place->position = maxlat_ring_load(&list->next);
    place->time = writers == MAXLAT_SENSOR_THREAD ? maxlat_ring_clock() : maxlat_ring_clock_ordered();
    if (MAXLAT_LIKELY(maxlat_sensor_cas(writers, &list->next, place->position, place->position + 1))) break;
    if (++attempt < MAXLAT_EVENT_ATTEMPTS) continue;
    maxlat_sensor_add(writers, &list->dropped, 1);
    return false;
  }
  place->slot = maxlat_event_slot_at(slots, place->position);
  const uint64_t seen = maxlat_ring_load(&place->slot->stamp); /* relaxed: the exchange looks again */
  /* acquire [V4], by the exchange: the words of the event before are stored, and ours come behind them. Partner:
     release [V4] in maxlat_event_commit(). Shape: publish. Without this, words of that event could be in this one. */
  if (MAXLAT_UNLIKELY((seen & 1) != 0 || seen > maxlat_event_whole(place->position) ||
                      !maxlat_sensor_cas(writers, &place->slot->stamp, seen, maxlat_event_written(place->position)))) {
    maxlat_sensor_raise(writers, MAXLAT_SENSOR_UNSIGNED, &place->slot->dropped_at, place->position + 1);
    return false;
  }
  maxlat_ring_store_fence(); /* release [V3]. Partner: acquire [V3] in event_list_read.h. Shape: seqlock. */
  return true;
}

/* A word of the payload. relaxed: between the two stores of the stamp */
MAXLAT_ALWAYS_INLINE void maxlat_event_store(struct maxlat_event_place place, uint64_t number, uint64_t word) {
  maxlat_ring_store((uint64_t*)(void*)(place.slot + 1) + number, word);
}

/* Step 3, when the payload is there. */
MAXLAT_ALWAYS_INLINE void maxlat_event_commit(struct maxlat_event_place place, uint32_t type, uint32_t cpu) {
  maxlat_ring_store(&place.slot->time, place.time);
  maxlat_ring_store((uint64_t*)(void*)&place.slot->type, type | (uint64_t)cpu << 32);
  /* release [V4]: all words of the event before the stamp that says it is whole. Partners: acquire [V4] in
     event_list_read.h, and in maxlat_event_claim() of who takes the slot next. Shape: publish. */
  maxlat_ring_store_release(&place.slot->stamp, maxlat_event_whole(place.position));
}

#endif
