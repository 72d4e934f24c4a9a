/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A copy of the open packet, taken while its writers go on (ring/open_packet.c), on memory that reorders: [O1], the
 * commit count before write_count, and [O2], the look at the reference behind the copy.
 *
 * WHAT IS FOLLOWED. Writer: a thread that opens a packet and writes two records, a handler that writes one of one or
 *   two words at any point between, then the next pass of the place: each store of reserve.c, record.h and commit.h to
 *   the words that the copy goes by. Reader: find() and copy(), load by load, once.
 * MEMORY. The writer does not depend on the reader: stores.pml. The reader's loads run in any order, too, but nothing
 *   behind an acquire load runs before it.
 * LEFT OUT. What is in a record (death.pml) and how the copy is walked. Several writers of a ring per CPU: each commit
 *   is acquire-release there, so who sees a commit sees all reservations before it. Whether the packet may be entered
 *   again: ring.pml.
 * SIZE. 120 thousand states.
 *
 * PARAMETERS  OVERWRITE  TSO
 *   PROMOTED  writers have compiler barriers only, and the reader makes them execute a barrier between its loads of the
 *             commit count and of write_count (row two of promote.h)
 * MUTANTS
 *   M_PROMOTED_LATE   with PROMOTED: the barrier is executed behind both loads
 *   M_LOADS_SWAPPED   write_count is loaded before the commit count
 *   M_RELAXED_COMMIT  the commit count is loaded without acquire ([O1])
 *   M_NO_FENCE        no fence between the claim and the stores behind it ([O2]); with TSO it passes
 *   M_REFERENCE_ONCE  the reference is not looked at again
 *   M_RELAXED_COPY    the copy's loads are no acquire loads, so the second look may come before them ([O2])
 *   M_RELAXED_COMMITS the add to the commit count releases nothing ([W1])
 */
#include "assertions.pml"

mtype = {
  copied_is_committed,  /* each word of a copy that was found good is a record of this packet, or of a later pass */
  copied_is_this_pass,  /* and of no later pass */
  header_is_this_packets,
  /* coverage */
  copied_all, copied_a_part
};

#define HEADER 1
#define RECORDS 4
#define NEXT_PACKET 10

/* Words of memory. The first three: offsets, and packets: 0 the pass before, 1 the packet, 2 the pass after. */
#define WRITE 0
#define COMMIT 1
#define REFERENCE 2
#define SEQUENCE 3
#define DATA 4
#define WORDS (DATA + RECORDS)
#define STORES 20
#include "stores.pml"

#ifdef PROMOTED
#define RELEASE 0
#else
#define RELEASE 1
#endif
#ifdef M_RELAXED_COMMITS
#define RELEASE_COMMIT PLAIN
#else
#define RELEASE_COMMIT RELEASE
#endif

inline claim(packet) {
#ifdef OVERWRITE
  if
  :: reference != packet ->
     reference = packet;
     store(REFERENCE, packet, RELEASE);
#ifndef M_NO_FENCE
     fence = stores
#endif
  :: else
  fi
#else
  skip
#endif
}

/* A record of `size` words at `at`, and the header with it if it opened the packet. */
inline fill(at, size) {
  store(DATA + (at) - HEADER, 1, RELEASE);
  if
  :: size == 2 -> store(DATA + (at) + 1 - HEADER, 1, RELEASE)
  :: else
  fi;
  commit = commit + size + ((at) == HEADER -> HEADER : 0);
  store(COMMIT, commit, RELEASE_COMMIT)
}

inline may_be_interrupted() {
  if
  :: write != 0 && !handled ->
     handled = 1;
     if
     :: its_size = 1
     :: its_size = 2
     fi;
     its_place = write;
     write = write + its_size;
     store(WRITE, write, RELEASE);
     claim(1);
     fill(its_place, its_size)
  :: true
  fi
}

/* The whole of what the writer does, worked out first: it asks nobody. */
active proctype Writer() {
  byte write, commit, reference, its_size, its_place, place;
  bit handled;
  atomic {
    write = HEADER + 1;
    store(WRITE, write, RELEASE);
    may_be_interrupted();
    claim(1);
    may_be_interrupted();
    store(SEQUENCE, 1, RELEASE);
    may_be_interrupted();
    fill(HEADER, 1);
    may_be_interrupted();
    place = write;
    write++;
    store(WRITE, write, RELEASE);
    may_be_interrupted();
    fill(place, 1);
    may_be_interrupted();
    store(WRITE, NEXT_PACKET, RELEASE);
#ifdef OVERWRITE
    claim(2);
    store(DATA, 2, PLAIN); /* payload */
#endif
    write = 0; commit = 0; reference = 0; its_size = 0; its_place = 0; place = 0; handled = 0;
    run Memory(); run Reader() }
}

