/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring of tracer/ring/ as a model: nested writers, flush, and a reader, interleaved at every access to a shared word.
 * Sequentially consistent memory; what weaker memory adds is in promotion.pml.
 *
 * WHAT IS FOLLOWED
 *   Content, not only collisions: every word of memory carries the number of the packet it was written for (`tag`), and the reader
 *   asserts it for each word it reads. A collision flag per word asserts besides that no two writers are in one slot.
 *   Headers (opened, closed, content length), padding, flush, lost counts and, with -DTIME, time stamps. open_packet, the word
 *   that tells the common path where the packet lies: pass and place wrapped, as the width of the counters leaves them.
 *   At the end the books: events tried = events read + lost (discard), or <= with the rest overwritten.
 *
 * WIDTHS. write_count, read_count and the commit counts live in the model as true numbers and are only ever looked at modulo
 *   W (CAS included), so a wrapped counter can deceive the algorithm but not the assertions. Run at two widths or more: a fault
 *   that recedes as W grows is the wrap's, one that stays is the algorithm's.
 *
 * PROCESSES. Writer 0 is the thread, writer 1 interrupts it, writer 2 interrupts both; each event of an interrupt runs to its
 *   end before the interrupted one goes on (`top`). With -DPARALLEL they are threads on several CPUs instead. The reader is a
 *   process of its own and never ends before the last packet.
 *
 * PARAMETERS  W  START (first position, a multiple of BUF; W - BUF begins just before the wrap)  SB (words of a sub-buffer)
 *   NSB (sub-buffers)  OVERWRITE  FLUSH  OPEN_AHEAD  PARALLEL  TIME  LEVELS  N0 N1 N2 (events of each writer)
 * MUTANTS, each must fail; the names are the ones run_models.py uses
 *   M_PRINTED_DELIVERY  Algorithm 3, line 3 as printed (equation 3 of the slot)
 *   M_ADD_THEN_LOOK     delivery decided by a second look at the commit count, not by what the add returned
 *   M_LATE_CLEAR        reference flag cleared after commit_seq is published
 *   M_NO_TAG            exchange compares flag and index, not the packet
 *   M_NO_EQUATION_3     a sub-buffer is entered without asking whether its last pass is committed
 *   M_K42               packets are counted as produced when a reservation leaves them (buffersProduced); the reader takes one
 *                       when it was produced and its commit count is a multiple of the size
 *   M_TIME_OUTSIDE      time stamp read after the CAS
 *   M_NO_FLAG           writers do not mark the reference (flag and tag) when they begin to use a sub-buffer, only when they deliver
 *   M_NO_OLD_CLAIM      a packet is closed without claiming its reference first (its opener may have been interrupted)
 *   M_OPEN_UNCHECKED    the common path takes the sub-buffer that open_packet names without asking for which packet
 *   M_FLUSH_EMPTY       flush closes a packet that was opened ahead and has no record
 *   M_OPEN_BLIND        a packet is opened ahead without asking whether its sub-buffer is free
 *   M_OPENING_FLUSH     flush opens the next packet (Algorithm 4 as printed): the trace ends with an empty packet that is never filled
 *   SB=3                a size that is no power of two
 *
 * COVERAGE, each must fail, or the runs above did not go where they should
 *   COVER_LOST_WRAP     an event is dropped because the ring came round to a packet still being written (equation 3)
 *   COVER_PUSHED        a writer pushes the reader
 *   COVER_EXCHANGE      an exchange fails because a writer was faster
 *   COVER_WRAPPED       a packet is read whose number is beyond the width of the counters
 */
#ifndef W
#define W 16
#endif
#ifndef SB
#define SB 4
#endif
#ifndef NSB
#define NSB 2
#endif
#ifndef LEVELS
#define LEVELS 2
#endif
#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 4
#endif
#ifndef N2
#define N2 1
#endif

#ifndef START
#define START 0
#endif

