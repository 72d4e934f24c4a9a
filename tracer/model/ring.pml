/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ring of tracer/ring/ as a model: nested writers, flush, and a reader, interleaved at every access to a shared
 * word. ring_words.pml: what they share; ring_writer.pml, ring_reader.pml: what they do. Sequentially consistent
 * memory; what weaker memory adds is in promotion.pml.
 *
 * WHAT IS FOLLOWED
 *   Content, not only collisions: every word of memory carries the number of the packet it was written for (`tag`), and
 *   the reader asserts it for each word it reads. A collision flag per word asserts besides that no two writers are in
 *   one slot. Headers (opened, closed, content length), padding, flush, lost counts and, with -DTIME, time stamps.
 *   open_packet, the word that tells the common path where the packet lies: pass and place wrapped, as the width of the
 *   counters leaves them. At the end the books: events tried = events read + lost (discard), or <= with the rest
 *   overwritten.
 *
 * WIDTHS. write_count, read_count and the commit counts live in the model as true numbers and are only ever looked at
 *   modulo W (CAS included), so a wrapped counter can deceive the algorithm but not the assertions. Run at two widths
 *   or more: a fault that recedes as W grows is the wrap's, one that stays is the algorithm's.
 *
 * PROCESSES. Writer 0 is the thread, writer 1 interrupts it, writer 2 interrupts both; each event of an interrupt runs
 *   to its end before the interrupted one goes on (`top`). With -DPARALLEL they are threads on several CPUs instead.
 *   The reader is a process of its own and never ends before the last packet. With -DSUCCESSOR it is killed once,
 *   between any two of its steps, and another one takes over.
 *
 * PROGRESS. Runs with -DNP look for cycles without progress: loops of writers, alone or with each other. A reader that
 *   asks again is progress.
 *
 * PARAMETERS  W  START (first position, a multiple of BUF; W - BUF begins just before the wrap)  SB (words of a
 *   sub-buffer)  NSB (sub-buffers)  OVERWRITE  FREEZE (with it: a snapshot is asked for, and answered: freeze.h)  FLUSH
 *   OPEN_AHEAD  PARALLEL  TIME  SUCCESSOR  LEVELS  N0 N1 N2 (each writer's events)
 * ASSERTIONS: the names in ring_words.pml. MUTANTS: each must fail, by the assertion that model_cases.py names for it.
 *   M_PRINTED_DELIVERY  Algorithm 3, line 3 as printed (equation 3 of the slot)
 *   M_ADD_THEN_LOOK     delivery decided by a second look at the commit count, not by what the add returned
 *   M_LATE_CLEAR        reference flag cleared after commit_seq is published
 *   M_NO_TAG            exchange compares flag and index, not the packet
 *   M_NO_EQUATION_3     a sub-buffer is entered without asking whether its last pass is committed
 *   M_K42               packets are counted as produced when a reservation leaves them (buffersProduced); the reader
 *                       takes one when it was produced and its commit count is a multiple of the size
 *   M_TIME_OUTSIDE      time stamp read after the CAS
 *   M_NO_FLAG           writers do not mark the reference (flag and tag) when they begin to use a sub-buffer, only when
 *                       they deliver
 *   M_NO_OLD_CLAIM      a packet is closed without claiming its reference first (its opener may have been interrupted)
 *   M_OPEN_UNCHECKED    the common path takes the sub-buffer that open_packet names without asking for which packet
 *   M_FLUSH_EMPTY       flush closes a packet that was opened ahead and has no record
 *   M_OPEN_BLIND        a packet is opened ahead without asking whether its sub-buffer is free
 *   M_OPENING_FLUSH     flush opens the next packet (Algorithm 4 as printed): the trace ends with an empty packet that
 *                       is never filled
 *   SB=3                a size that is no power of two
 *   M_NO_FREEZE         with -DFREEZE: a writer does not look for a request
 *   M_NO_EQUATION_1     a sub-buffer is entered without asking whether the reader has let go of it (discard)
 *   M_IN_HAND_FORGOTTEN with -DSUCCESSOR: the packet in the dead reader's hands is looked for where read_count is now,
 *                       though writers may have pushed it on (review T7)
 *   M_EQUATION_1_OFF_BY_ONE  asked of one sub-buffer too many: > for >=
 *   M_WAITS             a writer that the ring came round to waits, where it should drop its event: a cycle (NP)
 *   M_UNLOCKED          with -DPARALLEL: load, then store, for the add to a commit count, as in a ring of a thread
 */
#include "ring_words.pml"
#include "ring_writer.pml"
#include "ring_reader.pml"
