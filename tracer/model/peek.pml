/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A delivered packet, copied by a reader that takes nothing (ring/follow/peek.c), while the writer goes on into the
 * next passes of its place, on memory that reorders: [P1] and [R1], which publish it; [O2], the look at the reference
 * behind the copy; and of the follower's books (ring/follow/follow.c) [B1].
 *
 * WHAT IS FOLLOWED. Writer: two passes of a place, the first with two records, the second with one: the stores of
 *   claim(), switch_new(), commit.h and deliver() in overwrite mode. The second record of the first pass may be a
 *   handler's, inside the first: then its words and its commit come before the other's. Reader: peek_delivered(), load
 *   by load, once, for a packet of its choice; with BOOKS none_now() instead.
 * MEMORY. The writer does not depend on the reader: stores.pml. The reader's loads run in any order, but nothing behind
 *   an acquire load runs before it.
 * WHY ONE WRITER, and a packet that is not delivered: copy_open.pml.
 * SIZE. 80 thousand states.
 *
 * PARAMETERS  BOOKS  TSO
 * MUTANTS
 *   M_NO_FENCE        no fence between the claim and the stores behind it ([O2]); with TSO it passes
 *   M_REFERENCE_ONCE  the reference is not looked at again
 *   M_RELAXED_COPY    the copy's loads are no acquire loads, so the second look may come before them ([O2])
 *   M_PLAIN_SEQ, M_PLAIN_CLEAR      commit_seq, or the reference without its flag, is stored without release
 *   M_RELAXED_SEQ, M_RELAXED_CLEAR  or loaded without acquire. One of the two pairs ([P1], [R1]) is enough: without the
 *                     other it passes
 *   M_WRITER_IGNORED  the flag of the reference is not looked at. With [P1], which says the same, it passes
 *   M_PLAIN_COUNT     BOOKS: records_delivered is added without release ([B1])
 *   M_RELAXED_COUNT   BOOKS: or loaded without acquire
 */
#include "assertions.pml"

mtype = {
  words_are_of_the_packet, /* of its pass: what lies in it, and how many records its header counts */
  counted_is_committed,    /* what the count of delivered records has is in the place's commit count */
  /* coverage */
  first_was_copied, last_was_copied, copy_was_refused, count_was_seen
};

/* Words of memory. REFERENCE: twice the pass, and 1 while writers are in it. The counts: of records. */
#define REFERENCE 0
#define COMMIT 1
#define COMMIT_SEQ 2
#define DELIVERED 3
#define SEQUENCE 4
#define RECORDS 5
#define DATA 6
#define WORDS (DATA + 2)
#define STORES 24
#include "stores.pml"

#define RECORDS_OF_1 2
#define RECORDS_OF_2 1

#ifdef M_PLAIN_SEQ
#define RELEASE_SEQ PLAIN
#else
#define RELEASE_SEQ 1
#endif
#ifdef M_PLAIN_CLEAR
#define RELEASE_CLEAR PLAIN
#else
#define RELEASE_CLEAR 1
#endif
#ifdef M_PLAIN_COUNT
#define RELEASE_COUNT PLAIN
#else
#define RELEASE_COUNT 1
#endif

inline enter(pass) {
  store(REFERENCE, 2 * (pass) + 1, 1);
#ifndef M_NO_FENCE
  fence = stores;
#endif
  store(SEQUENCE, pass, 1)
}

inline record(pass, at) {
  store(DATA + (at), pass, PLAIN);
  commit++;
  store(COMMIT, commit, 1)
}

inline deliver(pass, records) {
  store(RECORDS, records, PLAIN);
  store(REFERENCE, 2 * (pass), RELEASE_CLEAR);
  store(COMMIT_SEQ, commit, RELEASE_SEQ);
  store(DELIVERED, commit, RELEASE_COUNT)
}

/* The whole of what the writer does, worked out first: it asks nobody. */
active proctype Writer() {
  byte commit;
  atomic {
    enter(1);
    if
    :: record(1, 0); record(1, 1)
    :: record(1, 1); record(1, 0)
    fi;
    deliver(1, RECORDS_OF_1);
    enter(2);
    record(2, 0);
    store(DATA + 1, 2, PLAIN); /* padding */
    deliver(2, RECORDS_OF_2);
    commit = 0;
    run Memory(); run Reader() }
}

#ifdef BOOKS
proctype Reader() {
  byte delivered, commit;
#ifdef M_RELAXED_COUNT
  if
  :: delivered = memory[DELIVERED]; commit = memory[COMMIT]
  :: commit = memory[COMMIT]; delivered = memory[DELIVERED]
  fi;
#else
  delivered = memory[DELIVERED];
  commit = memory[COMMIT];
#endif
  d_step {
    must(counted_is_committed, commit >= delivered);
    if
    :: delivered == RECORDS_OF_1 -> reached(count_was_seen)
    :: else
    fi }
}
#else

/* What runs before what: a bit set. */
#define L_SEQ 1
#define L_R1 2
#define L_D 4 /* the header's two words and the record's: four loads */
#define L_R2 8

#ifdef M_RELAXED_SEQ
#define after_seq 0
#else
#define after_seq L_SEQ
#endif
#ifdef M_RELAXED_CLEAR
#define after_r1 after_seq
#else
#define after_r1 (after_seq | L_R1)
#endif
#ifdef M_RELAXED_COPY
#define after_copy after_r1
#else
#define after_copy (after_r1 | L_D)
#endif

#define filled_by(pass) ((pass) == 1 -> RECORDS_OF_1 : RECORDS_OF_1 + RECORDS_OF_2)
#ifdef M_WRITER_IGNORED
#define is_of(reference, pass) ((reference) / 2 == (pass))
#else
#define is_of(reference, pass) ((reference) == 2 * (pass))
#endif

proctype Reader() {
  byte ran, seq, r1, r2, copied, pass, words[4];
  if
  :: pass = 1
  :: pass = 2
  fi;
  do
  :: atomic { !(ran & L_SEQ) -> seq = memory[COMMIT_SEQ]; ran = ran | L_SEQ }
  :: atomic { !(ran & L_R1) && (ran & after_seq) == after_seq -> r1 = memory[REFERENCE]; ran = ran | L_R1 }
  :: atomic { !(ran & L_D) && (ran & after_r1) == after_r1 ->
       words[copied] = memory[SEQUENCE + copied];
       copied++;
       if
       :: copied == 4 -> ran = ran | L_D
       :: else
       fi }
#ifdef M_REFERENCE_ONCE
  :: atomic { !(ran & L_R2) && (ran & L_R1) -> r2 = r1; ran = ran | L_R2 }
#else
  :: atomic { !(ran & L_R2) && (ran & (after_copy | L_R1)) == (after_copy | L_R1) ->
       r2 = memory[REFERENCE]; ran = ran | L_R2 }
#endif
  :: ran == 15 -> break
  od;
  ran = 0;
  copied = 0;
  d_step {
    if
    :: seq == filled_by(pass) && is_of(r1, pass) && is_of(r2, pass) ->
       must(words_are_of_the_packet, words[0] == pass && words[2] == pass && words[3] == pass);
       must(words_are_of_the_packet, words[1] == (pass == 1 -> RECORDS_OF_1 : RECORDS_OF_2));
       if
       :: pass == 1 -> reached(first_was_copied)
       :: else -> reached(last_was_copied)
       fi
    :: else -> reached(copy_was_refused)
    fi }
}
#endif
