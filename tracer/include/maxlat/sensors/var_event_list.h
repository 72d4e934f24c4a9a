/* SPDX-License-Identifier: MIT */
/*
 * A list of the last events whose sizes differ: each payload takes as many bytes as it has, of a ring behind the slots.
 * All else is event_list.h, and read as that is: positions, stamps, times, books.
 *
 *   list      `claimed`    bytes of the ring that were given out so far: 64 bits, never used again. Byte b lies at b
 *                          modulo the ring's size.
 *             `innermost`  position + 1 of the latest post that has begun and not ended; 0: none
 *             `refused`    posts of events that are larger than the list takes
 *   slot      64 bytes: as of event_list.h, then where the payload begins, its size, and the post that it interrupted
 *
 * SIZES are multiples of 8 bytes, and each word has its place by itself: an event may go over the ring's end.
 * OVERWRITTEN is what lies behind `claimed` by more than the ring's size. There is no tail to be moved from event to
 * event: bytes are claimed before they are written, and a reader looks at `claimed` behind its copy.
 *
 * A POST   1. position, time and slot, as in event_list.h.
 *          2. the slot gets size and beginning, and becomes `innermost`. Then `claimed` is raised, by an exchange that
 *             fails when another post came in between: then the beginning is another.
 *          3. the posts that it interrupted are asked, outwards, whether its bytes are theirs, a lap or more later.
 *             Then this event is dropped: its slot is whole and says so.
 *          4. the payload is stored, `innermost` is the post around this one again, and the slot is whole.
 *
 * INVARIANTS, watched by sensors/event_list_schedule_test.cpp and its mutants
 *   (1) No byte ever has two writers. A post that never ends (its handler left by siglongjmp()) costs the events that
 *       meet its bytes, each lap; after more than MAXLAT_EVENT_NESTED of them the list drops all later events.
 *   (2) to (5) of event_list.h. A post takes a bounded number of steps, and what is in the list does not matter: what
 *       Pohlack's loop over the oldest events does for its bytes, the readers' look at `claimed` does here.
 *
 * MEMORY ORDER: [V3] and [V4] as in event_list.h, and of the bytes
 *   writer:  `claimed`   store fence [V5]   words
 *   reader:  words   acquire fence [V5]   `claimed`
 *
 * THREADS, SIGNALS: one thread and its handlers, which may interrupt a post anywhere, also for more than a lap.
 * SOURCE: Pohlack 2010, section 4.1.6.2 (VList). Unlike there: sizes are rounded up, what is too large is refused, and
 * no event is moved to the ring's beginning.
 */
#ifndef MAXLAT_SENSORS_VAR_EVENT_LIST_H
#define MAXLAT_SENSORS_VAR_EVENT_LIST_H

#include <maxlat/sensors/event_list.h>

#define MAXLAT_EVENT_NESTED 32u
#define MAXLAT_VAR_EVENT_DROPPED UINT64_MAX /* in place of a size */

struct maxlat_var_event_slot {
  struct maxlat_event_slot slot;
  uint64_t begin; /* as `claimed` counts */
  uint64_t size;  /* in bytes, a multiple of 8 */
  uint64_t outer; /* position + 1 of the post that this one interrupted */
  uint64_t unused;
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_var_event_slot) == 64, "layout");

/* The bytes and their number, a power of two: constants of a list. */
struct maxlat_event_ring {
  void* first;
  uint64_t size;
};

MAXLAT_ALWAYS_INLINE uint64_t* maxlat_var_event_word(struct maxlat_event_ring ring, uint64_t begin, uint64_t number) {
  return (uint64_t*)(void*)((uint8_t*)ring.first + ((begin + number * sizeof(uint64_t)) & (ring.size - 8)));
}

/* The largest payload. */
MAXLAT_ARITHMETIC uint64_t maxlat_var_event_most(uint64_t ring_size) {
  return ring_size < MAXLAT_EVENT_MAX_PAYLOAD ? ring_size : MAXLAT_EVENT_MAX_PAYLOAD;
}

MAXLAT_ARITHMETIC bool maxlat_var_event_is_size(uint64_t ring_size, uint64_t size) {
  return size % sizeof(uint64_t) == 0 && size <= maxlat_var_event_most(ring_size);
}

/* Whether nobody has claimed the bytes of an event that begins here once more. */
MAXLAT_ALWAYS_INLINE bool maxlat_var_event_is_there(const struct maxlat_event_list* list, struct maxlat_event_ring ring,
                                                    uint64_t begin) {
  return maxlat_ring_load(&list->claimed) - begin <= ring.size;
}

struct maxlat_var_event_place {
  struct maxlat_event_place event;
  uint64_t begin;
  uint64_t outer;
};

MAXLAT_ALWAYS_INLINE struct maxlat_var_event_slot* maxlat_var_event_slot_of(struct maxlat_event_slot* slot) {
  return (struct maxlat_var_event_slot*)(void*)slot;
}

