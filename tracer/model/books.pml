/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Records that were overwritten, as the consumer works them out from the ring's counts, with a producer that may be
 * killed between any two steps: what label [B1] and the record bits of the commit count are for.
 *
 * WHAT IS FOLLOWED. Producer: claim and push_reader when a packet is entered; deliver() of ring/reserve.c: commit_seq
 *   with its record bits, then records_delivered. Consumer: take_ready, settle_overwritten and delivered_by_ring of
 *   consumer/ring_drain.cpp; it recovers, and so counts by the record bits, once the producer is dead.
 * LEFT OUT. What a packet is made of, and taking one in several steps (ring.pml): a packet is taken at once, or pushed
 *   past. Pieces of open packets. The width of the record bits: 24, and no more than one packet is uncounted.
 *   Sequentially consistent memory: the mutants change the order of steps instead.
 * SIZE. 610 thousand states.
 *
 * MUTANTS
 *   M_COUNTED_FIRST   a packet is counted before it is published ([B1])
 *   M_LOOKED_FIRST    the consumer looks for packets to take before it reads the count (review T6)
 *   M_COUNT_TRUSTED   a dead producer's count is taken as it is, without the record bits
 */
#include "assertions.pml"

mtype = {
  none_taken_and_overwritten, /* a record that was taken, or will be, does not count as overwritten */
  books_balance,              /* at the end each record of a published packet was taken or counts as overwritten */
  /* coverage */
  died_uncounted, packet_overwritten
};

#define NSB 2
#define PACKETS 5
#define place(p) ((p) % NSB)

byte read_count;           /* the packet at which the reader stands; packets count from 0 */
byte filled[NSB];          /* commit_seq: by place, the last packet that was published there, + 1 */
byte seq_records[NSB];     /* its upper bits */
byte records_delivered;
bit dead;

/* Ghosts. */
byte published, gone, records[PACKETS];

#define is_filled(p) (filled[place(p)] == (p) + 1)

inline publish() {
  atomic {
    seq_records[place(p)] = seq_records[place(p)] + records[p];
    published = published + records[p];
    filled[place(p)] = p + 1 }
}
inline count() { records_delivered = records_delivered + records[p] }

active proctype Producer() {
  byte p;
  {
    do
    :: p < PACKETS ->
       atomic { /* claim: the reader is pushed past the packet that goes */
         if
         :: p >= NSB && read_count == p - NSB ->
            gone = gone + records[read_count]; read_count++;
            reached(packet_overwritten)
         :: else
         fi;
         if
         :: records[p] = 1
         :: records[p] = 2
         fi };
#ifdef M_COUNTED_FIRST
       count();
       publish();
#else
       publish();
       count();
#endif
       p++
    :: else -> break
    od
  } unless { dead };
  dead = 1 /* its end, too, is recovered from */
}

active proctype Killer() { dead = 1 }

/* RingDrain::delivered_by_ring. */
inline delivered_by_ring() {
  counted = records_delivered;
#ifndef M_COUNT_TRUSTED
  if
  :: recovered ->
     atomic {
       if
       :: seq_records[0] + seq_records[1] != counted -> reached(died_uncounted)
       :: else
       fi;
       counted = seq_records[0] + seq_records[1] }
  :: else
  fi
#endif
}

/* Is there anything to be taken yet? */
inline look() {
  some = 0;
  position = read_count;
  some = is_filled(position);
  some = some || is_filled(position + 1)
}

active proctype Consumer() {
  byte delivered, counted, overwritten, position;
  bit some, recovered;
  do
  :: atomic { is_filled(read_count) -> delivered = delivered + records[read_count]; read_count++ } /* take_ready */
  :: atomic { !recovered && dead && !is_filled(read_count) -> recovered = 1 }
  :: true -> /* settle_overwritten */
#ifdef M_LOOKED_FIRST
     look();
     delivered_by_ring();
#else
     delivered_by_ring();
     look();
#endif
     atomic {
       if
       :: !some && counted > delivered + overwritten -> overwritten = counted - delivered
       :: else
       fi;
       must(none_taken_and_overwritten, overwritten <= gone);
       if
       :: recovered && !some -> must(books_balance, delivered + overwritten == published); break
       :: else -> counted = 0; position = 0; some = 0
       fi }
  od
}
