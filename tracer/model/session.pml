/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Threads that trace, against a control side that starts, stops and destroys sessions which take one and the same
 * channel number after each other: who may be in a ring when, and whether a thread without a slot gets one again.
 *
 * What they share and control are here; session_thread.pml: the threads.
 *
 * WHAT IS FOLLOWED, by function
 *   Thread   probe.hpp in_thread_ring, record_elsewhere; live_channels.cpp claim_ring, slot_is_free, claim_in, flush,
 *            end_rings_of_this_thread, with PREPARED prepare_thread; channel.cpp claim, take, end, finalise;
 *            threads.cpp register_thread, leave_list
 *   Control  session_core.cpp start, stop, end_run, destroy, refresh; threads.cpp wait_until_all_outside, forget_rings,
 *            forgive_refusals; live_channels.cpp enter_channel, remove_channel; channel.cpp flush_all, finalise_all
 *            with PREPARED live_channels.cpp prepare_channel, threads.cpp prepared_thread_without_ring, give_ring_to
 *   Consumer recorder.cpp visit: an ended ring's slot is freed
 *
 * MEMORY. x86: the store to `inside` waits in the thread's store buffer while later loads go ahead (`inside` is what
 *   the thread knows, `inside_seen` what others do); membarrier(2) and locks empty it. All else is sequentially
 *   consistent: control changes its words by locked instructions and fences before it waits.
 * LEFT OUT. What a ring is (ring.pml): a store into one is a look whether it is mapped and whether somebody else is in
 *   it. Signal handlers. Per-CPU channels. Threads that cannot stay in the list (Guest). Patience: stop() may give up
 *   waiting, start() and destroy() do not. A thread that comes later with the id of one that ended.
 *
 * SIZE. One thread, two sessions: 50 thousand states; two threads, one session: 1.3 million; with PREPARED 0.2 and 2.1.
 *
 * PARAMETERS  SLOTS  A0 A1 (calls of each thread)  RUNS (starts)
 *   PREPARED  threads call prepare_thread(), too, and each start makes rings for those that have and find none (review
 *             T5), against threads that end meanwhile
 * MUTANTS, each must fail, by the assertion that model_cases.py names for it
 *   M_RING_FIRST        flush() loads the ring before it asks whether the number is running (review T1)
 *   M_REFUSED_FOR_GOOD  a thread that found no slot never looks again (review T9)
 *   M_NO_MEMBARRIER     control waits without making every thread execute a barrier
 *   M_NO_SECOND_LOOK    the probe goes by the look at the event's word that it took before it was inside
 *   M_NO_WAIT           destroy() does not wait, though stop() may have given up
 *   M_NO_FORGET         the threads' places keep the rings of a channel that went away
 *   M_NO_RCU            the channel goes away without waiting for threads that end
 *   M_LIST_LEFT_BEFORE  a thread that ends leaves the list before it takes the read lock
 *   with PREPARED:
 *   M_GIVEN_UNLOOKED    a start gives a prepared thread a ring without looking at its ring_place
 *   M_GIVEN_UNLISTED    a ring is given without looking whether the thread is still in the list
 *   M_REFUSED_KEPT      a ring whose thread ended meanwhile is not ended
 */
#include "assertions.pml"

mtype = {
  ring_is_mapped,      /* where a thread or control stores */
  alone_in_a_ring,     /* control flushes when the ring's thread is out of it */
  channel_is_there,    /* which a thread found in the table and uses */
  ring_of_its_channel, /* a thread hands back a ring to the channel that made it */
  slot_is_found,       /* as long as a slot is free no thread is refused more often than there are slots */
  one_ring_a_thread,   /* given to who has none: else nobody ends the one it had */
  thread_is_there,     /* whose words control changes */
  no_ring_is_left,     /* which was made for a thread and is nobody's: it would keep its slot */
  /* coverage */
  event_recorded, thread_refused, refused_then_served, ring_of_second_session, flushed_by_thread,
  traced_in_a_given_ring, ended_before_given
};

