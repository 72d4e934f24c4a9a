/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Equations 1 to 4 of Desnoyers 2012: what the counters of a ring say about its state. Pure arithmetic on numbers.
 *
 * COUNTERS. write_count and read_count run freely through the positions of an endless stream of bytes; they are never
 * reset. A position holds everything, because sizes are powers of two:
 *
 *       63                      buffer_bits      sub_buffer_bits                0
 *       +-----------------------+----------------+------------------------------+
 *       | pass                  | sub-buffer     | offset in the sub-buffer     |
 *       +-----------------------+----------------+------------------------------+
 *       |<---- packet number (tag, sequence) --->|
 *
 * A commit count (and commit_seq, its last published value) belongs to one sub-buffer and runs through the bytes
 * committed there; each pass adds exactly one sub-buffer size, of headers, records and padding. It advances 2^ring_bits
 * times slower than a position, so a position is shifted by ring_bits before the two are compared, and both sides are
 * cut to the bits that both have.
 *
 * The upper bits of a commit count are free, and count records: a commit adds its bytes and, with the same add, one
 * record. So the number of records in every packet is known without an instruction more (commit.h, "records").
 *
 * WIDTH. MAXLAT_RING_COUNT_BITS and MAXLAT_RING_COMMIT_BITS are 64 and 40. Tests set them to 16 and less, so that
 * wrapping happens in every run and not once in the life of a machine; the masks vanish at full width.
 *
 * WATCHED BY equations_test.cpp: exact against brute force for all states of small rings at several widths;
 * and by tracer/model/ring.pml, which fails when equation 3 is left out or a size is no power of two.
 */
#ifndef MAXLAT_RING_EQUATIONS_H
#define MAXLAT_RING_EQUATIONS_H

#include <maxlat/ring/port.h>

#ifndef MAXLAT_RING_COUNT_BITS
#define MAXLAT_RING_COUNT_BITS 64
#endif
#ifndef MAXLAT_RING_COMMIT_BITS
#define MAXLAT_RING_COMMIT_BITS 40
#endif

#define MAXLAT_RING_LOW_BITS(n) ((n) >= 64 ? ~0ull : (1ull << ((n)&63)) - 1)
#define MAXLAT_RING_COUNT_MASK MAXLAT_RING_LOW_BITS(MAXLAT_RING_COUNT_BITS)
#define MAXLAT_RING_COMMIT_MASK MAXLAT_RING_LOW_BITS(MAXLAT_RING_COMMIT_BITS)

/* Sizes of one ring, kept as masks because the fast path uses them so. */
struct maxlat_ring_shape {
  uint64_t sub_buffer_mask; /* |sbuf| - 1 */
  uint64_t buffer_mask;     /* |buf| - 1 */
  uint64_t ring_mask;       /* number of sub-buffers - 1 */
  uint64_t common_bits;     /* in which a commit count and a shifted position can be compared */
  uint64_t sub_buffer_size; /* |sbuf| */
  uint32_t sub_buffer_bits; /* lg |sbuf| */
  uint32_t ring_bits;       /* lg (|buf| / |sbuf|): nsbbits of Desnoyers 2012 */
};

static inline struct maxlat_ring_shape maxlat_ring_shape_of(uint32_t sub_buffer_bits, uint32_t ring_bits) {
  struct maxlat_ring_shape shape;
  shape.sub_buffer_mask = (1ull << sub_buffer_bits) - 1;
  shape.buffer_mask = (1ull << (sub_buffer_bits + ring_bits)) - 1;
  shape.ring_mask = (1ull << ring_bits) - 1;
  shape.common_bits =
      (MAXLAT_RING_COUNT_MASK >> ring_bits) & MAXLAT_RING_COMMIT_MASK; /* wbits - nsbbits, or the commit width */
  shape.sub_buffer_size = 1ull << sub_buffer_bits;
  shape.sub_buffer_bits = sub_buffer_bits;
  shape.ring_bits = ring_bits;
  return shape;
}

/* A position modulo the width of the counters. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_wrap(uint64_t position) {
  return position & MAXLAT_RING_COUNT_MASK;
}

/* Place of the sub-buffer in the ring, and number of the packet in the stream. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_index(const struct maxlat_ring_shape* shape, uint64_t position) {
  return position >> shape->sub_buffer_bits & shape->ring_mask;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_packet_number(const struct maxlat_ring_shape* shape, uint64_t position) {
  return position >> shape->sub_buffer_bits;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_sub_buffer_start(const struct maxlat_ring_shape* shape, uint64_t position) {
  return position & ~shape->sub_buffer_mask;
}

/* Bytes that were committed in a sub-buffer before the pass of this position began. */
MAXLAT_RING_INLINE uint64_t maxlat_ring_committed_before(const struct maxlat_ring_shape* shape, uint64_t position) {
  return (position & ~shape->buffer_mask) >> shape->ring_bits;
}

/* Equation 1: no free sub-buffer between the writer and the reader. */
MAXLAT_RING_INLINE bool maxlat_ring_full(const struct maxlat_ring_shape* shape, uint64_t write_count,
                                         uint64_t read_count) {
  return maxlat_ring_wrap(maxlat_ring_sub_buffer_start(shape, write_count) -
                          maxlat_ring_sub_buffer_start(shape, read_count)) > shape->buffer_mask;
}

/*
 * Equation 2: the pass of `position` in its sub-buffer is committed to the last byte.
 * The reader asks it of read_count and commit_seq. The writer's delivery test (Algorithm 3, line 3) is the same
 * question about its slot's position and the value its own add returned: the printed equation 3 cannot be true there
 * (ring/commit.h).
 */
MAXLAT_RING_INLINE bool maxlat_ring_filled(const struct maxlat_ring_shape* shape, uint64_t position, uint64_t commit) {
  return ((maxlat_ring_committed_before(shape, position) ^ (commit - shape->sub_buffer_mask - 1)) &
          shape->common_bits) == 0;
}

/* Equation 3: every pass before the one that begins at `write_count` is fully committed, so its sub-buffer may be
 * entered. */
MAXLAT_RING_INLINE bool maxlat_ring_fully_committed(const struct maxlat_ring_shape* shape, uint64_t write_count,
                                                    uint64_t commit) {
  return ((maxlat_ring_committed_before(shape, write_count) ^ commit) & shape->common_bits) == 0;
}

/* Equation 4: the reader stands in the sub-buffer that is being written: nothing to read. */
MAXLAT_RING_INLINE bool maxlat_ring_being_written(const struct maxlat_ring_shape* shape, uint64_t write_count,
                                                  uint64_t read_count) {
  return maxlat_ring_wrap(maxlat_ring_sub_buffer_start(shape, write_count) ^
                          maxlat_ring_sub_buffer_start(shape, read_count)) == 0;
}

#endif
