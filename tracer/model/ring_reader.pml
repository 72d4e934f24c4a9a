/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The reader of ring.pml: tracer/ring/read.c, and all that is asserted of what it reads. */

#ifdef SUCCESSOR
#define in_hand_again unfinished

bit killed;

/* Ghost: packets up to this one are in `seen`; one in a dead reader's hands comes again. */
byte counted;

/* maxlat_ring_reader_start, of the reader that comes after one that was killed. The spare is what no cell names. */
inline reader_start() {
  d_step { r = 0; p = 0; m = 0; k = 0; n = 0; ok = 0 };
#ifdef OVERWRITE
  d_step {
    spare = NSB * (NSB + 1) / 2;
    do
    :: k < NSB -> spare = spare - ref_index[k]; k++
    :: else -> k = 0; break
    od };
  r = read_count;
  atomic {
    unfinished = (ref_taken[place(r % W)] && !ref_writer[place(r % W)] && ref_tag[place(r % W)] == pass(r % W));
    in_hand = (unfinished -> r : 0);
    r = 0 }
#endif
}
#else
#define in_hand_again false
#endif

/* The packet at r, which lies in m: look() of read.c, what its user reads, maxlat_ring_put. */
inline read_packet() {
  if
  :: ok ->
     p = r / SB + 1;
     atomic {
       if
       :: r >= W -> reached(counters_wrapped)
       :: else
       fi;
       must(packet_is_opened, opened[m] == p);
       must(packet_is_closed, closed[m] == p);
#ifdef TIME
       must(time_never_goes_back, begin_time[m] >= time);
       time = begin_time[m];
#endif
       k = HEADER };
     do
     :: atomic { k < content[m] ->
          must(words_are_this_packets, tag[m * SB + k] == p);
          must(no_writer_in_what_is_read, !busy[m * SB + k]);
          n = n + first[m * SB + k];
#ifdef TIME
          must(time_never_goes_back, stamp[m * SB + k] >= time);
          time = stamp[m * SB + k];
#endif
          k++ }
     :: atomic { else ->
          must(no_packet_is_empty, k > HEADER);
          must(packet_stays, closed[m] == p);
#ifdef TIME
          must(time_never_goes_back, end_time[m] >= time);
          time = end_time[m];
#endif
          k = 0 };
        break
     od;
     atomic {
#ifdef SUCCESSOR
       if
       :: p > counted -> counted = p
       :: else -> n = 0
       fi;
#endif
       seen = seen + n; n = 0 };
     atomic { /* put */
       if
       :: read_count % W == r % W -> read_count = read_count + SB
       :: else
       fi;
       r = 0; p = 0; m = 0; ok = 0 }
  :: else
  fi
}

active proctype Reader() {
  byte r, p, m, k, n;
  bit ok;
#ifdef SUCCESSOR
  bit unfinished;
  byte in_hand;
#endif
#ifdef TIME
  byte time;
#endif
#ifdef OVERWRITE
  byte spare = NSB;
#endif
#ifdef SUCCESSOR
again:
  {
#endif
  do
  :: atomic { finalised && !in_hand_again && !filled(read_count % W, commit_seq[place(read_count % W)]) ->
       must(all_is_read, read_count == write_count - (write_count % SB == HEADER -> HEADER : 0)); /* opened ahead */
#ifdef OVERWRITE
       must(books_balance, seen + lost <= tried);
#else
       must(books_balance, seen + lost == tried);
#endif
       break }
#if defined(SUCCESSOR) && defined(OVERWRITE)
  :: atomic { unfinished -> /* maxlat_ring_get: the packet in the dead reader's hands */
       reached(packet_got_again);
#ifdef M_IN_HAND_FORGOTTEN
       r = read_count;
#else
       r = in_hand;
#endif
       unfinished = 0; in_hand = 0; m = spare; ok = 1 };
     read_packet()
#endif
#ifdef FREEZE
  :: atomic { frozen -> frozen = 0 }
#endif
  :: atomic { !in_hand_again -> r = read_count }; /* true; only r % W is used to decide */
progress: /* nothing to take yet is no fault of anybody's */
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
             reached(exchange_lost);
             ok = 0; r = 0; m = 0; k = 0 }
        fi
     :: else
     fi;
#else
     m = place(r % W);
#endif
     read_packet()
  od
#ifdef SUCCESSOR
  } unless { atomic { killed -> killed = 0 }; reader_start(); goto again }
#endif
}

#ifdef SUCCESSOR
/* kill -9, some time; the lock is then the successor's (lock.pml). */
active proctype Killer() { killed = 1 }
#endif

#ifdef FREEZE
/* One request for a snapshot, at any time. A writer that had looked before may enter one packet all the same. */
active proctype Asker() {
  atomic { frozen = 1; kept = (write_count + SB - 1) / SB * SB + SB - BUF }
}
#endif