#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef A0
#define A0 2
#endif
#ifndef A1
#define A1 1
#endif
#ifndef RUNS
#define RUNS 2
#endif
#define THREADS 2
#define NOWHERE 0
#define ring_id(generation, slot) ((generation - 1) * SLOTS + slot + 1)
#define generation_of(ring) ((ring - 1) / SLOTS + 1)
#define RINGS (RUNS * SLOTS + 1)

/* Control's words. A channel's generation stands for its object and its session's memory. */
bit place, wanted;         /* of the one event: a ring of the number; the number's bit */
bit running;               /* running_channels */
byte live;                 /* live_channels[number]: a generation, or 0 */
bit exists[RUNS + 1];      /* by generation */
bit rings_lock[RUNS + 1];

/* By ring_id: the word of a slot (claimed in any way: slots.pml has its states), the mapping, who is in the ring. */
bit claimed[RINGS], ended[RINGS], mapped[RINGS], busy[RINGS];

/* Of the threads. */
bit inside[THREADS], inside_seen[THREADS], registered[THREADS], reading[THREADS];
byte ring_place[THREADS], refused[THREADS];
#ifdef PREPARED
bit prepared[THREADS];
bit gone[THREADS];  /* ghost: with its thread_local words */
bit given[RINGS];   /* ghost: by control */
#endif

/* Ghost: refusals in a row while a slot was free. */
byte refusals[THREADS];

#define slot_free(generation, slot) (!claimed[ring_id(generation, slot)])
#if SLOTS == 1
#define any_slot_free(generation) slot_free(generation, 0)
#else
#define any_slot_free(generation) (slot_free(generation, 0) || slot_free(generation, 1))
#endif

/* Memory. */
inline drain(t) { inside_seen[t] = inside[t] }

/* A store into a ring: some of its own time, so that others may come in between. */
inline begin_store(r) {
  atomic { must(ring_is_mapped, mapped[r]); must(alone_in_a_ring, !busy[r]); busy[r] = 1 }
}
inline end_store(r) { atomic { must(ring_is_mapped, mapped[r]); busy[r] = 0 } }

/* Channel::finalise, of a slot whose ring may be mapped. REQUIRES: rings_lock. */
inline finalise(r) {
  if
  :: mapped[r] -> begin_store(r); atomic { end_store(r); mapped[r] = 0 }; ended[r] = 1
  :: else
  fi
}

#include "session_thread.pml"

/* The store buffers empty themselves some time. */
active proctype Buffers() {
end:
  do
  :: atomic { inside[0] != inside_seen[0] -> drain(0) }
  :: atomic { inside[1] != inside_seen[1] -> drain(1) }
  od
}

inline wait_until_all_outside() {
#ifndef M_NO_MEMBARRIER
  d_step { drain(0); drain(1) };
#endif
  (!registered[0] || !inside_seen[0]);
  (!registered[1] || !inside_seen[1])
}

/* REQUIRES: rings_lock. maxlat_ring_flush by control. */
inline flush_ring(ring) {
  if
  :: mapped[ring] -> begin_store(ring); end_store(ring)
  :: else
  fi
}

inline lock_rings() { atomic { !rings_lock[generation] -> rings_lock[generation] = 1 } }
inline unlock_rings() { atomic { rings_lock[generation] = 0; slot = 0 } }

inline flush_all() {
  lock_rings();
  do
  :: slot < SLOTS -> flush_ring(ring_id(generation, slot)); slot++
  :: else -> break
  od;
  unlock_rings()
}

inline finalise_all() {
  lock_rings();
  do
  :: slot < SLOTS -> finalise(ring_id(generation, slot)); slot++
  :: else -> break
  od;
  unlock_rings()
}

inline end_run() {
  wait_until_all_outside();
  flush_all();
  still_inside = 0
}

inline stop() {
  place = 0; /* refresh_all */
  wanted = 0;
  running = 0;
  if
  :: end_run()
  :: still_inside = 1 /* out of patience */
  fi
}

