/* SPDX-License-Identifier: MIT */
/*
 * A list of the last events (sensors/event_list.h): writers that overtake and overwrite each other, one that is killed
 * at any step, and a reader that begins at any moment and reads on behind them.
 *
 * WHAT IS FOLLOWED. maxlat_event_claim(), the stores of the payload, maxlat_event_commit(); of event_list_read.h
 *   maxlat_event_reader_begin(), look_at(), read_open(), read_next() and the books. Each load, store and exchange of a
 *   shared word is a step, but for two: the clock's read goes with the load of `next` before it (whoever comes between
 *   makes the exchange fail), and the highest dropped position, a loop of exchanges, is raised in one.
 * WHY TWO PARALLEL WRITERS ARE ENOUGH. A handler that interrupts a post is a writer that takes all of its steps while
 *   the other takes none. What a thread's list does without a lock prefix is atomic for its handlers.
 * PATIENCE. A reader may give up on an event at any look.
 * LEFT OUT. Memory that reorders, and bytes in a ring: event_words.pml. More open events than a reader remembers.
 * SIZE. 400 thousand states for one event and two; with one more three million.
 *
 * PARAMETERS  SLOTS  N0 N1 N2 (events of each writer)  KILLED (writer 0, once)
 *   TIME  the clock is read (the other cases do without, for fewer states)
 *   W  positions count modulo W, and are compared by the sign of their difference. Without: they never come again.
 * MUTANTS
 *   M_NO_LAP            a stamp says "whole" and "being written", and not of which lap
 *   M_NO_SECOND_LOOK    the reader does not look at the stamp again behind its copy
 *   M_WHOLE_FIRST       the slot is taken as whole, before its payload is there
 *   M_BUSY_TAKEN        a slot is taken while somebody writes to it
 *   M_LATER_TAKEN       a slot is taken that has a later event
 *   M_TAKEN_STORED      a slot is taken by a store
 *   M_TIME_OUTSIDE      the clock is read behind the loop
 *   M_NOT_NOTED         a dropped event is not noted in its slot
 *   M_OLDER_NOTED       the note is stored, over that of a later event, too
 *   M_NEVER_OUTLIVED    a reader waits for a position whose note a later one has replaced
 *   W=4                 two laps, then a position comes again: what 32 bits would do to a reader that sleeps for long
 */
#include "assertions.pml"

mtype = {
  slot_has_one_writer,
  event_is_whole,   /* what a reader hands out is the event of that position, all of it */
  times_in_order,   /* by position */
  event_comes_once,
  dropped_was_dropped,
  nobody_is_awaited, /* when all writers have ended, no position is open, but one of the dead */
  books_balance,
  /* coverage */
  came_late, was_dropped, was_overwritten, was_passed_over, gave_up, attached_late
};

#ifndef SLOTS
#define SLOTS 2
#endif
#ifdef N2
#define WRITERS 3
#else
#define WRITERS 2
#define N2 0
#endif
#define ATTEMPTS 2
#ifndef START
#define START 0
#endif
#define MOST (START + N0 + N1 + N2)

#define whole(p) (2 * ((p) + 1))
#define written(p) (2 * ((p) + 1) + 1)
#ifdef W
#define number(p) ((p) % W)
#define ahead(p, q) (((p) + MOST * W - (q)) % W)
#define stamp_of(s) ((s) % (2 * W))
#define later(a, b) (a != b && (a + 2 * W - b) % (2 * W) < W)
#else
#define number(p) (p)
#define ahead(p, q) ((p) - (q))
#define stamp_of(s) (s)
#define later(a, b) (a > b)
#endif
#ifdef M_NO_LAP
#define is_whole(s, p) (s != 0 && s % 2 == 0)
#define is_gone(s, p) false
#else
#define is_whole(s, p) (s == stamp_of(whole(p)))
#define is_gone(s, p) later(s, stamp_of(written(p)))
#endif

