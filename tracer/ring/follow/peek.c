/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Copies of packets that stay where they are. Contracts and reasons: peek.h. */
#include <maxlat/ring/commit.h>
#include <maxlat/ring/follow/peek.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/read_place.h>
#include <maxlat/ring/reference.h>

uint64_t maxlat_ring_oldest(const struct maxlat_ring* ring) {
  return maxlat_ring_read_position(ring);
}

/* `commit_seq`: of the packet at `position`, which is filled by it. */
static enum maxlat_ring_got peek_delivered(const struct maxlat_ring* ring, uint64_t position, uint64_t commit_seq,
                                           uint8_t* to, struct maxlat_ring_peeked* peeked) {
  const struct maxlat_ring_packet* packet = (const struct maxlat_ring_packet*)(const void*)to;
  const uint64_t number = maxlat_ring_packet_number(&ring->shape, position);
  const uint64_t word = maxlat_ring_load_acquire(&maxlat_ring_cell_at(ring, position)->reference); /* [R1] */
  if (maxlat_ring_ref_state(word) != maxlat_ring_ref(0, 0, number)) return MAXLAT_RING_NOT_NOW;
  const uint64_t sub_buffer = maxlat_ring_ref_sub_buffer(word);
  if (sub_buffer > maxlat_ring_sub_buffers(ring)) return MAXLAT_RING_CORRUPT;
  if (!maxlat_ring_copy_delivered(ring, position, sub_buffer, to)) return MAXLAT_RING_NOT_NOW;
  peeked->view.bytes = to;
  peeked->view.size = ring->shape.sub_buffer_size;
  peeked->view.content_size = maxlat_ring_content_size(ring, position, packet->content_end);
  peeked->view.sequence = packet->sequence;
  peeked->view.position = position;
  peeked->complete = true;
  peeked->after = commit_seq;
  peeked->before = commit_seq - ring->shape.sub_buffer_size - packet->records * MAXLAT_RING_ONE_RECORD;
  return peeked->view.content_size != 0 && packet->sequence == number ? MAXLAT_RING_GOT : MAXLAT_RING_CORRUPT;
}

enum maxlat_ring_got maxlat_ring_peek(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                      struct maxlat_ring_peeked* peeked) {
  const uint64_t commit_seq = maxlat_ring_committed_last(ring, position);
  if (maxlat_ring_filled(&ring->shape, position, commit_seq))
    return peek_delivered(ring, position, commit_seq, to, peeked);
  /* Else it is another pass's, and says nothing of where this one began. */
  if (!maxlat_ring_fully_committed(&ring->shape, position, commit_seq)) return MAXLAT_RING_NOT_NOW;
  peeked->complete = false;
  peeked->before = commit_seq;
  return maxlat_ring_copy_open_at(ring, position, to, &peeked->view);
}

enum maxlat_ring_got maxlat_ring_peek_unfinished(const struct maxlat_ring* ring, uint64_t position, uint8_t* to,
                                                 struct maxlat_ring_peeked* peeked) {
  const struct maxlat_ring_cell* cell = maxlat_ring_cell_at(ring, position);
  peeked->before = maxlat_ring_load(&cell->commit_seq); /* relaxed: nobody writes any more */
  if (!maxlat_ring_fully_committed(&ring->shape, position, peeked->before)) return MAXLAT_RING_NOT_NOW;
  peeked->complete = true;
  peeked->after = maxlat_ring_load(maxlat_ring_commit_count(ring, maxlat_ring_index(&ring->shape, position)));
  return maxlat_ring_copy_begun_at(ring, position, to, &peeked->view);
}

uint64_t maxlat_ring_committed_last(const struct maxlat_ring* ring, uint64_t position) {
  return maxlat_ring_load_acquire(&maxlat_ring_cell_at(ring, position)->commit_seq); /* [P1] */
}

uint64_t maxlat_ring_committed_since(const struct maxlat_ring* ring, uint64_t position, uint64_t before) {
  /* relaxed: a recent one */
  const uint64_t now = maxlat_ring_load(maxlat_ring_commit_count(ring, maxlat_ring_index(&ring->shape, position)));
  return maxlat_ring_records_between(before, now);
}