#ifdef PREPARED
/* Channel::claim for another thread, which is none of control's refusals. In ring. */
inline claim_for() {
  do
  :: slot < SLOTS ->
     atomic {
       if
       :: slot_free(generation, slot) -> ring = ring_id(generation, slot); claimed[ring] = 1; break
       :: else -> slot++
       fi }
  :: else -> break
  od;
  slot = 0;
  if
  :: ring != NOWHERE -> mapped[ring] = 1; begin_store(ring); end_store(ring) /* make_ring, open_ahead */
  :: else
  fi
}

#ifdef M_GIVEN_UNLOOKED
#define has_no_ring(t) true
#else
#define has_no_ring(t) (ring_place[t] == NOWHERE)
#endif
#ifdef M_GIVEN_UNLISTED
#define may_be_given(t) true
#else
#define may_be_given(t) (registered[t] && has_no_ring(t))
#endif

/* Thread 0 first; the list has them in any order. */
inline prepare_channel() {
  thread = 0;
  do
  :: thread < THREADS ->
     if
     :: atomic { registered[thread] && prepared[thread] && has_no_ring(thread) -> skip }; /* ..._without_ring */
        claim_for();
        if
        :: ring == NOWHERE -> break
        :: else
        fi;
        atomic { /* give_ring_to, under the list's lock */
          if
          :: may_be_given(thread) ->
             must(thread_is_there, !gone[thread]);
             must(one_ring_a_thread, ring_place[thread] == NOWHERE);
             ring_place[thread] = ring; given[ring] = 1; ring = NOWHERE
          :: else -> reached(ended_before_given)
          fi };
#ifndef M_REFUSED_KEPT
        if
        :: ring != NOWHERE -> lock_rings(); finalise(ring); unlock_rings() /* Channel::end */
        :: else
        fi;
#endif
        atomic { must(no_ring_is_left, ring == NOWHERE || !mapped[ring]); ring = NOWHERE }
     :: else
     fi;
     thread++
  :: else -> break
  od;
  thread = 0
}
#endif

inline start() {
  if
  :: still_inside && live != 0 -> end_run()
  :: else
  fi;
  if
  :: live == 0 -> generation++; exists[generation] = 1; live = generation /* enter_channel */
  :: else
  fi;
#ifndef M_REFUSED_FOR_GOOD
  d_step { refused[0] = 0; refused[1] = 0 }; /* forgive_refusals, under the list's lock */
#endif
#ifdef PREPARED
  prepare_channel();
#endif
  running = 1;
  place = 1;
  wanted = 1
}

inline destroy() {
#ifndef M_NO_WAIT
  wait_until_all_outside();
#endif
  finalise_all();
#ifndef M_NO_FORGET
  d_step { /* remove_channel: forget_rings, of the threads in the list */
    if
    :: registered[0] -> ring_place[0] = NOWHERE; refused[0] = 0
    :: else
    fi;
    if
    :: registered[1] -> ring_place[1] = NOWHERE; refused[1] = 0
    :: else
    fi };
#endif
  live = 0;
#ifndef M_NO_RCU
  !reading[0]; /* synchronize_rcu */
  !reading[1];
#endif
  exists[generation] = 0; still_inside = 0
}

active proctype Control() {
  byte runs = RUNS, generation, slot;
  bit still_inside;
#ifdef PREPARED
  byte thread, ring;
#endif
  do
  :: runs > 0 -> runs--;
     start();
     stop();
     if
     :: destroy()
     :: skip /* it is started once more */
     fi
  :: else -> break
  od
}

active proctype Consumer() {
  byte ring;
end:
  do
  :: atomic {
       ring = 1;
       do
       :: ring < RINGS && !ended[ring] -> ring++
       :: else -> break
       od;
       if
       :: ring < RINGS -> ended[ring] = 0; claimed[ring] = 0
       :: else
       fi;
       ring = 0 }
  od
}
