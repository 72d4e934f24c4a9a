/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The edges of a packet: what Algorithms 1, 2 and 4 of Desnoyers 2012 call PushReader, SwitchOldSubbuf, SwitchNewSubbuf
 * and EndSwitchCurrent (named there, not printed; decisions ours), ForceSwitch, and opening a packet ahead of its
 * records.
 *
 *   case                                       reserved by one CAS                     afterwards, out of order
 *   record fits, packet goes on                | record |                              -
 *   at the start of a sub-buffer               | header | record |                     open
 *   does not fit                               | padding | header | record |           close old, open
 *   ends exactly at the end of the sub-buffer  ... record |                            close, before its own commit
 *   flush                                      | padding |                             close old
 *   open ahead, at the start of a sub-buffer   | header |                              open, then commit the header
 *
 *   close  end_time, lost_*, content_end; then the padding, if any, is committed to the old packet
 *   open   begin_time, sequence; the header is committed with the record that opened the packet
 *
 * A context may find itself closing a packet whose opener it interrupted. Therefore whoever touches a packet first
 * pushes the reader and claims the reference for it, the old packet included.
 *
 * FLUSH differs from the printed Algorithm 4: it does not open the next packet. Opening needs a free sub-buffer
 * (equations 1 and 3), so it could fail or drop, and it would end every trace with an empty packet. After a flush
 * write_count stands at a sub-buffer's start, where the next record opens the packet with its own time stamp. A flush
 * cannot fail on a full ring, and a packet that was not opened, or just filled, or has no record yet, is not flushed.
 *
 * OPENING AHEAD is for a thread that must not pay for the opening with its first event (prepare_thread()). The header
 * is committed alone, so the packet stands there with no record, and nobody but the next writer ever notices it: flush
 * and finalise leave it, the reader does not copy it, and recovery passes over it. Its begin_time is older than its
 * first record, which costs a long record if the upper bits of the time have changed by then. In a ring per CPU it is
 * done by whoever starts the session, on another CPU, and leaves no mark (reserve.h, TIME ORDER): nobody is inside, and
 * whoever comes first is told to by stores made later, behind locked instructions and the look at all events. So a
 * packet is delivered without a record in one case alone: it was opened ahead, and the record that comes next is so
 * large that it would fit as a short one and must be a long one.
 */
#ifndef MAXLAT_RING_SWITCH_H
#define MAXLAT_RING_SWITCH_H

#include <maxlat/ring/reserve.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens the packet that comes next, where write_count stands between two packets and there is room.
 * RETURNS: true when it did; false: nothing happened, nothing is lost. THREADS: as reserve; with MAXLAT_RING_CPU on the
 * ring's CPU, or with nobody inside.
 */
bool maxlat_ring_open_ahead(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring);

/*
 * Closes the open packet, if it has a record, so that it reaches the reader as soon as its slots are committed.
 * RETURNS: true when it closed one. THREADS: as reserve. One attempt: when a writer was faster, the next flush will do.
 */
bool maxlat_ring_flush(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring);

/* Flushes and says that nothing will follow: the reader then gets HANGUP after the last packet. THREADS: no writer is
 * inside. */
void maxlat_ring_finalise(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring);

#ifdef __cplusplus
}
#endif
#endif
