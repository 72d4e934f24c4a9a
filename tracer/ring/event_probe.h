/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One event of three 64-bit fields, written the way a compiled probe writes it: what tests single-step, count and time.
 *
 *      0  record word   8, 16, 24  the fields
 */
#ifndef MAXLAT_RING_EVENT_PROBE_H
#define MAXLAT_RING_EVENT_PROBE_H

#include <maxlat/ring/record.h>
#include <maxlat/ring/reserve.h>

#define MAXLAT_RING_EVENT_BYTES 32u

MAXLAT_RING_INLINE bool maxlat_ring_event_write(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                const struct maxlat_ring_slot* slot, uint32_t id, uint64_t first,
                                                uint64_t second, uint64_t third) {
  uint64_t* field = (uint64_t*)(void*)slot->bytes;
  field[1] = first;
  field[2] = second;
  field[3] = third;
  const uint64_t kind = maxlat_ring_record_kind(id, MAXLAT_RING_EVENT_BYTES);
  maxlat_ring_record_finish(slot->bytes, maxlat_ring_record_word(kind, slot->packet, slot->time));
  maxlat_ring_commit(ownership, ring, slot, MAXLAT_RING_EVENT_BYTES);
  return true;
}

/* Whatever is not the common case, with the fields in registers. */
static MAXLAT_RING_OUT_OF_LINE bool maxlat_ring_event_any(enum maxlat_ring_ownership ownership,
                                                          const struct maxlat_ring* ring, uint32_t id, uint64_t first,
                                                          uint64_t second, uint64_t third) {
  struct maxlat_ring_slot slot;
  if (maxlat_ring_reserve_any(ownership, ring, MAXLAT_RING_EVENT_BYTES, &slot) != MAXLAT_RING_RESERVED) return false;
  return maxlat_ring_event_write(ownership, ring, &slot, id, first, second, third);
}

/* RETURNS: true when recorded, false when dropped and counted. */
MAXLAT_RING_INLINE bool maxlat_ring_event(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                          uint32_t id, uint64_t first, uint64_t second, uint64_t third) {
  struct maxlat_ring_slot slot;
  if (MAXLAT_UNLIKELY(maxlat_ring_try_common(ownership, ring, MAXLAT_RING_EVENT_BYTES, &slot) !=
                      MAXLAT_RING_RESERVED)) {
    return maxlat_ring_event_any(ownership, ring, id, first, second, third);
  }
  return maxlat_ring_event_write(ownership, ring, &slot, id, first, second, third);
}

#endif
