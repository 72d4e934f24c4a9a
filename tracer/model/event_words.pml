/* SPDX-License-Identifier: MIT */
/*
 * Words of a sensor that belong together, read while they are written, on memory that reorders: the sequence words of
 * a stat ([V1], [V2]), the stamp of an event's slot ([V3], [V4]), and the count of claimed bytes where the payload lies
 * in a ring ([V5]).
 *
 * WHAT IS FOLLOWED. The writer's stores: maxlat_stat_post(), twice; maxlat_event_claim() and maxlat_event_commit() of
 *   two laps; and of two events whose bytes are the same, maxlat_var_event_claim_bytes(). The reader's loads: those of
 *   kind_stat.cpp and of maxlat_event_look_at(), once. A payload has two words, each with the number of its post.
 * MEMORY. The writer's: stores.pml. The reader's loads run in any order, but nothing behind an acquire load or an
 *   acquire fence runs before it.
 * WHY ONE WRITER. Two writers have a slot in turn, and the exchange that takes it reads the stamp of the one before:
 *   event_list.pml. Posts of a stat that overlap leave its two counts different until the last has ended.
 * SIZE. Thousands of states.
 *
 * PARAMETERS, one of  STAT  SLOT  BYTES;  TSO
 * MUTANTS
 *   M_NO_FENCE         the writer has no fence between "I write" (`begun`, stamp, `claimed`) and the words
 *   M_PLAIN_END        what says "I have written" (`count`, stamp) is no release store
 *   M_NO_READER_FENCE  the reader's last look may come before its loads of the words
 *   M_PLAIN_LOOK       its first look is no acquire load
 *   M_CLAIMED_LATE     BYTES: `claimed` is raised behind the words: a tail that is moved after overwriting
 */
#include "assertions.pml"

mtype = {
  words_are_of_one_post, /* and of the one that the first look promised */
  /* coverage */
  post_was_read, second_was_read, post_was_refused
};

#ifdef STAT
#define BEGUN 0
#define COUNT 1
#elif defined(SLOT)
#define BEGUN 0 /* the stamp, which is both */
#define COUNT 0
#else
#define BEGUN 0 /* `claimed`: by how many events */
#define COUNT 1 /* the stamp of the first event's slot: 1 if it is whole */
#endif
#define DATA 2
#define WORDS 4
#define STORES 12
#include "stores.pml"

#ifdef M_PLAIN_END
#define RELEASE PLAIN
#else
#define RELEASE 1
#endif

inline begin(x) {
  store(BEGUN, x, PLAIN);
#ifndef M_NO_FENCE
  fence = stores
#endif
}

inline words_of(post) {
  store(DATA, post, PLAIN);
  store(DATA + 1, post, PLAIN)
}

active proctype Writer() {
  atomic {
#ifdef STAT
    begin(1); words_of(1); store(COUNT, 1, RELEASE);
    begin(2); words_of(2); store(COUNT, 2, RELEASE);
#elif defined(SLOT)
    begin(1); words_of(1); store(COUNT, 2, RELEASE);
    begin(3); words_of(2); store(COUNT, 4, RELEASE);
#else
    begin(1); words_of(1); store(COUNT, 1, RELEASE);
#ifdef M_CLAIMED_LATE
    words_of(2); begin(2);
#else
    begin(2); words_of(2);
#endif
#endif
    run Memory(); run Reader() }
}

/* What has run: a bit set. */
#define L_FIRST 1
#define L_D0 2
#define L_D1 4
#define L_LAST 8

#ifdef M_PLAIN_LOOK
#define data_may_run true
#else
#define data_may_run (ran & L_FIRST)
#endif
#ifdef M_NO_READER_FENCE
#define last_may_run data_may_run
#else
#define last_may_run ((ran & (L_D0 | L_D1)) == (L_D0 | L_D1) && data_may_run)
#endif

#if defined(SLOT)
#define is_good (count % 2 == 0 && begun == count)
#define post_of(seen) ((seen) / 2)
#elif defined(STAT)
#define is_good (begun == count)
#define post_of(seen) (seen)
#else
#define is_good (count == 1 && begun == 1)
#define post_of(seen) (seen)
#endif

proctype Reader() {
  byte ran, count, d0, d1, begun;
  do
  :: atomic { !(ran & L_FIRST) -> count = memory[COUNT]; ran = ran | L_FIRST }
  :: atomic { !(ran & L_D0) && data_may_run -> d0 = memory[DATA]; ran = ran | L_D0 }
  :: atomic { !(ran & L_D1) && data_may_run -> d1 = memory[DATA + 1]; ran = ran | L_D1 }
  :: atomic { !(ran & L_LAST) && last_may_run -> begun = memory[BEGUN]; ran = ran | L_LAST }
  :: ran == 15 -> break
  od;
  ran = 0;
  d_step {
    if
    :: is_good ->
       must(words_are_of_one_post, d0 == post_of(count) && d1 == post_of(count));
       if
       :: post_of(count) == 1 -> reached(post_was_read)
       :: post_of(count) == 2 -> reached(second_was_read)
       :: else
       fi
    :: else -> reached(post_was_refused)
    fi }
}
