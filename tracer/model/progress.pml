/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The promise of reserve.h, PROGRESS: a writer is done after a bounded number of its own steps, whatever others do. It
 * tries MAXLAT_RING_ATTEMPTS times, then the event is lost as lost_wrap, and the books know it (equation 7).
 *
 * WHAT IS FOLLOWED. begin() and attempt() of reserve.c: load write_count, CAS, another attempt; drop(); the commit.
 *   Writer 0 is the one that is watched. The others write for ever (with -DNP, spin's search for cycles without
 *   progress, weakly fair: writer 0 is never left standing), or EVENTS each, and then the books are checked.
 * WHY THAT IS ENOUGH. An attempt is straight code but for push_reader and claim, whose retries end because read_count
 *   and the reference only go on: ring.pml, where the same search is made, has them as they are.
 * LEFT OUT. Where a record lies. write_count counts modulo TURN, so that "for ever" has few states: a CAS that succeeds
 *   because of that helps writer 0, and its next attempt can fail all the same.
 * SIZE. 370 thousand states.
 *
 * MUTANTS
 *   M_NO_BOUND       it tries for ever: a cycle
 *   M_WAITS          it waits until what others reserved is committed: a cycle
 *   M_NOT_COUNTED    it gives up and counts nothing
 *   M_COUNTED_TWICE  it counts each attempt that failed
 */
#include "assertions.pml"

mtype = {
  books_balance, /* records committed + lost_wrap = events tried */
  /* coverage */
  gave_up
};

#define ATTEMPTS 2
#define TURN 4
#define WRITERS 3
#ifndef EVENTS
#define EVENTS 2
#endif

byte write_count, inside, committed, lost_wrap, tried, ended;

#ifdef NP
#define count(what) skip
#define for_ever true
#else
#define count(what) what++
#define for_ever (left > 0)
#endif

inline event() {
  tries = 0;
  do
#ifdef M_NO_BOUND
  :: true ->
#else
  :: tries < ATTEMPTS ->
#endif
#ifdef M_WAITS
     do
     :: inside == 0 -> break
     :: else -> skip
     od;
#endif
     old = write_count;
     if
     :: atomic { write_count == old -> write_count = (old + 1) % TURN; inside++ };
        atomic { inside--; count(committed) };
        break
     :: atomic { write_count != old ->
#ifdef M_COUNTED_TWICE
          count(lost_wrap);
#endif
#ifndef M_NO_BOUND
          tries++
#endif
        }
     fi
#ifndef M_NO_BOUND
  :: else ->
     reached(gave_up);
#ifndef M_NOT_COUNTED
     atomic { count(lost_wrap) };
#endif
     break
#endif
  od;
  tries = 0; old = 0
}

active [WRITERS] proctype Writer() {
  byte left = EVENTS, tries, old;
  do
  :: atomic { for_ever -> count(tried); left = (left > 0 -> left - 1 : 0) };
     event();
     if
     :: _pid == 0 ->
progress:
        skip
     :: else
     fi
#ifndef NP
  :: left == 0 -> break
#endif
  od;
  ended++
}

active proctype Books() {
end:
  atomic { ended == WRITERS -> must(books_balance, committed + lost_wrap == tried) }
}
