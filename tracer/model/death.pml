/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A producer that is killed at any step, between reserving and committing, while it opens a packet or closes one, and
 * the recovery of what it left: which records are given, and which are counted as never finished.
 *
 * WHAT IS FOLLOWED, store by store. Writers: reserve.c (enter, go_on, switch_old, switch_new, close_packet, deliver,
 *   flush, open_ahead), commit.h, record.h (the word of a record is stored last). Recovery, death_recovery.pml: find,
 *   copy, mend, rescue_records, hole and recover of open_packet.c, with the searches as they are.
 * WRITERS. Writer 0 is the thread, writer 1 a handler that runs to its end before writer 0 goes on. Death stops both
 *   where they are. All that was stored before is in memory: x86 keeps the order of stores, and elsewhere a kill goes
 *   through the kernel (record.h). So the order of the program is all that [D1] is about, and memory is sequentially
 *   consistent.
 * WHERE IT BEGINS. The ring has been round: each sub-buffer has the header, and each word the record, of an earlier
 *   pass. In discard mode the reader has taken them, in overwrite mode it has taken none, and writers push it. That is
 *   what many passes leave, in no steps.
 * LEFT OUT. Counters that wrap, the steps of a CAS loop, and of the reader that takes packets while the producer lives:
 *   ring.pml. A reader that died, too: ring.pml with SUCCESSOR. Short times and long records: time_base.pml. The wrap
 *   of the stamp: a word is told from all other packets' here, in record.h from the 255 before.
 * SIZE. A header is one word, a record one or two, a chain that proves a place (CHAIN) two records. 190 thousand states
 *   in discard mode, 950 thousand in overwrite mode.
 *
 * PARAMETERS  OVERWRITE  FLUSH  OPEN_AHEAD  SB (words of a sub-buffer)  N0 N1 (each writer's events)  STAMPS
 *   CLOCK_STANDS  the clock does not move, in the pass before neither: no time tells one pass from another
 * MUTANTS, each must fail, by the assertion that model_cases.py names for it
 *   M_CONTENT_FIRST       content_end stored before end_time ([D1])
 *   M_CONTENT_UNCHECKED   the content_end of another pass is believed
 *   M_SEQUENCE_FIRST      sequence stored before begin_time ([D1])
 *   M_SEQUENCE_UNCHECKED  recovery believes the header of a packet that was never opened
 *   M_WORD_FIRST          a record's word stored before its payload ([D1])
 *   M_NO_STAMP            recovery takes any word that has a length
 *   STAMPS=2              the stamp of a pass is that of the pass before
 *   M_NO_SEARCH           recovery ends at the first hole
 *   M_CHAIN_ONLY          a record alone between two holes goes with them
 *   M_CLAIM_FIRST         the reference is claimed before the reader is pushed away
 *   M_UNCLAIMED_UNCOUNTED a packet that was entered and never claimed has no unfinished record
 *   M_PADDING_UNCOUNTED   a hole at the end of a packet that nobody closed is taken for padding
 *   M_EDGE_COUNTED        a hole that goes on in the next packet counts in both
 *   M_WORDS_COUNTED       a hole counts as so many records as it has words
 *   M_NOT_PUT             who recovers does not put the packet that he got
 */
#include "assertions.pml"

mtype = {
  finished_is_given,       /* each record whose word was stored, in a packet that is not overwritten or taken yet */
  given_once,
  record_is_whole,         /* its payload is there */
  begins_when_entered,     /* begin_time, where recovery believes it: times are counted from there */
  nothing_of_another_pass, /* where it lies is where its writer reserved */
  ring_is_not_called_corrupt,
  unfinished_is_counted,   /* at least one if there is one; no more than there are, and contexts that died closing */
  /* coverage */
  finished_uncounted,      /* finished, its writer dead before the commit */
  padding_counted,         /* who died closing had no record */
  hole_goes_on             /* from a packet that nobody closed to the next */
};

#ifndef SB
#define SB 4
#endif
#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 2
#endif
#ifndef STAMPS
#define STAMPS 64
#endif
#define NSB 2
#define BUF (SB * NSB)
#define HEADER 1
#define START (2 * BUF)
#define FIRST_PACKET (START / SB - NSB) /* the oldest that is left in the ring */
#ifdef OVERWRITE
#define NM (NSB + 1)
#else
#define NM NSB
#endif
#define OLD_EVENTS SB
#define PACKETS (FIRST_PACKET + NSB + N0 + N1)
#define EVENTS (OLD_EVENTS + 1 + N0 + N1)

/* Equations 1 to 3, of true numbers. */
#define start_of(x) ((x) - (x) % SB)
#define place(x) (((x) / SB) % NSB)
#define before(x) (((x) / BUF) * SB)
#define full(w, r) (start_of(w) >= start_of(r) + BUF)
#define filled(x, c) ((c) == before(x) + SB)
#define fully_committed(x, c) ((c) == before(x))
#ifdef OVERWRITE
#define may_enter(x) fully_committed(x, commit_seq[place(x)])
#else
#define may_enter(x) (fully_committed(x, commit_seq[place(x)]) && !full(x, read_count))
#endif
#define stamp_of(packet) ((packet) % STAMPS + 1)

/* The ring. */
byte write_count = START, read_count = START, commit_count[NSB] = (START / NSB), commit_seq[NSB] = (START / NSB);
byte open_packet, open_index; /* the packet's number + 1, or 0 */
byte ref_index[NSB], ref_tag[NSB];
bit ref_writer[NSB];
byte begin_time[NM], end_time[NM], content_end[NM], sequence[NM];
byte cell_stamp[NM * SB], cell_length[NM * SB], cell_time[NM * SB]; /* a stamp of 0: no record's word */
byte cell_event[NM * SB];                                           /* what it belongs to */
byte now;

byte top = 2, next_event = OLD_EVENTS + 1;

/* Ghosts. */
byte position_of[EVENTS];
bit finished[EVENTS], counted[EVENTS], given[EVENTS];
bit flushed[PACKETS];
byte entered_at[PACKETS];

#ifdef CLOCK_STANDS
#define read_clock() t = now
#else
#define read_clock() now++; t = now
#endif

/* claim: pushes the reader, marks the reference; m: the sub-buffer that lies there. */
inline push(x) {
  if
  :: full(x, read_count) -> read_count = start_of(x) + SB - BUF
  :: else
  fi
}
inline mark(x) {
  m = ref_index[place(x)]; ref_tag[place(x)] = (x) / SB; ref_writer[place(x)] = 1
}
inline claim(x) {
#ifdef OVERWRITE
#ifdef M_CLAIM_FIRST
  atomic { mark(x) };
  atomic { push(x) }
#else
  atomic { push(x) };
  atomic { mark(x) }
#endif
#else
  m = place(x)
#endif
}

/* sub_buffer_of, then keep_open_packet where the packet goes on. */
inline find_place(x) {
  if
  :: atomic { open_packet == (x) / SB + 1 -> m = open_index }
  :: else -> claim(x)
  fi
}
inline keep_open(x) { atomic { open_packet = (x) / SB + 1; open_index = m } }

inline close_packet(x) {
#ifdef M_CONTENT_FIRST
  content_end[m] = x;
  end_time[m] = t;
#else
  end_time[m] = t;
  content_end[m] = x;
#endif
}

inline deliver(x) {
#ifdef OVERWRITE
  ref_writer[place(x)] = 0;
#endif
  commit_seq[place(x)] = c
}

inline commit(x, n) {
  atomic {
    commit_count[place(x)] = commit_count[place(x)] + n;
    counted[id] = (id != 0);
    c = commit_count[place(x)];
    c = (filled(x, c) -> c : 0) };
  if
  :: c > 0 -> deliver(x); c = 0
  :: else
  fi
}

/* The packet that `o` stands in is left. */
inline switch_old() {
  find_place(o);
  close_packet(o);
  atomic { kept = id; id = 0 };
  commit(o, SB - o % SB);
  atomic { id = kept; kept = 0 }
}

inline switch_new() {
  claim(s);
  keep_open(s);
#ifdef M_SEQUENCE_FIRST
  sequence[m] = s / SB;
  begin_time[m] = t
#else
  begin_time[m] = t;
  sequence[m] = s / SB
#endif
}

inline event() {
  again = 1;
  do
  :: again ->
     atomic {
       o = write_count;
       leave = (o % SB != 0 && o % SB + size > SB);
       enter = (o % SB == 0 || leave);
       s = (leave -> start_of(o) + SB : o);
       b = (enter -> s + HEADER : s) };
     if
     :: atomic { enter && !may_enter(s) -> size = 0; break }
     :: else
     fi;
     atomic { read_clock() };
     atomic {
       if
       :: write_count == o ->
          write_count = b + size;
          id = next_event; next_event++; position_of[id] = b;
          entered_at[s / SB] = (enter -> t : entered_at[s / SB]);
          again = 0
       :: else
       fi }
  :: else -> break
  od;
  if
  :: size > 0 ->
     if
     :: leave -> switch_old()
     :: else
     fi;
     if
     :: enter -> switch_new()
     :: else -> find_place(b); keep_open(b)
     fi;
     if
     :: (b + size) % SB == 0 -> close_packet(b + size)
     :: else
     fi;
     b = m * SB + b % SB; /* where it lies */
     s = position_of[id];
#ifdef M_WORD_FIRST
     store_word();
#endif
     if
     :: size == 2 -> atomic { cell_stamp[b + 1] = 0; cell_event[b + 1] = id }
     :: else
     fi;
#ifndef M_WORD_FIRST
     store_word();
#endif
     commit(s, size + (enter -> HEADER : 0))
  :: else
  fi;
  d_step { o = 0; s = 0; b = 0; size = 0; leave = 0; enter = 0; again = 0; c = 0; m = 0; t = 0; id = 0 }
}

inline store_word() {
  atomic {
    cell_stamp[b] = stamp_of(s / SB); cell_length[b] = size; cell_time[b] = t; cell_event[b] = id;
    finished[id] = 1 }
}

/* maxlat_ring_flush, one attempt. */
inline flush() {
  o = write_count;
  if
  :: o % SB > HEADER ->
     atomic { read_clock() };
     atomic {
       if
       :: write_count == o -> write_count = start_of(o) + SB; flushed[o / SB] = 1; again = 1
       :: else
       fi };
     if
     :: again -> switch_old()
     :: else
     fi
  :: else
  fi;
  d_step { o = 0; again = 0; c = 0; m = 0; t = 0 }
}

/* maxlat_ring_open_ahead, one attempt. */
inline open_ahead() {
  s = write_count;
  if
  :: s % SB == 0 && may_enter(s) ->
     atomic { read_clock() };
     atomic {
       if
       :: write_count == s -> write_count = s + HEADER; entered_at[s / SB] = t; again = 1
       :: else
       fi };
     if
     :: again -> switch_new(); commit(s, HEADER)
     :: else
     fi
  :: else
  fi;
  d_step { s = 0; again = 0; c = 0; m = 0; t = 0 }
}

active [2] proctype Writer() provided (_pid >= top) {
  byte left = (_pid == 0 -> N0 : N1), outer, o, s, b, size, t, c, m, id, kept;
  bit leave, enter, again;
  do
  :: atomic { left > 0 -> left--; outer = top; top = _pid };
     if
     :: size = 1; event()
     :: size = 2; event()
#ifdef FLUSH
     :: flush()
#endif
#ifdef OPEN_AHEAD
     :: open_ahead()
#endif
     fi;
     atomic { top = outer; outer = 0 }
  :: left == 0 -> break
  od
}

#include "death_recovery.pml"

/* What an earlier pass left in sub-buffer `i`: a packet of `words`, one record a word, the first of them `e`. */
inline leave_behind(number, words) {
  sequence[i] = number;
  content_end[i] = (number) * SB + words;
  begin_time[i] = now + 1;
  k = HEADER;
  do
  :: k < SB ->
     now++;
     cell_stamp[i * SB + k] = (k < words -> stamp_of(number) : stamp_of((number) - NSB));
     cell_length[i * SB + k] = 1;
     cell_time[i * SB + k] = now;
     if
     :: k < words ->
        cell_event[i * SB + k] = e; position_of[e] = (number) * SB + k; finished[e] = 1; counted[e] = 1;
#ifndef OVERWRITE
        given[e] = 1;
#endif
        e++
     :: else
     fi;
     k++
  :: else -> break
  od;
  end_time[i] = now;
#ifdef CLOCK_STANDS
  begin_time[i] = SB;
  end_time[i] = SB
#endif
}

init {
  d_step {
    byte i, k, e = 1;
    leave_behind(FIRST_PACKET, HEADER + 1);
    ref_index[0] = 0; ref_tag[0] = FIRST_PACKET;
    i = 1;
    leave_behind(FIRST_PACKET + 1, SB);
    ref_index[1] = 1; ref_tag[1] = FIRST_PACKET + 1;
#ifdef OVERWRITE
    i = 2; /* the reader's spare */
    k = e;
    leave_behind(FIRST_PACKET - 1, HEADER);
    read_count = START - BUF;
#endif
#ifdef CLOCK_STANDS
    now = SB;
#endif
    i = 0; k = 0; e = 0
  };
  atomic { run Reader(); run Recovery(); top = 0 }
}
