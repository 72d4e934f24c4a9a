/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Memory that reorders what one writer stores. The writer asks nobody, so it is a list of stores in program order, and
 * the process Memory puts them into memory when and in which order it likes, but
 *
 *   two stores to one word in their order; a release store behind all before it; behind a fence none that was before;
 *   -DTSO (x86): all in their order.
 *
 * The model defines WORDS, the number of its words, and STORES, the most stores, before it includes this. What its
 * reader may load when is its own matter: a branch orders no loads.
 */
byte memory[WORDS];

/* `behind`: those before that number come first. */
byte word[STORES], value[STORES], behind[STORES], stores, fence, first; /* first: that is not in memory */
bit is_in[STORES];

#ifdef TSO
#define PLAIN 1
#else
#define PLAIN 0
#endif

inline store(w, x, releases) {
  word[stores] = w; value[stores] = x; behind[stores] = (releases -> stores : fence); stores++
}

inline put_in() { memory[word[i]] = value[i]; is_in[i] = 1 }

inline skip_what_is_in() {
  do
  :: first < stores && is_in[first] -> first++
  :: else -> break
  od
}

proctype Memory() {
  byte i, j;
end:
  do
  :: atomic { first < stores ->
       i = first;
       do
       :: i + 1 < stores -> i++
       :: break
       od;
       d_step {
         j = (is_in[i] || (i > first && behind[i] > first) -> i + 1 : first);
         do
         :: j < i && (is_in[j] || (j >= behind[i] && word[j] != word[i])) -> j++
         :: else -> break
         od;
         if
         :: j == i -> put_in(); skip_what_is_in()
         :: else
         fi;
         i = 0; j = 0 } }
  od
}
