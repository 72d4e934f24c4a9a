/* SPDX-License-Identifier: MIT */
/*
 * What a list of events says of itself, so that a monitor needs nothing else: the types of its events, their fields,
 * and the labels of enumerations. All of it is constant, and stands between the list and its slots:
 *
 *   maxlat_event_list   the types   the fields, type by type   the labels, field by field   zeros   the slots   bytes
 *
 *   shape   {number of slots | number of bytes << 32, bytes of a slot | types << 16 | fields << 32 | labels << 48}
 *
 * The bytes behind the slots are the ring of a list whose events vary in size (var_event_list.h); others have none. The
 * slots begin with a cache line. There is at least one field and one label; those that no type or field counts as its
 * own are zero. An event's payload is that of a record in a trace, by description.hpp, PAYLOAD LAYOUT, followed by what
 * was in the slot before, or by the zeros that fill up a word of the ring.
 */
#ifndef MAXLAT_SENSORS_EVENT_LIST_TYPES_H
#define MAXLAT_SENSORS_EVENT_LIST_TYPES_H

#include <maxlat/sensors/var_event_list.h>

#define MAXLAT_EVENT_LIST_VERSION 1u
#define MAXLAT_VAR_EVENT_LIST_VERSION 1u
#define MAXLAT_EVENT_MAX_SLOTS (1u << 20)
#define MAXLAT_EVENT_MAX_RING (1u << 25) /* bytes */
#define MAXLAT_EVENT_MAX_TYPES 64u
#define MAXLAT_EVENT_MAX_FIELDS 2048u
#define MAXLAT_EVENT_MAX_LABELS 4096u
#define MAXLAT_EVENT_NAME 40u /* bytes, the zero included */

/* Names have the letters of identifiers. */
struct maxlat_event_type {
  char provider[MAXLAT_EVENT_NAME];
  char name[MAXLAT_EVENT_NAME];
  uint32_t level;  /* trace::Level */
  uint32_t fields; /* how many are its own */
} __attribute__((aligned(8)));

struct maxlat_event_field {
  char name[MAXLAT_EVENT_NAME];
  uint8_t kind;  /* trace::FieldKind */
  uint8_t bytes; /* of an element */
  uint8_t is_signed, is_float, is_hex;
  uint8_t reserved_0;
  uint16_t count;  /* elements of an array; the most of a sequence or string */
  uint16_t labels; /* how many are its own */
  uint16_t reserved_1[3];
} __attribute__((aligned(8)));

struct maxlat_event_label {
  uint64_t value;
  char name[MAXLAT_EVENT_NAME];
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_event_type) == 88, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_event_field) == 56, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_event_label) == 48, "layout");

struct maxlat_event_shape {
  uint64_t slots, slot_size, types, fields, labels, ring;
};

/* The two words of a sensor's shape, and back. */
MAXLAT_ARITHMETIC uint64_t maxlat_event_shape_sizes(struct maxlat_event_shape shape) {
  return shape.slots | shape.ring << 32;
}
MAXLAT_ARITHMETIC uint64_t maxlat_event_shape_word(struct maxlat_event_shape shape) {
  return shape.slot_size | shape.types << 16 | shape.fields << 32 | shape.labels << 48;
}
MAXLAT_ARITHMETIC struct maxlat_event_shape maxlat_event_shape_of(uint64_t sizes, uint64_t word) {
  const struct maxlat_event_shape shape = {sizes & 0xffffffff,  word & 0xffff, word >> 16 & 0xffff,
                                           word >> 32 & 0xffff, word >> 48,    sizes >> 32};
  return shape;
}

/* The largest payload of an event. */
MAXLAT_ARITHMETIC uint64_t maxlat_event_payload_room(struct maxlat_event_shape shape) {
  return shape.ring == 0 ? shape.slot_size - sizeof(struct maxlat_event_slot) : maxlat_var_event_most(shape.ring);
}

/* Multiples of 32 bytes, so that no slot lies in more cache lines than it must. */
MAXLAT_ARITHMETIC uint64_t maxlat_event_slot_size(uint64_t payload) {
  return (sizeof(struct maxlat_event_slot) + payload + 31) / 32 * 32;
}

/* Of the list's memory: from its beginning on. */
MAXLAT_ARITHMETIC uint64_t maxlat_event_tables_end(struct maxlat_event_shape shape) {
  return sizeof(struct maxlat_event_list) + shape.types * sizeof(struct maxlat_event_type) +
         shape.fields * sizeof(struct maxlat_event_field) + shape.labels * sizeof(struct maxlat_event_label);
}
MAXLAT_ARITHMETIC uint64_t maxlat_event_slots_offset(struct maxlat_event_shape shape) {
  return (maxlat_event_tables_end(shape) + 63) / 64 * 64;
}
MAXLAT_ARITHMETIC uint64_t maxlat_event_list_size(struct maxlat_event_shape shape) {
  return maxlat_event_slots_offset(shape) + (shape.slots * shape.slot_size + 63) / 64 * 64 + shape.ring;
}

#endif
