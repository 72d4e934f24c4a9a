/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What writers and the reader of ring.pml share: parameters, equations, the words of the ring, ghosts. */
#include "assertions.pml"

mtype = {
  /* writers */
  one_writer_in_a_slot,       /* slots do not overlap */
  room_is_kept,               /* write_count <= read_count + a buffer (discard) */
  kept_for_snapshot,          /* from the request to the answer, but for one packet that was being entered */
  published_once,             /* a pass is delivered by one context, after the pass before it */
  /* what the reader has got */
  packet_is_opened,           /* its header bears this packet's number */
  packet_is_closed,           /* and its end, too */
  packet_stays,               /* when all was read it is still that */
  words_are_this_packets,
  no_writer_in_what_is_read,
  no_packet_is_empty,         /* it has a record */
  time_never_goes_back,
  /* the end */
  all_is_read,
  books_balance,              /* events tried = read + lost, or <= where packets are overwritten */
  /* coverage */
  event_lost_to_wrap,         /* the ring came round to a packet still being written (equation 3) */
  event_lost_to_freeze,
  reader_pushed,
  packet_got_again,           /* by a dead reader's successor */
  exchange_lost,              /* a writer was faster than the reader's exchange */
  counters_wrapped            /* a packet is read whose number is beyond the width of the counters */
};

#ifndef W
#define W 16
#endif
#ifndef SB
#define SB 4
#endif
#ifndef NSB
#define NSB 2
#endif
#ifndef LEVELS
#define LEVELS 2
#endif
#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 4
#endif
#ifndef N2
#define N2 1
#endif

#ifndef START
#define START 0
#endif

#define BUF (SB * NSB)
#define CM (W / NSB) /* what a commit count and a shifted position have in common */
#define HEADER 1
#ifdef OVERWRITE
#define NM (NSB + 1)
#else
#define NM NSB
#endif

/* Equations 1 to 4, as in ring/equations.h. Arguments are wrapped. */
#define start_of(x) ((x) - (x) % SB)
#define place(x) (((x) / SB) % NSB)
#define pass(x) ((x) / BUF)
#define before(x) ((((x) / BUF) * SB) % CM)
#ifdef M_EQUATION_1_OFF_BY_ONE
#define full(w, r) ((start_of(w) + W - start_of(r)) % W > BUF)
#else
#define full(w, r) ((start_of(w) + W - start_of(r)) % W >= BUF)
#endif
#define filled(x, c) ((before(x) + SB) % CM == (c) % CM)
#define fully_committed(x, c) (before(x) == (c) % CM)
#ifdef M_PRINTED_DELIVERY
#define delivers(x, c) fully_committed(x, c)
#else
#define delivers(x, c) filled(x, c)
#endif

/* The shared memory of the ring; true numbers, see WIDTHS. */
byte write_count = START, read_count = START, lost;
#ifdef FREEZE
bit frozen;
byte kept; /* no packet from here on may be overwritten; a true number */
#endif
byte commit_count[NSB] = (START / NSB), commit_seq[NSB] = (START / NSB);
#ifdef M_K42
byte produced = (START / SB);
#endif
#ifdef OVERWRITE
#if NSB == 2
byte ref_index[NSB] = {0, 1};
#else
byte ref_index[NSB] = {0, 1, 2, 3};
#endif
/* Pass of the place, wrapped; with the place the packet number. First: the pass before. */
byte ref_tag[NSB] = ((START + W - BUF) % W / BUF);
bit ref_writer[NSB];
bit ref_taken[NSB];
byte open_start = ((START + W - SB) % W), open_index; /* none */
#endif
byte tag[NM * SB]; /* payload: true number of the packet + 1 */
bit first[NM * SB]; /* a record begins here */
byte opened[NM], closed[NM], content[NM]; /* packet header */
#ifdef TIME
byte stamp[NM * SB], begin_time[NM], end_time[NM];
byte now;
#endif

/* Ghosts: what the assertions know. */
bit busy[NM * SB];
byte tried, seen, done;
byte top;
bit finalised;

#ifdef TIME
#define read_clock() now++; t = now
#else
#define read_clock() skip
#endif

#ifdef OVERWRITE
#define forget_held() held = 0
#ifdef M_OPEN_UNCHECKED
#define is_open(x) true
#else
#define is_open(x) (open_start == start_of(x))
#endif
#define claimed(x) (ref_writer[place(x)] == 1 && ref_tag[place(x)] == pass(x))
#define ref_word(x) (64 * ref_writer[place(x)] + 128 * ref_taken[place(x)] + ref_tag[place(x)])
#else
#define forget_held() skip
#endif

#ifdef M_NO_TAG
#define tag_fits(x) true
#else
#define tag_fits(x) (ref_tag[place(x)] == pass(x))
#endif
