/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The writers of ring.pml: tracer/ring/reserve.c, commit.h and switch.h, access by access. */

inline stays_kept() {
#ifdef FREEZE
  must(kept_for_snapshot, !frozen || read_count <= kept)
#else
  skip
#endif
}

/* maxlat_ring_claim: push the reader, mark the reference, and keep in m which memory that is. x is wrapped. */
inline claim(x) {
#ifdef OVERWRITE
  if
  :: atomic { claimed(x) -> m = ref_index[place(x)] }
  :: atomic { else -> v = read_count % W };
     do
     :: atomic { full(x, v) ->
          reached(reader_pushed);
          if
          :: read_count % W == v -> read_count = read_count + (start_of(x) + SB + W - BUF + W - v) % W; v = 0;
             stays_kept(); break
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

inline publish(x, c) { atomic { must(published_once, c > commit_seq[place(x)]); commit_seq[place(x)] = c } }

/* maxlat_ring_deliver. x is wrapped, c the true commit count that filled the packet. */
inline deliver(x, c) {
#ifdef OVERWRITE
#ifdef M_LATE_CLEAR
  publish(x, c);
  release(x)
#else
  release(x);
  publish(x, c)
#endif
#else
  publish(x, c)
#endif
}

/* maxlat_ring_commit_bytes: the add and the delivery test on what it returned. */
inline commit(x, n) {
#if defined(M_ADD_THEN_LOOK)
  commit_count[place(x)] = commit_count[place(x)] + n;
  atomic {
#elif defined(M_UNLOCKED)
  v = commit_count[place(x)];
  atomic {
    commit_count[place(x)] = v + n;
    v = 0;
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

/* Behind a CAS of write_count: what is reserved is no more than the ring holds beyond the reader. Who overwrites pushes
   the reader only then. */
inline room_was_there() {
#ifdef OVERWRITE
  skip
#else
  must(room_is_kept, write_count <= read_count + BUF)
#endif
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
#if !defined(OVERWRITE) && !defined(M_NO_EQUATION_1)
     if
     :: atomic { enter && full(s, read_count % W) -> lost++; size = 0; break }
     :: else
     fi;
#endif
#if defined(FREEZE) && !defined(M_NO_FREEZE)
     if
     :: atomic { enter && frozen && full(s, read_count % W) ->
          reached(event_lost_to_freeze);
          lost++; size = 0; break }
     :: else
     fi;
#endif
#ifdef M_WAITS
     do
     :: enter && !fully_committed(s, commit_seq[place(s)]) -> skip
     :: else -> break
     od;
#endif
#ifndef M_NO_EQUATION_3
     if
     :: atomic { enter && !fully_committed(s, commit_seq[place(s)]) ->
          reached(event_lost_to_wrap);
          lost++; size = 0; break }
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
          again = 0;
          room_was_there()
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
          must(one_writer_in_a_slot, !busy[m * SB + (b + u) % SB]);
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
#ifdef FREEZE
     if
     :: atomic { frozen && full(o, read_count % W) -> again = 0 }
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
          write_count = write_count + HEADER;
          room_was_there()
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
