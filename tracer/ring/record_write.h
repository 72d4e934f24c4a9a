/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One record from begin to end, short or long: what a probe calls. The fields go straight into the ring between the
 * two.
 *
 *   struct maxlat_ring_record record;
 *   if (!maxlat_ring_record_begin(ownership, ring, id, payload_bytes, &record)) return;   dropped, and counted
 *   ... store payload_bytes at record.payload ...
 *   maxlat_ring_record_end(ownership, ring, &record);
 *
 * or, where every instruction counts (test_event_probe.h shows it):
 *
 *   if (!maxlat_ring_record_begin_common(...)) return probe_out_of_line(the fields);   drop, or begin_any, fields, end
 *   ... the same ...
 *
 * The common path then contains no call, so nothing is saved for one: it is 12 to 20 instructions shorter. After either
 * begin returned true, record->payload has room for payload_bytes, rounded up to 8.
 *
 * ownership is a constant, and so are id's and payload_bytes' ranges where the compiler can see them: the common path
 * is then a short record in the middle of a packet, with everything else out of line. THREADS, SIGNALS: as reserve.h; a
 * handler may trace between begin and end. COST: cost_test.cpp.
 *
 * A writer to a ring per CPU that knows where it is calls maxlat_ring_record_begin_on; without that all its records are
 * long ones with an ordered clock, as those of a writer that was moved (reserve.h, TIME ORDER).
 *
 * LONG RECORDS (record.h) begin out of line: their second and third word, the mark that they are begun, then
 * time_base. Their end is that of all.
 */
#ifndef MAXLAT_RING_RECORD_WRITE_H
#define MAXLAT_RING_RECORD_WRITE_H

#include <maxlat/ring/record.h>
#include <maxlat/ring/reserve.h>

