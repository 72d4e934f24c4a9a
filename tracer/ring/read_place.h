/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Where a reader stands in a ring that may be hostile: shared by read.c and open_packet.c. */
#ifndef MAXLAT_RING_READ_PLACE_H
#define MAXLAT_RING_READ_PLACE_H

#include <maxlat/ring/layout.h>

/* REQUIRES: number <= sub-buffers of the ring, or <= its last in discard mode. */
MAXLAT_RING_INLINE const uint8_t* maxlat_ring_bytes_of(const struct maxlat_ring* ring, uint64_t number) {
  return ring->memory + (number << ring->shape.sub_buffer_bits);
}

MAXLAT_RING_INLINE struct maxlat_ring_cell* maxlat_ring_cell_at(const struct maxlat_ring* ring, uint64_t position) {
  return &ring->cells[maxlat_ring_index(&ring->shape, position)];
}

/* Where the reader stands; a hostile value still names one of the ring's places. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_read_position(const struct maxlat_ring* ring) {
  /* relaxed: the reader's own value, or a writer's push, which the tag of the exchange detects. */
  return maxlat_ring_wrap(maxlat_ring_sub_buffer_start(&ring->shape, maxlat_ring_load(&ring->header->read_count)));
}

/* Equation 2 for the packet at `position`. */
MAXLAT_RING_INLINE bool maxlat_ring_filled_at(const struct maxlat_ring* ring, uint64_t position) {
  /* acquire [P1]: the packet's bytes after the word that publishes them. Partner: release [P1] in reserve.c. Shape:
     publish. */
  return maxlat_ring_filled(&ring->shape, position,
                            maxlat_ring_load_acquire(&maxlat_ring_cell_at(ring, position)->commit_seq));
}

/* Bytes of header and records in the packet at `position`, by what its header says of their end. RETURNS: 0: it says
   nothing of this packet. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_content_size(const struct maxlat_ring* ring, uint64_t position,
                                                     uint64_t content_end) {
  const uint64_t size = maxlat_ring_wrap(content_end - position);
  const bool possible = size >= MAXLAT_RING_PACKET_HEADER && size <= ring->shape.sub_buffer_size && size % 8 == 0;
  return possible ? size : 0;
}

#endif
