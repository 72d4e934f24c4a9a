/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The reader of ring.pml: tracer/ring/read.c, and all that is asserted of what it reads. */

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
       must(all_is_read, read_count == write_count - (write_count % SB == HEADER -> HEADER : 0)); /* opened ahead */
#ifdef OVERWRITE
       must(books_balance, seen + lost <= tried);
#else
       must(books_balance, seen + lost == tried);
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
             reached(exchange_lost);
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
             seen = seen + first[m * SB + k];
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
