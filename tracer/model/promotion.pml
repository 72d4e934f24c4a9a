/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One packet handed from writer to reader and its room handed back, on memory that reorders: what ring/promote.h
 * promises.
 *
 * MEMORY (Desnoyers 2009, section 7.4, "OoOmem"). Each CPU has a cached copy of each variable; a store dirties the
 *   copy, and the process Memory writes dirty copies back and refreshes clean ones whenever, and in whatever order, it
 *   likes. A write barrier writes all dirty copies back, a read barrier refreshes all clean ones. With -DTSO (x86)
 *   copies go back in the order of the stores and loads always see memory.
 * INSTRUCTIONS (section 7.5, "OoOisched", for the few there are). Each has a bit; it may run when what it depends on
 *   has run. Loads are speculated across branches, stores are not. A barrier is a dependency of everything on both
 *   sides.
 *
 *   writer   D1: data = 1      compiler barrier      S1: seq = 1        L: rcnt == 1?     D2: data = 2 (the next pass)
 *   reader   R1: seq == 1?   barrier, promotion, barrier   R2: data   P: rcnt = 1 (CAS: full barriers)
 *
 *   The promotion makes the writer's CPU execute a full barrier between two of its instructions that are in program
 *   order. Asserted: R2 reads 1; neither 0 (published too early) nor 2 (overwritten while read).
 *
 * MUTANTS, each must fail
 *   M_NO_READER_BARRIER  the reader's own barriers around the promotion
 *   M_NO_PROMOTION       the writer's barrier (the interprocessor interrupt of Desnoyers 2012)
 *   M_NO_COMPILER_BARRIER  D1 and S1 in any order in the writer's instructions
 *   M_PLAIN_PUT          rcnt stored without a barrier before it
 *   M_NO_CONTROL         the writer stores D2 without waiting for L
 * With -DTSO the first two must pass: x86 needs neither, which is why promote.h makes no system call there.
 */
#include "assertions.pml"

mtype = {
  bytes_before_the_word, /* a packet that is published has its bytes */
  read_before_replaced,  /* and keeps them until the reader has let go of it */
  packet_read            /* coverage */
};

#define DATA 0
#define SEQ 1
#define RCNT 2
#define VARS 3
#define WRITER 0
#define READER 3 /* where a CPU's copies begin */

byte memory[VARS];
byte copy[6];
bit dirty[6];
bit promote_request, promote_done;

#define W_D1 1
#define W_S1 2
#define W_L 4
#define W_D2 8
#define R_R1 1
#define R_BARRIER 2
#define R_R2 4
#define R_P 8

/* What the mutants and the kind of machine change: when an instruction may run. */
#ifdef M_NO_COMPILER_BARRIER
#define s1_may_run true
#define in_program_order true /* the program says S1, D1 */
#else
#define s1_may_run (ran & W_D1)
#define in_program_order (!(ran & W_S1) || (ran & W_D1))
#endif
#ifdef M_NO_CONTROL
#define d2_after_l true
#else
#define d2_after_l (ran & W_L)
#endif
#ifdef TSO
#define load(cpu, v) (dirty[cpu + v] -> copy[cpu + v] : memory[v])
/* The store buffer is first in, first out: D1 goes back before S1. One place a variable, so D2 waits for both. */
#define may_go_back(c, v) (!(c == WRITER && v == SEQ && dirty[WRITER + DATA]))
#define d2_may_run (d2_after_l && !dirty[WRITER + DATA] && !dirty[WRITER + SEQ])
#define r2_may_run (ran & R_R1)
#else
#define load(cpu, v) copy[cpu + v]
#define may_go_back(c, v) true
#define d2_may_run d2_after_l
#ifdef M_NO_READER_BARRIER
#define r2_may_run true
#else
#define r2_may_run (ran & R_BARRIER)
#endif
#endif
#if defined(M_PLAIN_PUT) && !defined(TSO)
#define p_may_run true
#else
#define p_may_run (ran & R_R2)
#endif

inline store(cpu, v, x) { copy[cpu + v] = x; dirty[cpu + v] = 1 }

inline write_back(cpu, v) { memory[v] = copy[cpu + v]; dirty[cpu + v] = 0 }

/* Full barrier of one CPU: all dirty copies go back, then all are refreshed. */
inline barrier(cpu) {
  d_step {
    i = 0;
    do
    :: i < VARS && dirty[cpu + i] -> write_back(cpu, i); i++
    :: i < VARS && !dirty[cpu + i] -> i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < VARS -> copy[cpu + i] = memory[i]; i++
    :: else -> i = 0; break
    od
  }
}

active proctype Memory() {
  byte c, v;
  do
  :: atomic {
       if
       :: c = WRITER
       :: c = READER
       fi;
       if
       :: v = DATA
       :: v = SEQ
       :: v = RCNT
       fi;
       if
       :: dirty[c + v] && may_go_back(c, v) -> write_back(c, v)
       :: !dirty[c + v] -> copy[c + v] = memory[v]
       :: else
       fi;
       c = 0; v = 0 }
  od
}

active proctype Writer() {
  byte ran, i;
end:
  do
  :: atomic { !(ran & W_D1) -> store(WRITER, DATA, 1); ran = ran | W_D1 }
  :: atomic { !(ran & W_S1) && s1_may_run -> store(WRITER, SEQ, 1); ran = ran | W_S1 }
  :: atomic { !(ran & W_L) && (ran & W_S1) && load(WRITER, RCNT) == 1 -> ran = ran | W_L }
  :: atomic { !(ran & W_D2) && (ran & W_S1) && (ran & W_D1) && d2_may_run -> store(WRITER, DATA, 2); ran = ran | W_D2 }
  :: atomic { promote_request && !promote_done && in_program_order ->
       barrier(WRITER); promote_done = 1 }
  od
}

active proctype Reader() {
  byte ran, seq, data, i;
  do
  :: atomic { !(ran & R_R1) -> seq = load(READER, SEQ); ran = ran | R_R1 }
  :: atomic { (ran & R_R1) && !(ran & R_BARRIER) && seq == 1 ->
#ifndef M_NO_READER_BARRIER
       barrier(READER);
#endif
#ifndef M_NO_PROMOTION
       promote_request = 1 };
     atomic { promote_done ->
#ifndef M_NO_READER_BARRIER
       barrier(READER);
#endif
#endif
       ran = ran | R_BARRIER }
  :: atomic { !(ran & R_R2) && r2_may_run -> data = load(READER, DATA); ran = ran | R_R2 }
  :: atomic { (ran & R_BARRIER) && !(ran & R_P) && p_may_run ->
#ifndef M_PLAIN_PUT
       barrier(READER);
#endif
       store(READER, RCNT, 1);
       ran = ran | R_P }
  :: atomic { (ran & R_P) && (ran & R_R2) ->
       reached(packet_read);
       must(bytes_before_the_word, data != 0);
       must(read_before_replaced, data != 2);
       break }
  :: atomic { (ran & R_R1) && seq == 0 -> ran = 0; data = 0 } /* nothing ready: speculated loads dropped, again */
  od
}
