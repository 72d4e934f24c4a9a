/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Walking the records of one packet, in memory or as read from disk: the one place that knows how a record's length, id
 * and time are found (record.h). Used by the consumer (counting, pieces), by recovery and by the trace reader.
 *
 * TIME. A short record carries the low bits; the base they are counted from is the packet's begin_time, or the full
 * time of the last long record before it in the packet: time = base + ((low - base) mod 2^TIME_BITS).
 *
 * STAMP. All records of a packet bear the same (record.h). It is taken from the first, because a packet on disk may
 * have another sequence number than it had in the ring; who knows the packet's number sets `stamp` after the start.
 *
 * TRUST: the bytes may be anything. A walk never leaves [offset, end), always ends, and says BROKEN where what it finds
 * is no record; what it gave before stands.
 */
#ifndef MAXLAT_RING_WALK_H
#define MAXLAT_RING_WALK_H

#include <maxlat/ring/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BROKEN also where a record was begun and never finished, which a delivered packet does not have. */
enum maxlat_ring_step { MAXLAT_RING_EVENT, MAXLAT_RING_END, MAXLAT_RING_BROKEN };

struct maxlat_ring_walk {
  const uint8_t* bytes; /* the packet, header included; 8-byte aligned */
  uint64_t offset;      /* of the next record */
  uint64_t end;         /* content size */
  uint64_t stamp;       /* of every record */
  uint64_t base;        /* of truncated times */
};

struct maxlat_ring_walked {
  uint32_t id;
  uint64_t time; /* full, in ticks */
  const uint8_t* payload;
  uint64_t payload_size; /* padding included */
};

/* A walk over a packet of `content_size` bytes, which the caller has. REQUIRES: PACKET_HEADER <= content_size. */
void maxlat_ring_walk_start(struct maxlat_ring_walk* walk, const uint8_t* packet, uint64_t content_size);
enum maxlat_ring_step maxlat_ring_walk_next(struct maxlat_ring_walk* walk, struct maxlat_ring_walked* record);

#ifdef __cplusplus
}
#endif
#endif