/* What runs before what: `after`: a bit set. All but W and R2 are acquire loads. */
#define L_C 1
#define L_W 2
#define L_R1 4
#define L_D 8 /* the header first, then the records: five loads */
#define L_R2 16
#define L_P 32

#ifdef M_RELAXED_COMMIT
#define after_c 0
#else
#define after_c L_C
#endif
#ifdef M_RELAXED_COPY
#define after_copy (after_c | L_R1)
#else
#define after_copy (after_c | L_R1 | L_D)
#endif
#ifdef M_LOADS_SWAPPED
#define c_may_run (ran & L_W)
#define w_may_run true
#else
#define c_may_run true
#define w_may_run ((ran & after_c) == after_c)
#endif
#ifdef M_PROMOTED_LATE
#define promote_may_run ((ran & (L_C | L_W | L_R1)) == (L_C | L_W | L_R1) && copied == 0)
#define copy_may_run (ran & L_P)
#elif defined(PROMOTED)
#define promote_may_run ((ran & L_C) && !(ran & (L_W | L_R1)) && copied == 0)
#define copy_may_run (ran & L_P && ran & L_R1)
#undef w_may_run
#define w_may_run (ran & L_P)
#define r1_may_run (ran & L_P)
#else
#define copy_may_run ((ran & (after_c | L_R1)) == (after_c | L_R1))
#endif
#ifndef r1_may_run
#define r1_may_run ((ran & after_c) == after_c)
#endif

proctype Reader() {
  byte ran, c, w, r1, r2, sequence, data[RECORDS], copied, i, j;
  do
  :: atomic { !(ran & L_C) && c_may_run -> c = memory[COMMIT]; ran = ran | L_C }
  :: atomic { !(ran & L_W) && w_may_run -> w = memory[WRITE]; ran = ran | L_W }
#ifdef OVERWRITE
  :: atomic { !(ran & L_R1) && r1_may_run -> r1 = memory[REFERENCE]; ran = ran | L_R1 }
#ifndef M_REFERENCE_ONCE
  :: atomic { !(ran & L_R2) && (ran & after_copy) == after_copy -> r2 = memory[REFERENCE]; ran = ran | L_R2 }
#else
  :: atomic { !(ran & L_R2) && (ran & L_R1) -> r2 = r1; ran = ran | L_R2 }
#endif
#else
  :: atomic { !(ran & L_R1) && r1_may_run -> r1 = 1; r2 = 1; ran = ran | L_R1 | L_R2 }
#endif
#ifdef PROMOTED
  :: atomic { !(ran & L_P) && promote_may_run -> /* all stores up to one that is behind all that went in */
       j = 0; i = 0;
       do
       :: i < stores -> j = (is_in[i] -> i + 1 : j); i++
       :: else -> break
       od;
       do
       :: j < stores -> j++
       :: break
       od;
       i = 0;
       do
       :: i < j -> put_in(); i++
       :: else -> break
       od;
       skip_what_is_in();
       i = 0; j = 0; ran = ran | L_P }
#endif
  :: atomic { !(ran & L_D) && copy_may_run ->
       if
       :: copied == 0 -> sequence = memory[SEQUENCE]
       :: copied > 0 -> data[copied - 1] = memory[DATA + copied - 1]
       fi;
       copied++;
       if
       :: copied > RECORDS -> ran = ran | L_D
       :: else
       fi }
  :: (ran & (L_C | L_W | L_R1 | L_R2 | L_D)) == (L_C | L_W | L_R1 | L_R2 | L_D) -> break
  od;
  ran = 0;
  d_step {
    if
    :: w == NEXT_PACKET || r1 != 1 || w <= HEADER || c != w ->
       skip
    :: else ->
       if
       :: r2 != 1 -> skip
       :: else ->
          must(header_is_this_packets, sequence == 1);
          i = 0;
          do
          :: i < w - HEADER ->
             must(copied_is_committed, data[i] != 0);
             must(copied_is_this_pass, data[i] != 2);
             i++
          :: else -> break
          od;
          if
          :: w - HEADER >= 3 -> reached(copied_all)
          :: w - HEADER == 1 -> reached(copied_a_part)
          :: else
          fi
       fi
    fi }
}
