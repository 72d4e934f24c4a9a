/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The packet that is not delivered yet: what its reader may have of it without the writers' help.
 *
 * An idle thread never comes back to flush its ring, and nobody else may write to it (MAXLAT_RING_THREAD has no locked
 * instruction). So the time from an event to the disk is bounded from the other side: the consumer takes the committed
 * prefix of the open packet now and then. It is whole when bytes reserved = bytes committed, read in the order
 * committed (acquire), then reserved: commits never run ahead of reservations, so equality means that at the first read
 * nothing was under way. Otherwise: not now, ask again. (Watched by model/copy_open.pml, on memory that reorders.)
 *
 * After the death of the producer the same prefix, and, where a writer died inside a probe, what a walk by the stamps
 * of record.h can tell to be whole.
 *   What may be missed: nothing of a record whose commit returned, unless stale bytes in a hole look like a chain of
 *     this packet's records.
 *   What may be wrong: if the context that entered a packet died before it stored begin_time, and a handler inside it
 *     wrote short records and then a long one, the short ones are dated 2^32 ticks late. In a ring per CPU the same,
 *     or the first of them taken for a hole, if a foreign writer (reserve.h) was between them.
 *
 * Watched by model/death.pml, which says where the count of unfinished records is too high or too low.
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

/*
 * As get, for a ring whose writers are all dead or gone for good: also gives packets that were never delivered, with
 * every record that is whole.
 * RETURNS: GOT: with view->bytes != to as get, and to be put; with view->bytes == to a copy, not to be put: the reader
 * has moved on. NOT_NOW: nothing is left. CORRUPT: a packet that the memory cannot have; the reader has moved on.
 * Calls until NOT_NOW end: at most one for each sub-buffer and pass that the ring can hold.
 * `*unfinished` grows by the records that were reserved and never finished, as far as can be told: at least one per
 * hole. THREADS: the reader.
 */
enum maxlat_ring_got maxlat_ring_recover(struct maxlat_ring_reader* reader, uint8_t* to, struct maxlat_ring_view* view,
                                         uint64_t* unfinished);

#ifdef __cplusplus
}
#endif
#endif
