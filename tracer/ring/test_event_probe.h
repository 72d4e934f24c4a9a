/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One event of three 64-bit fields, written the way a compiled probe writes it: what tests single-step, count and time.
 *
 *      0  record word   8, 16, 24  the fields
 */
#ifndef MAXLAT_RING_TEST_EVENT_PROBE_H
#define MAXLAT_RING_TEST_EVENT_PROBE_H

#include <maxlat/ring/record_write.h>

#define MAXLAT_RING_EVENT_BYTES 32u

MAXLAT_RING_INLINE void maxlat_ring_event_write(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                const struct maxlat_ring_record* record, uint64_t first,
                                                uint64_t second, uint64_t third) {
  uint64_t* field = (uint64_t*)(void*)record->payload;
  field[0] = first;
  field[1] = second;
  field[2] = third;
  maxlat_ring_record_end(ownership, ring, record);
}

/* Whatever is not the common case, with the fields in registers. */
static MAXLAT_RING_OUT_OF_LINE bool maxlat_ring_event_any(enum maxlat_ring_ownership ownership,
                                                          const struct maxlat_ring* ring, const volatile uint32_t* cpu,
                                                          uint32_t id, uint64_t first, uint64_t second,
                                                          uint64_t third) {
  struct maxlat_ring_record record;
  if (!maxlat_ring_record_begin_any(ownership, ring, cpu, id, MAXLAT_RING_EVENT_BYTES - 8, &record)) return false;
  maxlat_ring_event_write(ownership, ring, &record, first, second, third);
  return true;
}

/* RETURNS: true when recorded, false when dropped and counted. */
MAXLAT_RING_INLINE bool maxlat_ring_event_on(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                             struct maxlat_ring_cpu cpu, uint32_t id, uint64_t first, uint64_t second,
                                             uint64_t third) {
  struct maxlat_ring_record record;
  if (MAXLAT_UNLIKELY(
          !maxlat_ring_record_begin_common(ownership, ring, cpu, id, MAXLAT_RING_EVENT_BYTES - 8, &record))) {
    if (maxlat_ring_drop(ownership, ring, MAXLAT_RING_EVENT_BYTES - 8)) return false;
    return maxlat_ring_event_any(ownership, ring, cpu.now, id, first, second, third);
  }
  maxlat_ring_event_write(ownership, ring, &record, first, second, third);
  return true;
}

MAXLAT_RING_INLINE bool maxlat_ring_event(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                          uint32_t id, uint64_t first, uint64_t second, uint64_t third) {
  return maxlat_ring_event_on(ownership, ring, maxlat_ring_unknown_cpu(), id, first, second, third);
}

#endif
