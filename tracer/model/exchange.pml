/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Overwrite mode on memory that reorders: the reader exchanges its spare for a packet that a writer has just let go of,
 * while another writer claims the same place for the next pass. [X1], the exchange against the claim; [R1] and [P1],
 * the two words that say that writers are done.
 *
 * WHAT IS FOLLOWED. One place, two sub-buffers: A stands in it, B is the spare.
 *   First   the last bytes of packet 1 in A, then deliver() of reserve.c
 *   Second  is_written() and claim() for packet 2, a pass later, then its bytes
 *   Reader  the last look at the packet that it has in B; filled_at(), exchange() and look() of read.c, once
 * MEMORY. Each context runs its loads and stores in any order, each at once and for all, but
 *     a release store behind all that is before it; nothing behind an acquire load before it; a store behind the branch
 *     that leads to it, and behind what its address is made of;
 *     a compare-exchange is a load and a store: the store fails where the word has changed since, and what comes behind
 *     the exchange may pass it;
 *     -DTSO (x86): stores in their order, and no load behind a load or an exchange before it.
 * FOUND. [R1] and [P1] say the same twice: who looks at the reference for its flag has acquired commit_seq before, so a
 *   relaxed clear passes here. Not the other way round: a clear that comes behind a relaxed commit_seq undoes the next
 *   pass's claim (M_RELAXED_PUBLISH).
 * LEFT OUT. put and push, which do not touch the reference, so nothing here may lean on them. The copy of the open
 *   packet, and the fence behind a claim: copy_open.pml. Who finds the packet by open_packet stores at an address that
 *   is made of it.
 * SIZE. Some thousand states.
 *
 * PARAMETERS  TSO
 * MUTANTS
 *   M_RELAXED_EXCHANGE  the exchange releases nothing and acquires nothing ([X1])
 *   M_RELAXED_LOOKS     commit_seq and the reference are looked at without acquire, and the exchange acquires nothing
 *   M_RELAXED_CLEAR     the flag is cleared by a relaxed store ([R1]); alone it passes: FOUND
 *   M_RELAXED_PUBLISH   commit_seq is stored relaxed ([P1])
 */
#include "assertions.pml"

mtype = {
  in_hand_stays,     /* what the reader has is not overwritten while it looks at it */
  packet_is_whole,   /* what it took is packet 1, all of it */
  claim_stays,       /* nobody's store undoes a claim */
  /* coverage */
  packet_taken, exchange_lost, spare_claimed
};

#define A 0
#define B 1
#define WORDS 2 /* of a sub-buffer: a record, and the header that deliver() writes */

/* States of the reference, tag and flags in one. */
#define WRITTEN_1 0
#define DELIVERED_1 1
#define TAKEN_1 2
#define WRITTEN_2 3

/* Of a word: the packet whose it is; 0: the one that was in A before, 9: the one in the reader's hands. */
byte data[4]; /* sub-buffer * WORDS + word */
byte commit_seq, reference = WRITTEN_1, sub_buffer = A;

init {
  atomic { data[B * WORDS] = 9; data[B * WORDS + 1] = 9; run First(); run Second(); run Reader() }
}

#define all(bits) ((ran & (bits)) == (bits))
#define not(bits) ((ran & (bits)) == 0)

/* First. */
#define F_RECORD 1
#define F_HEADER 2
#define F_CLEAR 4
#define F_PUBLISH 8

#ifdef TSO
#define header_may_run all(F_RECORD)
#define clear_may_run all(F_RECORD | F_HEADER)
#define publish_may_run all(F_RECORD | F_HEADER | F_CLEAR)
#else
#define header_may_run true
#ifdef M_RELAXED_CLEAR
#define clear_may_run true
#else
#define clear_may_run all(F_RECORD | F_HEADER)
#endif
#ifdef M_RELAXED_PUBLISH
#define publish_may_run true
#else
#define publish_may_run all(F_RECORD | F_HEADER | F_CLEAR)
#endif
#endif

proctype First() {
  byte ran;
  do
  :: atomic { not(F_RECORD) -> data[A * WORDS] = 1; ran = ran | F_RECORD }
  :: atomic { not(F_HEADER) && header_may_run -> data[A * WORDS + 1] = 1; ran = ran | F_HEADER }
  :: atomic { not(F_CLEAR) && clear_may_run ->
       must(claim_stays, reference != WRITTEN_2);
       reference = DELIVERED_1; sub_buffer = A; ran = ran | F_CLEAR }
  :: atomic { not(F_PUBLISH) && publish_may_run -> commit_seq = 1; ran = ran | F_PUBLISH }
  :: all(F_RECORD | F_HEADER | F_CLEAR | F_PUBLISH) -> break
  od
}