byte next = START; /* the list's word is number(next); the rest is a ghost's */
byte dropped, clock;
byte stamp[SLOTS], dropped_at[SLOTS];
byte a[SLOTS], b[SLOTS]; /* the payload of event p: p + 1, twice */

/* Ghosts. */
byte inside[SLOTS], last_time, ended;
#ifdef M_TIME_OUTSIDE
byte times[MOST + 1];
#endif
bit was_dropped_at[MOST], killed;

#ifdef TIME
#define read_clock() clock++; time = clock
#else
#define read_clock() skip
#endif
#if defined(TIME) && !defined(M_TIME_OUTSIDE)
#define stamped() must(times_in_order, time >= last_time); last_time = time
#else
#define stamped() skip
#endif

inline note_dropped() {
  atomic {
    was_dropped_at[position] = 1;
    reached(was_dropped);
#ifdef M_OLDER_NOTED
    dropped_at[slot] = position + 1
#elif !defined(M_NOT_NOTED)
    dropped_at[slot] = (dropped_at[slot] < position + 1 -> position + 1 : dropped_at[slot])
#endif
  }
}

inline fill() {
  a[slot] = position + 1;
  b[slot] = position + 1;
  atomic { stamp[slot] = stamp_of(whole(position)); inside[slot]-- }
}

#ifdef M_BUSY_TAKEN
#define busy false
#else
#define busy (seen % 2 == 1)
#endif
#ifdef M_LATER_TAKEN
#define is_later false
#else
#define is_later later(seen, stamp_of(whole(position)))
#endif
#ifdef M_WHOLE_FIRST
#define taken_stamp stamp_of(whole(position))
#else
#define taken_stamp stamp_of(written(position))
#endif
#ifdef M_TAKEN_STORED
#define exchanges true
#else
#define exchanges (stamp[slot] == seen)
#endif

inline post() {
  tries = 0;
  do
  :: tries < ATTEMPTS ->
     atomic {
       position = next;
#ifndef M_TIME_OUTSIDE
       read_clock()
#endif
     };
     if
     :: atomic { number(next) == number(position) ->
          position = next; /* the ghost's, where W lets an older one pass */
          next++;
          stamped();
          slot = position % SLOTS };
        break
     :: atomic { number(next) != number(position) -> tries++ }
     fi
  :: else -> break
  od;
  if
  :: tries == ATTEMPTS -> atomic { dropped++; reached(gave_up) }
  :: else ->
#ifdef M_TIME_OUTSIDE
     atomic {
       read_clock();
       times[position] = time;
       must(times_in_order, (position == START || times[position - 1] <= time) &&
                            (times[position + 1] == 0 || time <= times[position + 1])) };
#endif
     seen = stamp[slot];
     if
     :: busy || is_later -> note_dropped()
     :: else ->
        if
        :: atomic { exchanges -> stamp[slot] = taken_stamp; inside[slot]++;
             must(slot_has_one_writer, inside[slot] == 1) };
           fill()
        :: atomic { !exchanges -> skip };
           note_dropped()
        fi
     fi
  fi;
  atomic { position = 0; time = 0; seen = 0; slot = 0; tries = 0 }
}

proctype Writer(byte left) {
  byte position, time, seen, slot, tries;
  {
    do
    :: left > 0 -> left--; post()
    :: else -> break
    od
  } unless { killed && _pid == 1 };
  ended++
}

mtype = { is_there, is_awaited, is_outlived, is_dropped, is_not_there };

