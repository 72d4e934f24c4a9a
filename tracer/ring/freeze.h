/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Freeze: from the moment that somebody asks for a snapshot until it is taken, a ring in overwrite mode keeps what it
 * has. Otherwise the events that explain the trigger would be overwritten by those that follow it, before a consumer
 * that looks every millisecond has seen the request.
 *
 *      request                 freeze ends                      answered
 *   ------|------- stretch ----------|------ the consumer takes ----|--------> time
 *   overwrites   at most half a ring    no packet that is not taken    overwrites
 *
 * RULE. A writer asks it where it enters a packet (no_room() in reserve.c) whose place still has a packet that no
 * reader has taken. During the stretch it may overwrite that one as long as no more than half the ring has been written
 * since the request, so that of the cause half a ring is left, however much follows. After the stretch it may not, and
 * the event is dropped: lost_full, as in a ring that discards, which it now is. As the consumer takes packets, their
 * places become free, and events go on in them.
 *
 * The words are one set for all rings of a session (shm/session_layout.h), so that a request is two stores and no
 * system call, and may come from a signal handler. A writer reads two of them once per packet, in overwrite mode only;
 * the rest is out of line. WHERE a ring stood is in its header, frozen_at: put by the first writer that finds the
 * request.
 *
 * NOBODY FREEZES FOR EVER: nothing is frozen unless a consumer has announced itself (limit), nor longer than it said. A
 * consumer that was killed costs one such time: then the request stays unanswered, and old.
 *
 * WATCHED BY schedule_test.cpp (a freeze that comes and goes at any step), consumer/flight_recorder_test.cpp and
 * model/ring.pml (FREEZE).
 */
#ifndef MAXLAT_RING_FREEZE_H
#define MAXLAT_RING_FREEZE_H

#include <maxlat/ring/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shared memory: the producer's, where any thread requests; the consumer answers. Ticks are those of the counter. */
struct maxlat_ring_freeze {
  uint64_t requests; /* a count: of snapshots asked for */
  uint64_t answered; /* as much of it as the consumer is done with: no more than requests. Frozen while it is less */
  uint64_t time;     /* ticks: of the first request that is not answered */
  uint64_t stretch;  /* ticks after `time` in which writers go on; the consumer's, like the next */
  uint64_t limit;    /* ticks after `time` after which nothing is frozen. 0: no consumer that takes snapshots */
};

MAXLAT_RING_INLINE bool maxlat_ring_unanswered(uint64_t requests, uint64_t answered) {
  return (int64_t)(requests - answered) > 0; /* the two are not read at once */
}

/* THREADS: any, signal handlers too; lock-free, no system call. */
MAXLAT_RING_INLINE void maxlat_ring_request_snapshot(struct maxlat_ring_freeze* freeze) {
  /* relaxed, both: two requests at once may both put their time, and either will do. */
  if (!maxlat_ring_unanswered(maxlat_ring_load(&freeze->requests), maxlat_ring_load(&freeze->answered)))
    maxlat_ring_store(&freeze->time, maxlat_ring_clock());
  /* release [S7], by the add: the time, and what this thread has traced, before the count that announces it. Partners:
     acquire [S7] in shm/session_memory.cpp and below. Shape: publish. Without this, a snapshot could miss the event
     that it is about, and a writer could take an old time for that of this request. */
  maxlat_ring_owner_add(MAXLAT_RING_CPU, &freeze->requests, 1);
}

/* RETURNS: there is a request, and nobody has answered it. */
MAXLAT_RING_INLINE bool maxlat_ring_awaits_snapshot(const struct maxlat_ring_freeze* freeze) {
  const uint64_t requests = maxlat_ring_load_acquire(&freeze->requests); /* [S7] */
  /* relaxed: an old value is a freeze that lasts for as long as a store takes. */
  return maxlat_ring_unanswered(requests, maxlat_ring_load(&freeze->answered));
}

/* RETURNS: ticks since the first request that is not answered. The time may be another CPU's, and a little ahead. */
MAXLAT_RING_INLINE int64_t maxlat_ring_age_of_request(const struct maxlat_ring_freeze* freeze) {
  return (int64_t)(maxlat_ring_clock() - maxlat_ring_load(&freeze->time)); /* relaxed: behind acquire [S7] */
}

/* RETURNS: the same, and there is a consumer that will answer, as far as one can know. */
MAXLAT_RING_INLINE bool maxlat_ring_expects_snapshot(const struct maxlat_ring_freeze* freeze) {
  /* relaxed: there since before the request, or the consumer has just come. */
  return maxlat_ring_awaits_snapshot(freeze) &&
         maxlat_ring_age_of_request(freeze) < (int64_t)maxlat_ring_load(&freeze->limit);
}

/* The rest of the question below, while a request is not answered. */
MAXLAT_RING_OUT_OF_LINE bool maxlat_ring_keeps(const struct maxlat_ring* ring, uint64_t position, uint64_t start);

/* RETURNS: the packet at `start`, entered from `position`, would overwrite what is kept for a snapshot. REQUIRES:
   overwrite mode. THREADS: writers of the ring. COST: mostly two loads, of a line that is rarely written. */
MAXLAT_RING_INLINE bool maxlat_ring_frozen(const struct maxlat_ring* ring, uint64_t position, uint64_t start) {
  const struct maxlat_ring_freeze* freeze = ring->freeze;
  const uint64_t requests = maxlat_ring_load_acquire(&freeze->requests);            /* [S7] */
  if (MAXLAT_LIKELY(requests == maxlat_ring_load(&freeze->answered))) return false; /* relaxed: keeps() looks again */
  return maxlat_ring_keeps(ring, position, start);
}

#ifdef __cplusplus
}
#endif
#endif
