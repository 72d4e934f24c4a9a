/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The packet that is not delivered yet: what its reader may have of it without the writers' help.
 *
 * An idle thread never comes back to flush its ring, and nobody else may write to it (MAXLAT_RING_THREAD has no locked
 * instruction). So the time from an event to the disk is bounded from the other side: the consumer takes the committed
 * prefix of the open packet now and then. It is whole when bytes reserved = bytes committed, read in the order
 * committed (acquire), then reserved: commits never run ahead of reservations, so equality means that at the first read
 * nothing was under way. Otherwise: not now, ask again. Where the reader makes the writers execute their barriers
 * (promote.h), it does so between the two.
 *
 * After the death of the producer the same prefix, and, where a writer died inside a probe, what a walk by the stamps
 * of record.h can tell to be whole.
 *   What may be missed: nothing of a record whose commit returned, unless stale bytes in a hole look like a chain of
 *     this packet's records: they are of 256 packets ago, and nothing was written there since. Behind a hole of more
 *     than 64 KiB whose writer died before it marked its slot, or behind the 256th hole, nothing is looked for: that is
 *     bounded work on hostile memory, and the consumer's books say how much is missing.
 *   What may be wrong: times, by multiples of 2^32 ticks, where three things come together. The context that entered a
 *     packet died before it stored begin_time; the packet before was not closed, or is no more, because what was
 *     written inside it has gone round the ring; and between its short records and the first long one, or its end, 2^32
 *     ticks went by.
 *   What is counted as unfinished: at least one if there is one, never more than contexts that died. Slots of the dead
 *     that touch, over the edge of a packet too, are one hole and count as one. Padding whose writer died before it
 *     said so cannot be told from a slot: a flush that died there counts as one.
 *
 * Watched by model/death.pml and copy_open.pml, open_packet_test.cpp and kill_test.cpp.
 *
 * Both COPY: in overwrite mode the bytes may be replaced while they are read, and the copy is checked afterwards (the
 * reference is still that of the packet). The copy is a packet of its own: header filled in (begin, end, content,
 * records, lost), holes left out.
 */
#ifndef MAXLAT_RING_OPEN_PACKET_H
#define MAXLAT_RING_OPEN_PACKET_H

#include <maxlat/ring/read.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The open packet, if the reader stands before it (everything delivered was taken) and it has records.
   `to`: one sub-buffer's size, 8-byte aligned. GOT: *view describes the copy; nothing to put; the next get of that
   packet gives all of it again: the caller skips what it has (view->content_size tells how far it came). NOT_NOW:
   nothing there, or a writer is inside. CORRUPT. THREADS: the reader. */
enum maxlat_ring_got maxlat_ring_copy_open(const struct maxlat_ring_reader* reader, uint8_t* to,
                                           struct maxlat_ring_view* view);

/* As copy_open, of the packet at `position`, for a reader that takes no packets (peek.h). */
enum maxlat_ring_got maxlat_ring_copy_open_at(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                              struct maxlat_ring_view* view);

/* As that, of a packet whose writers have gone for good: its records up to the first that is not finished. REQUIRES:
   the packet was not delivered. */
enum maxlat_ring_got maxlat_ring_copy_begun_at(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                               struct maxlat_ring_view* view);

/* A whole sub-buffer, in overwrite mode. RETURNS: false: writers have entered it meanwhile for another packet than the
   one at `position`. REQUIRES: the packet was there, in that sub-buffer of the ring, delivered. */
bool maxlat_ring_copy_delivered(const struct maxlat_ring* ring, uint64_t position, uint64_t sub_buffer, uint8_t* to);

/*
 * As get, for a ring whose writers are all dead or gone for good: also gives packets that were never delivered, with
 * every record that is whole.
 * RETURNS: GOT: with view->bytes != to as get, and to be put; with view->bytes == to a copy, not to be put: the reader
 * has moved on. NOT_NOW: nothing is left. CORRUPT: a packet that the memory cannot have; the reader has moved on.
 * Calls until NOT_NOW end: at most one for each sub-buffer and pass that the ring can hold.
 * `*unfinished` grows by the records that were reserved and never finished, as far as can be told (above).
 * THREADS: the reader.
 */
enum maxlat_ring_got maxlat_ring_recover(struct maxlat_ring_reader* reader, uint8_t* to, struct maxlat_ring_view* view,
                                         uint64_t* unfinished);

#ifdef __cplusplus
}
#endif
#endif
