/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* One record after another. Contract: walk.h; the words: record.h. */
#include <maxlat/ring/walk.h>

/* Read once: a hostile producer may change the bytes between two looks. */
static uint64_t word_at(const struct maxlat_ring_walk* walk, uint64_t offset) {
  return maxlat_ring_load((const uint64_t*)(const void*)(walk->bytes + offset)); /* relaxed: the packet was acquired */
}

void maxlat_ring_walk_start(struct maxlat_ring_walk* walk, const uint8_t* packet, uint64_t content_size) {
  walk->bytes = packet;
  walk->offset = MAXLAT_RING_PACKET_HEADER;
  walk->end = content_size;
  walk->base = word_at(walk, offsetof(struct maxlat_ring_packet, begin_time));
  walk->stamp = content_size - MAXLAT_RING_PACKET_HEADER < 8
                    ? maxlat_ring_stamp_of(0)
                    : maxlat_ring_record_stamp(word_at(walk, MAXLAT_RING_PACKET_HEADER));
}

enum maxlat_ring_step maxlat_ring_walk_next(struct maxlat_ring_walk* walk, struct maxlat_ring_walked* record) {
  const uint64_t left = walk->end - walk->offset;
  if (left == 0) return MAXLAT_RING_END;
  if (left < 8) return MAXLAT_RING_BROKEN;
  const uint8_t* bytes = walk->bytes + walk->offset;
  /* acquire [D1]: the payload after the word that declares it whole. Partner: release [D1] in record.h. Shape: publish.
   */
  const uint64_t word = maxlat_ring_load_acquire((const uint64_t*)(const void*)bytes);
  if (maxlat_ring_record_stamp(word) != walk->stamp || word < MAXLAT_RING_RECORD_MARK) return MAXLAT_RING_BROKEN;
  uint64_t size = maxlat_ring_record_length(word);
  uint64_t head = 8;
  record->id = maxlat_ring_record_id(word);
  record->time = maxlat_ring_record_time(word, walk->base);
  if (record->id == MAXLAT_RING_LONG_ID) {
    head = sizeof(struct maxlat_ring_long);
    if (size != 0 || left < head) return MAXLAT_RING_BROKEN;
    const uint64_t length_and_id = word_at(walk, walk->offset + offsetof(struct maxlat_ring_long, length));
    size = 8 * (length_and_id & ~0u);
    record->id = (uint32_t)(length_and_id >> 32);
    record->time = word_at(walk, walk->offset + offsetof(struct maxlat_ring_long, time));
  }
  if (record->id == 0 || size < head || size > left) return MAXLAT_RING_BROKEN;
  record->payload = bytes + head;
  record->payload_size = size - head;
  if (head != 8) walk->base = record->time;
  walk->offset += size;
  return MAXLAT_RING_EVENT;
}
