/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Time stamps of a ring per CPU: several threads write to it, some of which are on another CPU when they do (foreign
 * writers). Whether a reader gets back the full time of each record, and whether times never go back.
 *
 * WHAT IS FOLLOWED. maxlat_ring_reserve_common with its two looks where the thread is; in reserve.c attempt, read_time,
 *   mark_of, enter, go_on, begin_long and keep_base ([T1], [T2]); the reader: record.h, TIME.
 * CLOCKS. All CPUs' counters agree (`now`), but a plain read may come before the loads that precede it in the
 *   program: the common path's is taken before write_count is loaded, or behind the base, whichever is worse. Between
 *   such a read and the load no other thread runs on that CPU, and the thread is not moved: a switch of threads is a
 *   barrier (`pinned`). Out of line the clock is an ordered one.
 * PLACES. Writers begin on the ring's CPU; Mover takes writer 1 elsewhere and back, at any step. With -DUNKNOWN the
 *   last one cannot tell where it is, and is elsewhere. A thread that finds itself elsewhere at its first look writes
 *   to another ring.
 * LEFT OUT. Whether there is room: the stream has no end. Commits. Memory that reorders more than the clock: what the
 *   labels say is here as the order of steps, and the mutants change it. MAXLAT_RING_ATTEMPTS: progress.pml.
 * THE EXCEPTION of reserve.h, TIME ORDER: a thread that is moved away and back between its two looks, and read the
 *   clock there, may step back. Such a record is `excused`.
 * SIZE. See model_cases.py. A short record is one word, a long one two; T ticks have the same upper bits.
 *
 * PARAMETERS  N0 N1 N2 (each writer's events)  FIRST LAST (ticks)  MOVES  UNKNOWN  T  AT (where the stream begins)  SB
 * MUTANTS, each must fail, by the assertion that model_cases.py names for it
 *   M_NO_MARK           a foreign writer leaves no mark
 *   M_FOREIGN_BASE      a foreign writer puts its time for a base over its mark
 *   M_BASE_STORED       a base is put by a store, over whatever is there
 *   M_BASE_READ_LATE    what the base is put over was read behind the reservation
 *   M_BASE_FIRST        a base is put before the reservation
 *   M_BASE_THEN_COUNT   the common path loads time_base before write_count ([T2])
 *   M_NO_SECOND_LOOK    the common path does not look where it is behind the clock
 *   M_PLAIN_CLOCK       out of line the clock may be read early, too
 *   M_SHORT             a record is short whatever the base says
 */
#include "assertions.pml"

mtype = {
  full_time_is_read,    /* what the reader works out is what the writer read */
  time_never_goes_back, /* from slot to slot */
  /* coverage */
  excused_step_back, short_after_foreign
};

#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 2
#endif
#ifndef N2
#define N2 0
#endif
#if N2 > 0
#define WRITERS 3
#else
#define WRITERS 2
#endif
#ifndef LAST
#define LAST 3
#endif
#ifndef MOVES
#define MOVES 2
#endif
#ifndef AT
#define AT 1
#endif
#ifndef T
#define T 2
#endif
#ifndef SB
#define SB 5
#endif
#ifndef FIRST
#define FIRST 0
#endif
#define WORDS (4 * SB)
#define MARK 128
#define NONE 255

#define HEAD 1
#define SHORT 2
#define LONG 3

byte write_count = AT, time_base, now = FIRST;
byte kind[WORDS], time[WORDS]; /* what lies at a place; 0: padding. The time is the true one */
bit excused[WORDS];
bit elsewhere[WRITERS];
byte pinned[2], done; /* pinned: by place, the thread that is there and cannot be switched, + 1 */
bit foreign_seen; /* ghost */

#define upper(t) ((t) / T)
#define is_mark(b) ((b) >= MARK)
#ifdef UNKNOWN
#define is_here(w) (!elsewhere[w] && w < WRITERS - 1)
#else
#define is_here(w) (!elsewhere[w])
#endif
#define place(w) (1 - is_here(w))
#ifdef M_SHORT
#define is_short true
#else
#define is_short (!is_mark(base) && upper(base) == upper(t))
#endif

inline put(at, what) { kind[at] = what; time[at] = t }

inline keep_base(b) {
  atomic {
#ifdef M_BASE_READ_LATE
    base = (base == NONE -> NONE : time_base) };
  atomic {
#endif
    if
#ifdef M_BASE_STORED
    :: base != NONE -> time_base = t
#else
    :: time_base == b -> time_base = t
#endif
    :: else
    fi }
}

/* The clock early, then write_count. */
inline read_early() {
  atomic { t = now; away = elsewhere[_pid]; pinned[place(_pid)] = _pid + 1 };
#ifdef M_BASE_THEN_COUNT
  base = time_base;
#endif
  atomic { old = write_count; pinned[place(_pid)] = 0 }
}

/* maxlat_ring_reserve_common; kept: reserved. */
inline common() {
  if
  :: read_early();
     if
     :: old % SB != 0 && old % SB + 1 < SB ->
        atomic {
#ifndef M_BASE_THEN_COUNT
          base = time_base;
#endif
          if
          :: true -> skip
          :: t != now -> t = now; away = elsewhere[_pid]
          fi };
        if
        :: is_short ->
           if
#ifndef M_NO_SECOND_LOOK
           :: !is_here(_pid) -> skip
           :: is_here(_pid) ->
#else
           :: true ->
              away = away && !elsewhere[_pid];
#endif
              atomic {
                if
                :: write_count == old ->
                   put(old, SHORT); excused[old] = away; write_count = old + 1; kept = 1;
                   if
                   :: foreign_seen -> reached(short_after_foreign)
                   :: else
                   fi
                :: else
                fi }
           fi
        :: else
        fi
     :: else
     fi
  fi
}

/* read_time: in `lost`: somebody was faster. */
inline read_time() {
#ifndef M_PLAIN_CLOCK
  atomic { t = now };
#endif
  if
  :: is_here(_pid)
  :: atomic { !is_here(_pid) ->
#ifndef M_NO_MARK
       if
       :: time_base == base -> time_base = MARK + t
       :: else -> lost = 1
       fi;
#endif
#ifdef M_FOREIGN_BASE
       base = MARK + t;
#else
       base = NONE;
#endif
       foreign = 1 }
  fi
}

inline enter() {
  read_time();
  if
  :: !lost ->
     next = (old + SB - 1) / SB * SB;
#ifdef M_BASE_FIRST
     keep_base(base);
#endif
     atomic {
       if
       :: write_count == old ->
          put(next, HEAD); put(next + 1, SHORT); write_count = next + 2; kept = 1;
          foreign_seen = foreign_seen || foreign
       :: else -> lost = 1
       fi };
#ifndef M_BASE_FIRST
     if
     :: kept -> keep_base(base)
     :: else
     fi
#endif
  :: else
  fi
}

/* In the open packet: short, or long and then the base of those that follow. */
inline go_on() {
#ifdef M_BASE_FIRST
  if
  :: !is_short -> keep_base(base)
  :: else
  fi;
#endif
  atomic {
    if
    :: write_count == old ->
       kept = 1;
       foreign_seen = foreign_seen || foreign;
       if
       :: is_short -> put(old, SHORT); write_count = old + 1; base = NONE
       :: else -> put(old, LONG); write_count = old + 2
       fi
    :: else -> lost = 1
    fi };
#ifndef M_BASE_FIRST
  if
  :: kept && base != NONE -> keep_base(base)
  :: else
  fi
#endif
}

/* attempt, until one succeeds. */
inline begin_any() {
  do
  :: !kept ->
     lost = 0; foreign = 0;
#ifdef M_PLAIN_CLOCK
     read_early();
#else
     old = write_count;
#endif
     base = time_base;
     if
     :: old % SB == 0 -> enter()
     :: else ->
        read_time();
        if
        :: lost -> skip
        :: !lost && !is_short && old % SB + 2 > SB ->
           base = (base == NONE -> MARK + t : base);
           enter()
        :: else -> go_on()
        fi
     fi
  :: else -> break
  od
}

active [WRITERS] proctype Writer() provided (pinned[place(_pid)] == 0 || pinned[place(_pid)] == _pid + 1) {
  byte left = (_pid == 0 -> N0 : (_pid == 1 -> N1 : N2)), old, base, t, next;
  bit kept, lost, foreign, away;
  do
  :: atomic { left > 0 && !elsewhere[_pid] -> left-- }; /* the first look */
#ifdef UNKNOWN
     if
     :: _pid < WRITERS - 1 -> common()
     :: else
     fi;
#else
     common();
#endif
     begin_any();
     kept = 0;
     d_step { old = 0; base = 0; t = 0; next = 0; lost = 0; foreign = 0; away = 0 }
  :: atomic { left > 0 && elsewhere[_pid] -> left = 0 }
  :: left == 0 -> break
  od;
  done++
}

active proctype Clock() {
end:
  do
  :: atomic { now < LAST && done < WRITERS -> now++ }
  od
}

active proctype Mover() {
  byte moves = MOVES;
end:
  do
  :: atomic { moves > 0 && pinned[elsewhere[1]] != 2 -> moves--; elsewhere[1] = !elsewhere[1] }
  od
}

/* The reader, when all is there. */
active proctype Reader() {
  byte at = AT, base, latest, seen;
  d_step { done == WRITERS ->
    do
    :: at < write_count ->
       if
       :: kind[at] == HEAD -> base = time[at]; at++
       :: kind[at] == LONG -> base = time[at]
       :: else
       fi;
       if
       :: kind[at] == 0 -> at++
       :: else ->
          seen = base + (time[at] % T + T - base % T) % T;
          must(full_time_is_read, kind[at] == LONG || seen == time[at] || excused[at]);
          must(time_never_goes_back, time[at] >= latest || excused[at]);
          if
          :: time[at] < latest -> reached(excused_step_back)
          :: else -> latest = time[at]
          fi;
          at = at + (kind[at] == LONG -> 2 : 1)
       fi
    :: else -> break
    od }
}