#define BUF (SB * NSB)
#define CM (W / NSB) /* what a commit count and a shifted position have in common */
#define HEADER 1
#ifdef OVERWRITE
#define NM (NSB + 1)
#else
#define NM NSB
#endif

/* Equations 1 to 4, as in ring/equations.h. Arguments are wrapped. */
#define start_of(x) ((x) - (x) % SB)
#define place(x) (((x) / SB) % NSB)
#define pass(x) ((x) / BUF)
#define before(x) ((((x) / BUF) * SB) % CM)
#define full(w, r) ((start_of(w) + W - start_of(r)) % W >= BUF)
#define filled(x, c) ((before(x) + SB) % CM == (c) % CM)
#define fully_committed(x, c) (before(x) == (c) % CM)
#ifdef M_PRINTED_DELIVERY
#define delivers(x, c) fully_committed(x, c)
#else
#define delivers(x, c) filled(x, c)
#endif

/* The shared memory of the ring; true numbers, see WIDTHS. */
byte write_count = START, read_count = START, lost;
byte commit_count[NSB] = (START / NSB), commit_seq[NSB] = (START / NSB);
#ifdef M_K42
byte produced = (START / SB);
#endif
#ifdef OVERWRITE
#if NSB == 2
byte ref_index[NSB] = {0, 1};
#else
byte ref_index[NSB] = {0, 1, 2, 3};
#endif
byte ref_tag[NSB] = ((START + W - BUF) % W / BUF); /* pass of the place, wrapped; with the place the packet number. First: the pass before */
bit ref_writer[NSB];
bit ref_taken[NSB];
byte open_start = ((START + W - SB) % W), open_index; /* none */
#endif
byte tag[NM * SB]; /* payload: true number of the packet + 1 */
bit first[NM * SB]; /* a record begins here */
byte opened[NM], closed[NM], content[NM]; /* packet header */
#ifdef TIME
byte stamp[NM * SB], begin_time[NM], end_time[NM];
byte now;
#endif

/* Ghosts: what the assertions know. */
bit busy[NM * SB];
byte tried, seen, done;
byte top;
bit finalised;

#ifdef TIME
#define read_clock() now++; t = now
#else
#define read_clock() skip
#endif

#ifdef OVERWRITE
#define forget_held() held = 0
#ifdef M_OPEN_UNCHECKED
#define is_open(x) true
#else
#define is_open(x) (open_start == start_of(x))
#endif
#define claimed(x) (ref_writer[place(x)] == 1 && ref_tag[place(x)] == pass(x))
#define ref_word(x) (64 * ref_writer[place(x)] + 128 * ref_taken[place(x)] + ref_tag[place(x)])
#else
#define forget_held() skip
#endif

#ifdef M_NO_TAG
#define tag_fits(x) true
#else
#define tag_fits(x) (ref_tag[place(x)] == pass(x))
#endif

/* maxlat_ring_claim: push the reader, mark the reference, and keep in m which memory that is. x is wrapped. */
inline claim(x) {
#ifdef OVERWRITE
  if
  :: atomic { claimed(x) -> m = ref_index[place(x)] }
  :: atomic { else -> v = read_count % W };
     do
     :: atomic { full(x, v) ->
#ifdef COVER_PUSHED
          assert(false);
#endif
          if
          :: read_count % W == v -> read_count = read_count + (start_of(x) + SB + W - BUF + W - v) % W; v = 0; break
          :: else -> v = read_count % W
          fi }
     :: atomic { else -> v = 0; break }
     od;
#ifdef M_NO_FLAG
     m = ref_index[place(x)]
#else
     do
     :: atomic { claimed(x) -> m = ref_index[place(x)]; break }
     :: atomic { else -> v = ref_word(x); m = ref_index[place(x)] };
        atomic {
          if
          :: v == ref_word(x) && m == ref_index[place(x)] ->
             ref_writer[place(x)] = 1; ref_taken[place(x)] = 0; ref_tag[place(x)] = pass(x); v = 0; break
          :: else -> v = 0
          fi }
     od
#endif
  fi
#else
  m = place(x)
#endif
}

