/* SPDX-License-Identifier: MIT */
/*
 * A trace that stays in the program's memory: a ring of the tracer (maxlat/ring/layout.h) in a group, for monitors that
 * look at what happened just before. It overwrites its oldest packet, and nobody takes one out of it.
 *
 *   maxlat_sensor   the types, fields and labels of its events   zeros   the ring
 *
 *   shape   {bits of a sub-buffer | bits of the ring << 8, types << 16 | fields << 32 | labels << 48}
 *
 * The tables are those of a list of events (event_list_types.h). The ring begins with a cache line and is whole when
 * the program is loaded, as maxlat_ring_create() would leave it. A record's id is the number of its type, from 1 on;
 * its payload is the CPU, a word, and then the event's fields.
 *
 * WHO WRITES. One thread and its signal handlers, as to a ring of a session; no instruction is locked but once or
 * twice a packet. WHO READS. Monitors, which cannot write: they look at the packets and leave them there
 * (maxlat/ring/follow/peek.h). So no reference is ever marked `taken`, the spare sub-buffer stays the spare, and
 * read_count is where the writer has pushed a reader that never moves: where the oldest packet begins.
 *
 * COMPARED WITH A LIST. An event takes 16 bytes and its fields, of a list 32 or 64; a packet is overwritten as a whole,
 * so between one packet less than the ring and the ring is there.
 */
#ifndef MAXLAT_SENSORS_TRACE_RING_H
#define MAXLAT_SENSORS_TRACE_RING_H

#include <maxlat/ring/layout.h>
#include <maxlat/sensors/event_list_types.h>

#define MAXLAT_TRACE_RING_VERSION 1u
#define MAXLAT_TRACE_RING_MAX_SUB_BUFFER_BITS 22u
#define MAXLAT_TRACE_RING_CPU 8u /* bytes before the fields */

struct maxlat_trace_ring_shape {
  uint64_t sub_buffer_bits, ring_bits, types, fields, labels;
};

/* The two words of a sensor's shape, and back. */
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_sizes(struct maxlat_trace_ring_shape shape) {
  return shape.sub_buffer_bits | shape.ring_bits << 8;
}
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_word(struct maxlat_trace_ring_shape shape) {
  return shape.types << 16 | shape.fields << 32 | shape.labels << 48;
}
MAXLAT_ARITHMETIC struct maxlat_trace_ring_shape maxlat_trace_ring_shape_of(uint64_t sizes, uint64_t word) {
  const struct maxlat_trace_ring_shape shape = {sizes & 0xff, sizes >> 8, word >> 16 & 0xffff, word >> 32 & 0xffff,
                                                word >> 48};
  return shape;
}

/* From the sensor's beginning. */
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_tables_end(struct maxlat_trace_ring_shape shape) {
  return sizeof(struct maxlat_sensor) + shape.types * sizeof(struct maxlat_event_type) +
         shape.fields * sizeof(struct maxlat_event_field) + shape.labels * sizeof(struct maxlat_event_label);
}
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_offset(struct maxlat_trace_ring_shape shape) {
  return (maxlat_trace_ring_tables_end(shape) + 63) / 64 * 64;
}

/* From the ring's beginning, as layout.c has them: a test holds them to that. */
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_cells(uint64_t ring_bits) {
  return (sizeof(struct maxlat_ring_header) + (sizeof(uint64_t) << ring_bits) + MAXLAT_RING_LINE - 1) /
         MAXLAT_RING_LINE * MAXLAT_RING_LINE;
}
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_memory(uint64_t ring_bits) {
  return (maxlat_trace_ring_cells(ring_bits) + (sizeof(struct maxlat_ring_cell) << ring_bits) + MAXLAT_RING_PAGE - 1) /
         MAXLAT_RING_PAGE * MAXLAT_RING_PAGE;
}
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_total(struct maxlat_trace_ring_shape shape) {
  return (maxlat_trace_ring_memory(shape.ring_bits) + (((1ull << shape.ring_bits) + 1) << shape.sub_buffer_bits) +
          MAXLAT_RING_PAGE - 1) /
         MAXLAT_RING_PAGE * MAXLAT_RING_PAGE;
}
MAXLAT_ARITHMETIC uint64_t maxlat_trace_ring_size(struct maxlat_trace_ring_shape shape) {
  return maxlat_trace_ring_offset(shape) + maxlat_trace_ring_total(shape);
}

#endif