/* `found`: what became of event p; the copy is in copy_a and copy_b. */
inline look_at(p) {
  atomic { slot = p % SLOTS; seen = stamp[slot] };
  if
  :: is_gone(seen, p) -> found = is_not_there
  :: !is_gone(seen, p) && !is_whole(seen, p) ->
     if
     :: seen == stamp_of(written(p)) -> found = is_awaited
     :: else ->
        atomic {
          found = (number(dropped_at[slot]) == number(p + 1) -> is_dropped : is_awaited);
#ifndef M_NEVER_OUTLIVED
          found = (later(number(dropped_at[slot]), number(p + 1)) -> is_outlived : found)
#endif
        }
     fi
  :: else ->
     copy_a = a[slot];
     copy_b = b[slot];
#ifdef M_NO_SECOND_LOOK
     found = is_there
#else
     found = (stamp[slot] == seen -> is_there : is_not_there)
#endif
  fi;
  atomic { seen = 0; slot = 0 }
}

inline hand_out(p) {
  must(event_is_whole, copy_a == p + 1 && copy_b == p + 1);
  must(event_comes_once, !came[p]);
  came[p] = 1;
  copy_a = 0; copy_b = 0
}

inline look_again_at(p) {
  look_at(p);
  atomic {
    if
    :: found == is_awaited -> skip
    :: found == is_there -> hand_out(p); told++; opened--; open[p] = 0; reached(came_late)
    :: found == is_dropped -> must(dropped_was_dropped, was_dropped_at[p]); told++; opened--; open[p] = 0
    :: found == is_not_there || found == is_outlived -> told++; opened--; open[p] = 0
    fi;
    found = 0 }
}

/* At one of those that are open, or at none. */
inline read_open() {
  atomic {
    i = began;
    do
    :: i < position && open[i] -> break
    :: i < position -> i++
    :: else -> break
    od };
  if
  :: i < position -> look_again_at(i)
  :: else
  fi;
  i = 0
}

inline read_next() {
  atomic {
    missed = ahead(next, position);
    missed = (missed > SLOTS -> missed - SLOTS : 0);
    told = told + missed;
    position = position + missed;
    missed = 0 };
  if
  :: number(next) == number(position) -> skip
  :: else ->
     look_at(position);
     atomic {
       if
       :: found == is_awaited || found == is_outlived -> skip /* it waits */
       :: found == is_awaited || found == is_outlived -> open[position] = 1; opened++; position++; reached(was_passed_over)
       :: found == is_there -> hand_out(position); told++; position++
       :: found == is_dropped -> must(dropped_was_dropped, was_dropped_at[position]); told++; position++
       :: found == is_not_there -> told++; position++; reached(was_overwritten)
       fi;
       found = 0 }
  fi
}

proctype Reader() {
  byte began, position, told, opened;
  byte slot, seen, copy_a, copy_b, missed, i;
  bit open[MOST], came[MOST], alone;
  mtype found;
  atomic {
    began = (next > SLOTS -> next - SLOTS : 0);
    position = began;
    if
    :: next > START + SLOTS -> reached(attached_late)
    :: else
    fi };
  do
  :: alone && number(next) == number(position) -> break
  :: else ->
     atomic { alone = (ended == WRITERS) };
     read_open();
     read_next()
  od;
  /* All of them, when nobody can come any more. */
  i = began;
  do
  :: i < position && open[i] -> look_again_at(i); i++
  :: i < position && !open[i] -> i++
  :: else -> break
  od;
  atomic {
    must(books_balance, told + opened == next - began);
    must(nobody_is_awaited, opened <= killed) }
}

#ifdef KILLED
proctype Killer() { killed = 1 }
#endif

init {
  atomic {
    byte p = (START > SLOTS -> START - SLOTS : 0);
    do
    :: p < START ->
       stamp[p % SLOTS] = stamp_of(whole(p));
       a[p % SLOTS] = p + 1;
       b[p % SLOTS] = p + 1;
       dropped_at[p % SLOTS] = START; /* as of one before these */
       p++
    :: else -> p = 0; break
    od;
    run Writer(N0);
    run Writer(N1);
#if WRITERS == 3
    run Writer(N2);
#endif
#ifdef KILLED
    run Killer();
#endif
    run Reader() }
}