/* Second: acquire loads, a store at an address that the claim has found, and a fence: all in order but the last two. */
proctype Second() {
  byte seen, found, first;
  if
  :: commit_seq == 1 -> /* acquire [E1] */
     do
     :: atomic { seen = reference; found = sub_buffer }; /* acquire [X1] */
        atomic {
          if
          :: reference == seen && sub_buffer == found ->
             reference = WRITTEN_2;
             if
             :: found == B -> reached(spare_claimed)
             :: else
             fi;
             break
          :: else
          fi }
     od;
     if
     :: first = 0
     :: first = 1
     fi;
     data[found * WORDS + first] = 2;
     data[found * WORDS + 1 - first] = 2;
     must(claim_stays, reference == WRITTEN_2)
  :: commit_seq != 1 /* lost_wrap */
  fi
}

/* Reader. */
#define R_HAND_0 1
#define R_HAND_1 2
#define R_SEQ 4
#define R_LOOK 8
#define R_LOAD 16  /* the exchange */
#define R_STORE 32 /* and its end, whether it stored or not */
#define R_BYTE_0 64
#define R_BYTE_1 128

#ifdef M_RELAXED_LOOKS
#define after_seq 0
#define after_look 0
#else
#define after_seq R_SEQ
#define after_look R_LOOK
#endif
#if defined(M_RELAXED_LOOKS) || defined(M_RELAXED_EXCHANGE)
#define after_load 0
#else
#define after_load R_LOAD
#endif
#ifdef M_RELAXED_EXCHANGE
#define before_store (R_SEQ | R_LOOK | R_LOAD)
#else
#define before_store (R_HAND_0 | R_HAND_1 | R_SEQ | R_LOOK | R_LOAD)
#endif
#ifdef TSO
#undef before_store
#define before_store (R_HAND_0 | R_HAND_1 | R_SEQ | R_LOOK | R_LOAD)
#define seq_may_run all(R_HAND_0 | R_HAND_1)
#define look_may_run all(R_SEQ)
#define load_may_run all(R_LOOK)
#define bytes_may_run all(R_STORE)
#else
#define seq_may_run true
#define look_may_run all(after_seq)
#define load_may_run all(after_seq | after_look)
#define bytes_may_run all(after_seq | after_look | after_load)
#endif

proctype Reader() {
  byte ran, hand[WORDS], bytes[WORDS], seq, look, loaded;
  bit taken;
  do
  :: atomic { not(R_HAND_0) -> hand[0] = data[B * WORDS]; ran = ran | R_HAND_0 }
  :: atomic { not(R_HAND_1) -> hand[1] = data[B * WORDS + 1]; ran = ran | R_HAND_1 }
  :: atomic { not(R_SEQ) && seq_may_run -> seq = commit_seq; ran = ran | R_SEQ }
  :: atomic { not(R_LOOK) && look_may_run -> look = reference; ran = ran | R_LOOK }
  :: atomic { not(R_LOAD) && load_may_run -> loaded = reference; ran = ran | R_LOAD }
  :: atomic { not(R_STORE) && all(before_store) ->
       if
       :: seq == 1 && look == DELIVERED_1 && loaded == look && reference == loaded ->
          reference = TAKEN_1; sub_buffer = B; taken = 1
       :: else ->
          if
          :: seq == 1 && look == DELIVERED_1 -> reached(exchange_lost)
          :: else
          fi
       fi;
       ran = ran | R_STORE }
  :: atomic { not(R_BYTE_0) && bytes_may_run -> bytes[0] = data[A * WORDS]; ran = ran | R_BYTE_0 }
  :: atomic { not(R_BYTE_1) && bytes_may_run -> bytes[1] = data[A * WORDS + 1]; ran = ran | R_BYTE_1 }
  :: ran == 255 -> break
  od;
  ran = 0;
  d_step {
    must(in_hand_stays, hand[0] == 9 && hand[1] == 9);
    if
    :: taken ->
       must(packet_is_whole, bytes[0] == 1 && bytes[1] == 1);
       reached(packet_taken)
    :: else
    fi }
}
