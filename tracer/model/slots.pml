/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The word of one slot of a session (shm/session_layout.h): threads that claim it for a ring one after the other, a
 * consumer that reads the ring while it is there, and takes it when it has ended; the consumer is killed once, at any
 * step, and another one goes on. That a slot changes hands only where nobody is in its ring, and that the books know
 * every packet.
 *
 * WHAT IS FOLLOWED. session/channel.cpp take, keep_books_of_replaced, make_ring, give_up, finalise;
 *   shm/session_memory.cpp exchange, end_reading, free_slot; consumer/recorder.cpp visit, forget_replaced. FREE,
 *   CLAIMED, LIVE, ENDED, TAKEN, READING and the generation are one word; each CAS compares all of it.
 * LEFT OUT. Who finds which slot, and sessions that end: session.pml. What a ring is: counts of packets made and read.
 *   A producer that dies: it leaves the word as it was, and nobody claims any more. Sequentially consistent memory:
 *   every change of the word is a locked instruction, or a release store of the one whose slot it is ([S1], [S3],
 *   [S4]); the mutants change the order of steps instead.
 * SIZE. 240 thousand states, with OVERWRITE and LIVES=1 not half of it, with LIVES=2 two million.
 *
 * PARAMETERS  OVERWRITE (a thread may claim a slot whose ring nobody has taken yet)  LIVES (rings of each thread)
 * MUTANTS, each must fail, by the assertion that model_cases.py names for it
 *   M_NO_READING       the consumer does not mark the slot whose ring it reads
 *   M_STATE_ONLY       who claims an ended slot does not ask whether it is read
 *   M_ENDED_STORED     LIVE becomes ENDED by a store, which takes READING away
 *   M_READING_STORED   READING is taken away by a store of the word as it was, which takes ENDED away
 *   M_TAKEN_STORED     ENDED becomes TAKEN by a store
 *   M_SAME_GENERATION  who claims an ended slot keeps its generation
 *   M_NOT_KEPT         who claims an ended slot does not keep the books of its ring
 *   M_FREE_FIRST       a slot is free before the hole is punched ([S4])
 *   M_TAKEN_LEFT       a consumer leaves a slot that its predecessor had taken
 */
#include "assertions.pml"

mtype = {
  reader_is_alone,      /* no thread makes a ring where the consumer is in one */
  hole_in_no_ring,
  generation_is_a_ring, /* the consumer never takes two rings for one */
  books_balance,        /* packets made = taken + counted as replaced + still there */
  slot_comes_back,      /* when all threads have ended, one visit frees it */
  /* coverage */
  replaced_unread
};

mtype = { FREE, CLAIMED, LIVE, ENDED, TAKEN };

#ifndef LIVES
#define LIVES 2
#endif
#define THREADS 2

/* The slot's word. */
mtype state = FREE;
bit reading;
byte generation;

/* The ring's memory: packets. And the channel's word for those that were replaced. */
byte made, read, replaced;

/* Ghosts. */
byte ring, all_made, taken, ended;
bit owned, inside, killed, succeeded;

#define word_is(s, r, g) (state == s && reading == r && generation == g)

inline make_ring() {
  atomic { must(reader_is_alone, !inside); owned = 1; made = 0; read = 0; ring++ };
  state = LIVE
}

inline live_and_end() {
  do
  :: atomic { made < 2 -> made++; all_made++ }
  :: break
  od;
  atomic {
    owned = 0;
#ifdef M_ENDED_STORED
    reading = 0;
#endif
    state = ENDED }
}

active [THREADS] proctype Thread() {
  byte left = LIVES, g;
  do
  :: left > 0 ->
     left--;
     if
     :: atomic { state == FREE && !reading -> g = generation };
        if
        :: atomic { word_is(FREE, 0, g) -> state = CLAIMED };
           if
           :: make_ring(); live_and_end()
           :: state = FREE /* give_up */
           fi
        :: atomic { else -> skip }
        fi
#ifdef OVERWRITE
#ifdef M_STATE_ONLY
     :: atomic { state == ENDED -> g = generation };
        if
        :: atomic { state == ENDED && generation == g -> reading = 0; state = CLAIMED;
#else
     :: atomic { state == ENDED && !reading -> g = generation };
        if
        :: atomic { word_is(ENDED, 0, g) -> state = CLAIMED;
#endif
#ifndef M_SAME_GENERATION
             generation = g + 1
#endif
           };
           atomic {
             if
             :: made > read -> reached(replaced_unread)
             :: else
             fi;
#ifndef M_NOT_KEPT
             replaced = replaced + made - read;
#endif
             made = 0; read = 0 };
           make_ring();
           live_and_end()
        :: atomic { else -> skip }
        fi
#endif
     :: true /* finds none */
     fi;
     g = 0
  :: else -> break
  od;
  ended++
}

inline take_packets() {
  atomic {
    inside = 1;
    if
    :: drain != generation + 1 -> drain = generation + 1; drained = ring
    :: else -> must(generation_is_a_ring, drained == ring)
    fi };
  do
  :: atomic { read < made -> read++; taken++ }
  :: break
  od
}

inline punch() { atomic { must(hole_in_no_ring, !owned); must(books_balance, read == made); made = 0; read = 0 } }

active proctype Consumer() {
  byte drain, drained, g;
  mtype s;
  bit r, alone;
end_again:
  {
end:
    do
    :: atomic { state == LIVE || state == ENDED || state == TAKEN -> s = state; r = reading; g = generation;
         alone = (ended == THREADS) };
       if
       :: s == LIVE ->
#if defined(OVERWRITE) && !defined(M_NO_READING)
          if
          :: atomic { word_is(s, r, g) -> reading = 1 };
             take_packets();
             atomic {
               inside = 0;
#ifdef M_READING_STORED
               state = s;
#endif
               reading = 0 }
          :: atomic { else -> skip }
          fi
#else
          take_packets();
          inside = 0
#endif
       :: s == ENDED ->
          if
#ifdef M_TAKEN_STORED
          :: atomic { state = TAKEN; reading = 0; generation = g };
#else
          :: atomic { word_is(s, r, g) -> state = TAKEN; reading = 0 };
#endif
             s = TAKEN
          :: atomic { else -> skip }
          fi
       :: s == TAKEN -> skip
       fi;
       if
#ifdef M_TAKEN_LEFT
       :: s == TAKEN && !killed ->
#else
       :: s == TAKEN ->
#endif
          take_packets();
          do
          :: atomic { read < made -> read++; taken++ }
          :: read == made -> break
          od;
          inside = 0;
#ifdef M_FREE_FIRST
          atomic { state = FREE; generation = g + 1 };
          punch()
#else
          punch();
          atomic { state = FREE; generation = g + 1 }
#endif
       :: else
       fi;
       atomic { must(slot_comes_back, !alone || state == FREE); s = 0; r = 0; g = 0; alone = 0 }
    od
  } unless { atomic { killed && !succeeded -> succeeded = 1; inside = 0; drain = 0; drained = 0; s = 0; r = 0; g = 0;
               alone = 0 };
             goto end_again }
}

active proctype Killer() { killed = 1 }

/* When nobody has anything to do any more. */
active proctype End() {
  atomic { timeout -> must(books_balance, all_made == taken + replaced + made - read) }
}