struct maxlat_ring_record {
  struct maxlat_ring_slot slot;
  uint8_t* payload;
  uint64_t kind; /* of the first word; for end */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begin, for whatever is not the common case: long records, edges of packets, drops. Attempts until one succeeds, at
 * most MAXLAT_RING_ATTEMPTS. One function for each ownership. `request`: the record's size, and
 * MAXLAT_RING_REQUEST_LONG for a long one; slot->size is larger when the record became long because of its time. Such a
 * record does not open a packet, so it may need 16 bytes more than the packet has left, and then opens the next as a
 * short one. `cpu`: where the number of the CPU is.
 */
#define MAXLAT_RING_REQUEST_LONG 1u
MAXLAT_RING_OUT_OF_LINE bool maxlat_ring_begin_in_thread_ring(const struct maxlat_ring* ring,
                                                              const volatile uint32_t* cpu, uint32_t id,
                                                              uint64_t request, struct maxlat_ring_slot* slot);
MAXLAT_RING_OUT_OF_LINE bool maxlat_ring_begin_in_cpu_ring(const struct maxlat_ring* ring, const volatile uint32_t* cpu,
                                                           uint32_t id, uint64_t request,
                                                           struct maxlat_ring_slot* slot);

/* What is known where it is called is worked out here: that is a tenth of the longest path. */
MAXLAT_RING_INLINE bool maxlat_ring_record_begin_any(enum maxlat_ring_ownership ownership,
                                                     const struct maxlat_ring* ring, const volatile uint32_t* cpu,
                                                     uint32_t id, uint64_t payload_bytes,
                                                     struct maxlat_ring_record* record) {
  const uint64_t size = maxlat_ring_record_size(payload_bytes);
  const bool is_long = id >= MAXLAT_RING_LONG_ID || size > MAXLAT_RING_MAX_SHORT_BYTES;
  const uint64_t request = is_long ? (size + MAXLAT_RING_LONG_EXTRA) | MAXLAT_RING_REQUEST_LONG : size;
  struct maxlat_ring_slot slot; /* its address is taken, so that *record may live in registers */
  if (!(ownership == MAXLAT_RING_THREAD ? maxlat_ring_begin_in_thread_ring(ring, cpu, id, request, &slot)
                                        : maxlat_ring_begin_in_cpu_ring(ring, cpu, id, request, &slot)))
    return false;
  record->slot = slot;
  if (MAXLAT_LIKELY(record->slot.size == size)) {
    record->payload = record->slot.bytes + 8;
    record->kind = maxlat_ring_record_kind(id, size);
  } else {
    record->payload = record->slot.bytes + sizeof(struct maxlat_ring_long);
    record->kind = MAXLAT_RING_LONG_KIND;
  }
  return true;
}

/*
 * A look before that, so that dropping is the cheapest way of all: drops the event, and counts it, if the ring
 * discards, is full, and has no place for it though an empty one would. What keeps a writer out by equation 3 keeps the
 * reader out, too, so that here the cause is always lost_full. (Two things count as that though they are others: a
 * long record that is too big by its 16 extra bytes; and, per CPU, a writer that is moved between the two loads and
 * back a buffer later.) RETURNS: false: nothing happened: begin_any.
 */
MAXLAT_RING_INLINE bool maxlat_ring_drop(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                         uint64_t payload_bytes) {
  if (maxlat_ring_overwrites(ring)) return false;
  const uint64_t size = maxlat_ring_record_size(payload_bytes);
  /* relaxed, both: nothing is touched because of them */
  const uint64_t position = maxlat_ring_load(ring->write_count);
  const uint64_t left = (0 - position) & ring->shape.sub_buffer_mask; /* 0: between two packets */
  if (size <= left || size + MAXLAT_RING_PACKET_HEADER > ring->shape.sub_buffer_size) return false;
  /* Equation 1, of two starts. */
  if (maxlat_ring_wrap(position + left - maxlat_ring_load(&ring->header->read_count)) <= ring->shape.buffer_mask)
    return false;
  maxlat_ring_owner_add(ownership, &ring->header->lost_full, 1);
  return true;
}

/* Begin, for the common case alone. RETURNS: false: not that case, and nothing happened: begin_any. */
MAXLAT_RING_INLINE bool maxlat_ring_record_begin_common(enum maxlat_ring_ownership ownership,
                                                        const struct maxlat_ring* ring, struct maxlat_ring_cpu cpu,
                                                        uint32_t id, uint64_t payload_bytes,
                                                        struct maxlat_ring_record* record) {
  const uint64_t size = maxlat_ring_record_size(payload_bytes);
  if (MAXLAT_UNLIKELY(id >= MAXLAT_RING_LONG_ID || payload_bytes > MAXLAT_RING_MAX_SHORT_BYTES - 8)) return false;
  if (MAXLAT_UNLIKELY(!maxlat_ring_reserve_common(ownership, ring, cpu, size, &record->slot))) return false;
  record->payload = record->slot.bytes + 8;
  record->kind = maxlat_ring_record_kind(id, size);
  return true;
}

/* Both. RETURNS: false: dropped, and counted. */
MAXLAT_RING_INLINE bool maxlat_ring_record_begin_on(enum maxlat_ring_ownership ownership,
                                                    const struct maxlat_ring* ring, struct maxlat_ring_cpu cpu,
                                                    uint32_t id, uint64_t payload_bytes,
                                                    struct maxlat_ring_record* record) {
  if (MAXLAT_LIKELY(maxlat_ring_record_begin_common(ownership, ring, cpu, id, payload_bytes, record))) return true;
  if (maxlat_ring_drop(ownership, ring, payload_bytes)) return false;
  return maxlat_ring_record_begin_any(ownership, ring, cpu.now, id, payload_bytes, record);
}

MAXLAT_RING_INLINE bool maxlat_ring_record_begin(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                 uint32_t id, uint64_t payload_bytes,
                                                 struct maxlat_ring_record* record) {
  return maxlat_ring_record_begin_on(ownership, ring, maxlat_ring_unknown_cpu(), id, payload_bytes, record);
}

/* THREADS: the context that began it, once. */
MAXLAT_RING_INLINE void maxlat_ring_record_end(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                               const struct maxlat_ring_record* record) {
  const struct maxlat_ring_slot* slot = &record->slot;
  const uint64_t packet = maxlat_ring_packet_number(&ring->shape, slot->position);
  uint64_t* const commit_count = maxlat_ring_commit_count(ring, packet & ring->shape.ring_mask);
  maxlat_ring_record_finish(slot->bytes, maxlat_ring_record_word(record->kind, packet, slot->time));
  maxlat_ring_commit_bytes(ownership, ring, commit_count, slot->position,
                           slot->size + slot->header + MAXLAT_RING_ONE_RECORD);
}

#ifdef __cplusplus
}
#endif
#endif