/* Whether bytes are those of an earlier beginning, a lap or more later. */
MAXLAT_ARITHMETIC bool maxlat_var_event_meets(struct maxlat_event_ring ring, uint64_t begin, uint64_t size,
                                              uint64_t earlier, uint64_t earlier_size) {
  const uint64_t ahead = begin - earlier;
  if (size == 0 || earlier_size == 0 || ahead + size <= ring.size) return false;
  return (ahead & (ring.size - 1)) < earlier_size || (ahead & (ring.size - 1)) + size > ring.size;
}

/* Step 3, for the post of this slot: it interrupted another. */
static inline bool maxlat_var_event_finds_busy(struct maxlat_event_slots slots, struct maxlat_event_ring ring,
                                               uint64_t begin, uint64_t size, uint64_t outer) {
  for (unsigned depth = 0; outer != 0; ++depth) {
    const struct maxlat_var_event_slot* const around = maxlat_var_event_slot_of(maxlat_event_slot_at(slots, outer - 1));
    if (depth == MAXLAT_EVENT_NESTED ||
        maxlat_var_event_meets(ring, begin, size, maxlat_ring_load(&around->begin), maxlat_ring_load(&around->size)))
      return true;
    outer = maxlat_ring_load(&around->outer);
  }
  return false;
}

/* Steps 2 and 3. RETURNS: whether the bytes are this post's alone. */
MAXLAT_ALWAYS_INLINE bool maxlat_var_event_claim_bytes(struct maxlat_event_list* list, struct maxlat_event_slots slots,
                                                       struct maxlat_event_ring ring, uint64_t size,
                                                       struct maxlat_var_event_place* place) {
  struct maxlat_var_event_slot* const slot = maxlat_var_event_slot_of(place->event.slot);
  place->outer = maxlat_ring_load(&list->innermost);
  place->begin = maxlat_ring_load(&list->claimed);
  maxlat_ring_store(&slot->outer, place->outer);
  maxlat_ring_store(&slot->size, size);
  maxlat_ring_store(&slot->begin, place->begin);
  maxlat_ring_store_fence(); /* for this thread's handlers: they follow `innermost` to the slot */
  maxlat_ring_store(&list->innermost, place->event.position + 1);
  for (unsigned attempt = 0; attempt < MAXLAT_EVENT_ATTEMPTS; ++attempt) {
    if (MAXLAT_LIKELY(maxlat_sensor_cas(MAXLAT_SENSOR_THREAD, &list->claimed, place->begin, place->begin + size)))
      return place->outer == 0 || !maxlat_var_event_finds_busy(slots, ring, place->begin, size, place->outer);
    place->begin = maxlat_ring_load(&list->claimed);
    maxlat_ring_store(&slot->begin, place->begin);
  }
  return false;
}

/* For this thread's handlers: the bytes are theirs from here on. */
MAXLAT_ALWAYS_INLINE void maxlat_var_event_leave(struct maxlat_event_list* list, struct maxlat_var_event_place place) {
  maxlat_ring_store_fence();
  maxlat_ring_store(&list->innermost, place.outer);
}

/* Step 4, when the payload is there. */
MAXLAT_ALWAYS_INLINE void maxlat_var_event_commit(struct maxlat_event_list* list, struct maxlat_var_event_place place,
                                                  uint32_t type, uint32_t cpu) {
  maxlat_var_event_leave(list, place);
  maxlat_event_commit(place.event, type, cpu);
}

/*
 * Steps 1 to 3 for a payload of `size` bytes. RETURNS: whether there is a place to write to; if not, the event is
 * dropped, and counted.
 */
MAXLAT_ALWAYS_INLINE bool maxlat_var_event_claim(struct maxlat_event_list* list, struct maxlat_event_slots slots,
                                                 struct maxlat_event_ring ring, uint64_t size,
                                                 struct maxlat_var_event_place* place) {
  size = (size + 7) / 8 * 8;
  if (MAXLAT_UNLIKELY(size > maxlat_var_event_most(ring.size))) {
    maxlat_sensor_add(MAXLAT_SENSOR_THREAD, &list->refused, 1);
    return false;
  }
  if (MAXLAT_UNLIKELY(!maxlat_event_claim(MAXLAT_SENSOR_THREAD, list, slots, &place->event))) return false;
  if (MAXLAT_UNLIKELY(!maxlat_var_event_claim_bytes(list, slots, ring, size, place))) {
    maxlat_var_event_leave(list, *place);
    maxlat_ring_store(&maxlat_var_event_slot_of(place->event.slot)->size, MAXLAT_VAR_EVENT_DROPPED);
    maxlat_event_commit(place->event, 0, UINT32_MAX);
    return false;
  }
  maxlat_ring_store_fence(); /* release [V5]. Partner: acquire [V5] in event_list_read.h. Shape: seqlock. */
  return true;
}

/* A word of the payload. relaxed: behind `claimed`, and before the slot is whole. */
MAXLAT_ALWAYS_INLINE void maxlat_var_event_store(struct maxlat_event_ring ring, struct maxlat_var_event_place place,
                                                 uint64_t number, uint64_t word) {
  maxlat_ring_store(maxlat_var_event_word(ring, place.begin, number), word);
}

#endif
