/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One record from begin to end, short or long: what a probe calls. The fields go straight into the ring between the
 * two.
 *
 *   struct maxlat_ring_record record;
 *   if (!maxlat_ring_record_begin(ownership, ring, id, payload_bytes, &record)) return;   dropped, and counted
 *   ... store payload_bytes at record.payload ...
 *   maxlat_ring_record_end(ownership, ring, id, &record);
 *
 * ownership is a constant, and so are id's and payload_bytes' ranges where the compiler can see them: the common path
 * is then a short record in the middle of a packet, with everything else out of line. THREADS, SIGNALS: as reserve.h; a
 * handler may trace between begin and end. COST: cost_test.cpp.
 */
#ifndef MAXLAT_RING_RECORD_WRITE_H
#define MAXLAT_RING_RECORD_WRITE_H

#include <maxlat/ring/record.h>
#include <maxlat/ring/reserve.h>

struct maxlat_ring_record {
  struct maxlat_ring_slot slot;
  uint8_t* payload;
  uint64_t size; /* of the whole record: a multiple of 8 */
};

#endif
