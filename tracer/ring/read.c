/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Algorithms 5 to 7 of Desnoyers 2012. Contracts, differences and reasons: read.h. */
#include <maxlat/ring/promote.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/read_place.h>
#include <maxlat/ring/reference.h>

/* A field of a packet header, which a hostile producer may change at any time: read once. */
static uint64_t field(const uint8_t* packet, uint64_t offset) {
  return maxlat_ring_load((const uint64_t*)(const void*)(packet + offset));
}

static bool look(const struct maxlat_ring* ring, uint64_t number, uint64_t position, struct maxlat_ring_view* view) {
  const uint8_t* bytes = maxlat_ring_bytes_of(ring, number);
  view->bytes = bytes;
  view->size = ring->shape.sub_buffer_mask + 1;
  view->content_size =
      maxlat_ring_content_size(ring, position, field(bytes, offsetof(struct maxlat_ring_packet, content_end)));
  view->sequence = field(bytes, offsetof(struct maxlat_ring_packet, sequence));
  view->position = position;
  return view->content_size != 0 && view->sequence == maxlat_ring_packet_number(&ring->shape, position);
}

bool maxlat_ring_reader_start(struct maxlat_ring_reader* reader, const struct maxlat_ring* ring) {
  reader->ring = *ring;
  reader->spare = 0;
  reader->in_hand = 0;
  reader->unfinished = false;
  if (!maxlat_ring_overwrites(ring)) return true;

  /* The spare is the sum of all numbers less the sum of those that the cells name. */
  const uint64_t sub_buffers = maxlat_ring_sub_buffers(ring);
  uint64_t missing = sub_buffers * (sub_buffers + 1) / 2;
  for (uint64_t i = 0; i < sub_buffers; ++i) {
    const uint64_t named = maxlat_ring_ref_sub_buffer(maxlat_ring_load_acquire(&ring->cells[i].reference)); /* [R1] */
    if (named > sub_buffers || named > missing) return false;
    missing -= named;
  }
  if (missing > sub_buffers) return false;
  for (uint64_t i = 0; i < sub_buffers; ++i) {
    if (maxlat_ring_ref_sub_buffer(maxlat_ring_load(&ring->cells[i].reference)) == missing)
      return false; /* relaxed: as above */
  }
  reader->spare = missing;

  const uint64_t position = maxlat_ring_read_position(ring);
  const uint64_t word = maxlat_ring_load_acquire(&maxlat_ring_cell_at(ring, position)->reference); /* [R1] */
  reader->unfinished = maxlat_ring_ref_state(word) ==
                       maxlat_ring_ref(0, MAXLAT_RING_REF_TAKEN, maxlat_ring_packet_number(&ring->shape, position));
  reader->in_hand = position;
  return true;
}

enum maxlat_ring_state maxlat_ring_poll(const struct maxlat_ring_reader* reader) {
  const struct maxlat_ring* ring = &reader->ring;
  /* acquire [F1]: read before equation 2, so that "finalised, and nothing is filled" means that nothing will be. */
  const bool finalised = maxlat_ring_load_acquire(&ring->header->finalised) == 1;
  const uint64_t position = maxlat_ring_read_position(ring);
  if (!reader->unfinished && !maxlat_ring_filled_at(ring, position))
    return finalised ? MAXLAT_RING_HANGUP : MAXLAT_RING_NOTHING;
  /* relaxed: a hint about priority. The hot line is looked at only now, once per packet. Equation 1 is asked of the
     next sub-buffer that writers will enter: of this one, if it is not open yet. */
  const uint64_t next = maxlat_ring_load(ring->write_count) + ring->shape.sub_buffer_mask;
  return maxlat_ring_full(&ring->shape, next, position) ? MAXLAT_RING_URGENT : MAXLAT_RING_READY;
}

/* Takes the packet at `position` out of the ring and leaves the spare in its place, or changes nothing. */
static enum maxlat_ring_got exchange(struct maxlat_ring_reader* reader, uint64_t position) {
  const struct maxlat_ring* ring = &reader->ring;
  uint64_t* reference = &maxlat_ring_cell_at(ring, position)->reference;
  const uint64_t packet = maxlat_ring_packet_number(&ring->shape, position);
  const uint64_t word = maxlat_ring_load_acquire(reference); /* [R1] */
  if (maxlat_ring_ref_state(word) != maxlat_ring_ref(0, 0, packet)) return MAXLAT_RING_NOT_NOW;
  const uint64_t taken = maxlat_ring_ref_sub_buffer(word);
  if (taken > maxlat_ring_sub_buffers(ring)) return MAXLAT_RING_CORRUPT;
  /* acquire-release [X1]: our last look at the spare before writers can find it; the packet's bytes after its writers
     let go. Partners: claim [X1] and deliver [R1] in reserve.c. */
  if (!maxlat_ring_shared_cas(reference, word, maxlat_ring_ref(reader->spare, MAXLAT_RING_REF_TAKEN, packet))) {
    return MAXLAT_RING_NOT_NOW;
  }
  reader->spare = taken;
  return MAXLAT_RING_GOT;
}

enum maxlat_ring_got maxlat_ring_get(struct maxlat_ring_reader* reader, struct maxlat_ring_view* view) {
  const struct maxlat_ring* ring = &reader->ring;
  uint64_t position = maxlat_ring_read_position(ring);
  uint64_t number = reader->spare;
  if (reader->unfinished) {
    reader->unfinished = false;
    position = reader->in_hand; /* writers may have pushed us on since */
  } else {
    if (!maxlat_ring_filled_at(ring, position)) return MAXLAT_RING_NOT_NOW;
    if ((ring->features & MAXLAT_RING_NEEDS_PROMOTION) != 0 && !maxlat_ring_promote()) return MAXLAT_RING_NOT_NOW;
    if (maxlat_ring_overwrites(ring)) {
      const enum maxlat_ring_got got = exchange(reader, position);
      if (got != MAXLAT_RING_GOT) return got;
      number = reader->spare;
    } else {
      number = maxlat_ring_index(&ring->shape, position);
    }
  }
  return look(ring, number, position, view) ? MAXLAT_RING_GOT : MAXLAT_RING_CORRUPT;
}

void maxlat_ring_put(struct maxlat_ring_reader* reader, const struct maxlat_ring_view* view) {
  const struct maxlat_ring* ring = &reader->ring;
  /* acquire-release [G1]: our last look at the packet before writers may replace it. Partner: [G1] in reserve.c. When a
     writer has pushed us meanwhile the exchange fails, and that is right: read_count is already further. */
  maxlat_ring_shared_cas(&ring->header->read_count, view->position,
                         maxlat_ring_wrap(view->position + ring->shape.sub_buffer_mask + 1));
}