/* Lets go of the reference: a load and a plain store. */
inline release(x) {
  atomic { m = ref_index[place(x)]; v = ref_tag[place(x)] };
#ifdef M_NO_FLAG
  v = pass(x); /* nobody marked the word before */
#endif
  atomic { ref_index[place(x)] = m; ref_tag[place(x)] = v; ref_writer[place(x)] = 0; ref_taken[place(x)] = 0; v = 0 }
}

/* maxlat_ring_deliver. x is wrapped, c the true commit count that filled the packet. */
inline deliver(x, c) {
#ifdef OVERWRITE
#ifdef M_LATE_CLEAR
  commit_seq[place(x)] = c;
  release(x)
#else
  release(x);
  commit_seq[place(x)] = c
#endif
#else
  commit_seq[place(x)] = c
#endif
}

/* maxlat_ring_commit_bytes: the add and the delivery test on what it returned. */
inline commit(x, n) {
#ifdef M_ADD_THEN_LOOK
  commit_count[place(x)] = commit_count[place(x)] + n;
  atomic {
#else
  atomic {
    commit_count[place(x)] = commit_count[place(x)] + n;
#endif
    c = commit_count[place(x)];
    c = (delivers(x, c) -> c : 0)
  };
  if
  :: c > 0 -> deliver(x, c); c = 0
  :: else
  fi
}

/* SwitchOldSubbuf; o is the wrapped old write_count, P the true number of its packet. */
inline switch_old(o, P) {
#ifdef M_NO_OLD_CLAIM
  m = ref_index[place(o)];
#else
  claim(o);
#endif
  atomic {
    closed[m] = P + 1; content[m] = (o) % SB;
#ifdef TIME
    end_time[m] = t
#endif
  };
  commit(o, SB - (o) % SB)
}

/* Keeps what claim found, for the common path of others. */
inline store_open(x) {
#ifdef OVERWRITE
  atomic { open_start = start_of(x); open_index = m }
#else
  skip
#endif
}

/* SwitchNewSubbuf. The header is committed with the record. */
inline switch_new(b, P) {
  claim(b);
  store_open(b);
  atomic {
    opened[m] = P + 1;
#ifdef TIME
    begin_time[m] = t
#endif
  }
}

/* One event of `size` words: reserve, write, commit. */
inline event() {
  atomic { tried++; again = 1 };
  do
  :: atomic { again -> /* the attempt */
       o = write_count % W;
       leave = (o % SB != 0 && o % SB + size > SB);
       enter = (o % SB == 0 || leave);
       s = (leave -> (start_of(o) + SB) % W : o);
       b = (enter -> (s + HEADER) % W : o) };
#ifndef M_NO_EQUATION_3
     if
     :: atomic { enter && !fully_committed(s, commit_seq[place(s)]) ->
#ifdef COVER_LOST_WRAP
          assert(false);
#endif
          lost++; size = 0; break }
     :: else
     fi;
#endif
#ifndef OVERWRITE
     if
     :: atomic { enter && full(s, read_count % W) -> lost++; size = 0; break }
     :: else
     fi;
#endif
#ifdef OVERWRITE
     /* The common path looks at open_packet before the CAS (maxlat_ring_reserve_common). */
     atomic { held = !enter && is_open(b); m = (held -> open_index : 0) };
#endif
#if defined(TIME) && !defined(M_TIME_OUTSIDE)
     atomic { read_clock() };
#endif
     atomic {
       if
       :: write_count % W == o -> /* CAS */
          P = write_count / SB;
          write_count = write_count + (b + size + W - o) % W;
          again = 0
#ifdef M_K42
          ; produced = produced + (write_count / SB - P)
#endif
       :: else
       fi }
  :: else -> break
  od;
  if
  :: size > 0 ->
#ifdef M_TIME_OUTSIDE
     atomic { read_clock() };
#endif
     if
     :: leave -> switch_old(o, P); P++
     :: else
     fi;
     if
     :: enter -> switch_new(b, P)
     :: else
     fi;
#ifdef OVERWRITE
     if
     :: held || enter
     :: else -> claim(b); store_open(b)
     fi;
#else
     claim(b);
#endif
     if
     :: atomic { (b + size) % SB == 0 -> /* EndSwitchCurrent */
          closed[m] = P + 1; content[m] = SB;
#ifdef TIME
          end_time[m] = t
#endif
        }
     :: else
     fi;
     u = 0;
     do
     :: atomic { u < size ->
          assert(!busy[m * SB + (b + u) % SB]);
          busy[m * SB + (b + u) % SB] = 1;
          first[m * SB + (b + u) % SB] = (u == 0);
          tag[m * SB + (b + u) % SB] = P + 1;
#ifdef TIME
          stamp[m * SB + (b + u) % SB] = t;
#endif
          u++ }
     :: atomic { else ->
          u = 0;
          do
          :: u < size -> busy[m * SB + (b + u) % SB] = 0; u++
          :: else -> u = 0; break
          od };
        break
     od;
     commit(b, size + (enter -> HEADER : 0))
  :: else
  fi;
  d_step {
    forget_held();
    o = 0; s = 0; b = 0; P = 0; size = 0; leave = 0; enter = 0; again = 0; u = 0; v = 0; c = 0; m = 0;
#ifdef TIME
    t = 0
#endif
  }
}

/* maxlat_ring_open_ahead: one attempt. The header is committed alone. */
inline open_ahead() {
  o = write_count % W;
  if
  :: o % SB == 0 ->
     again = 1;
#ifndef M_OPEN_BLIND
     if
     :: atomic { !fully_committed(o, commit_seq[place(o)]) -> again = 0 }
     :: else
     fi;
#ifndef OVERWRITE
     if
     :: atomic { full(o, read_count % W) -> again = 0 }
     :: else
     fi;
#endif
#endif
#ifdef TIME
     atomic { read_clock() };
#endif
     atomic {
       if
       :: again && write_count % W == o ->
          P = write_count / SB;
          write_count = write_count + HEADER
#ifdef M_K42
          ; produced = produced + (write_count / SB - P)
#endif
       :: else -> again = 0
       fi };
     if
     :: again ->
        b = (o + HEADER) % W;
        switch_new(b, P);
        commit(b, HEADER)
     :: else
     fi
  :: else
  fi;
  d_step {
    o = 0; b = 0; P = 0; again = 0; v = 0; c = 0; m = 0;
#ifdef TIME
    t = 0
#endif
  }
}

/* Where a flush finds nothing to close: no packet, or none with a record. */
#ifdef M_FLUSH_EMPTY
#define nothing_open(x) ((x) % SB == 0)
#else
#define nothing_open(x) ((x) % SB <= HEADER)
#endif

/* maxlat_ring_flush: one attempt. */
inline flush() {
  o = write_count % W;
  if
  :: !nothing_open(o) ->
#ifdef TIME
     atomic { read_clock() };
#endif
     atomic {
       if
       :: write_count % W == o ->
          P = write_count / SB;
          write_count = write_count + SB - o % SB;
          again = 1
#ifdef M_K42
          ; produced++
#endif
#ifdef M_OPENING_FLUSH
          ; write_count = write_count + HEADER
#endif
       :: else
       fi };
     if
     :: again ->
        switch_old(o, P);
#ifdef M_OPENING_FLUSH
        b = (start_of(o) + SB) % W;
        P++;
        switch_new(b, P);
        commit(b, HEADER);
#endif
     :: else
     fi
  :: else
  fi;
  d_step {
    o = 0; s = 0; b = 0; P = 0; again = 0; u = 0; v = 0; c = 0; m = 0;
#ifdef TIME
    t = 0
#endif
  }
}

#ifdef PARALLEL
active [LEVELS] proctype Writer() {
#else
active [LEVELS] proctype Writer() provided (_pid >= top) {
#endif
  byte left, outer, o, s, b, P, size, u, v, c, m;
  bit leave, enter, again;
#ifdef OVERWRITE
  bit held;
#endif
#ifdef TIME
  byte t;
#endif
  left = (_pid == 0 -> N0 : (_pid == 1 -> N1 : N2));
  do
  :: atomic { left > 0 -> left--;
#ifndef PARALLEL
       outer = top; top = _pid;
#endif
     }
     if
     :: size = 1; event()
#if SB > 2
     :: size = 2; event()
#endif
#ifdef FLUSH
     :: flush()
#endif
#ifdef OPEN_AHEAD
     :: open_ahead()
#endif
     fi;
#ifndef PARALLEL
     atomic { top = outer; outer = 0 }
#endif
  :: left == 0 -> break
  od;
  atomic { done++ };
  if
  :: _pid == 0 -> done == LEVELS; flush(); finalised = 1
  :: else
  fi
}

active proctype Reader() {
  byte r, p, m, k, last;
  bit ok;
#ifdef TIME
  byte time;
#endif
#ifdef OVERWRITE
  byte spare = NSB;
#endif
  do
  :: atomic { finalised && !filled(read_count % W, commit_seq[place(read_count % W)]) ->
       assert(read_count == write_count - (write_count % SB == HEADER -> HEADER : 0)); /* opened ahead */
#ifdef OVERWRITE
       assert(seen + lost <= tried);
#else
       assert(seen + lost == tried);
#endif
       break }
  :: r = read_count; /* true; only r % W is used to decide */
     ok = 0;
     if
#ifdef M_K42
     :: atomic { r / SB < produced && commit_count[place(r % W)] % SB == 0 && r / SB != produced -> ok = 1 }
#else
     :: atomic { filled(r % W, commit_seq[place(r % W)]) -> ok = 1 }
#endif
     :: atomic { else -> r = 0 }
     fi;
#ifdef OVERWRITE
     if
     :: ok ->
        if
        :: atomic { ref_writer[place(r % W)] == 0 && ref_taken[place(r % W)] == 0 && tag_fits(r % W) ->
             m = ref_index[place(r % W)]; k = ref_tag[place(r % W)] }
        :: atomic { else -> ok = 0; r = 0 }
        fi
     :: else
     fi;
     if
     :: ok ->
        if
        :: atomic {
             ref_writer[place(r % W)] == 0 && ref_taken[place(r % W)] == 0 && ref_index[place(r % W)] == m &&
               ref_tag[place(r % W)] == k ->
             ref_index[place(r % W)] = spare; ref_taken[place(r % W)] = 1; spare = m; k = 0 }
        :: atomic { else ->
#ifdef COVER_EXCHANGE
             assert(false);
#endif
             ok = 0; r = 0; m = 0; k = 0 }
        fi
     :: else
     fi;
#else
     m = place(r % W);
#endif
     if
     :: ok ->
        p = r / SB + 1;
        atomic {
#ifdef COVER_WRAPPED
          assert(r < W);
#endif
          assert(opened[m] == p);
          assert(closed[m] == p);
#ifdef TIME
          assert(begin_time[m] >= time);
          time = begin_time[m];
#endif
          k = HEADER };
        do
        :: atomic { k < content[m] ->
             assert(tag[m * SB + k] == p);
             assert(!busy[m * SB + k]);
             seen = seen + first[m * SB + k];
#ifdef TIME
             assert(stamp[m * SB + k] >= time);
             time = stamp[m * SB + k];
#endif
             k++ }
        :: atomic { else ->
             assert(k > HEADER);
             assert(closed[m] == p);
#ifdef TIME
             assert(end_time[m] >= time);
             time = end_time[m];
#endif
             k = 0 };
           break
        od;
        atomic { /* put */
          if
          :: read_count % W == r % W -> read_count = read_count + SB
          :: else
          fi;
          r = 0; p = 0; m = 0; ok = 0 }
     :: else
     fi
  od
}
