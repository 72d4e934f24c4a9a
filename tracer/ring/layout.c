/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Creating a ring in memory, and looking at one that somebody else created. Contract: layout.h. */
#include <maxlat/ring/freeze.h>
#include <maxlat/ring/layout.h>
#include <maxlat/ring/reference.h>

struct places {
  uint64_t cells;
  uint64_t memory;
  uint64_t total;
};

static uint64_t up_to_multiple(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static bool options_are_possible(uint32_t features, uint32_t sub_buffer_bits, uint32_t ring_bits) {
  return (features & ~MAXLAT_RING_ALL_FEATURES) == 0 && sub_buffer_bits >= MAXLAT_RING_MIN_SUB_BUFFER_BITS &&
         sub_buffer_bits <= MAXLAT_RING_MAX_SUB_BUFFER_BITS && ring_bits >= MAXLAT_RING_MIN_RING_BITS &&
         ring_bits <= MAXLAT_RING_MAX_RING_BITS && ring_bits < sub_buffer_bits &&
         sub_buffer_bits + ring_bits < MAXLAT_RING_COUNT_BITS;
}

/* The largest ring in range has 2^7 + 1 sub-buffers of 2^26 bytes: no overflow here. */
static struct places places_of(uint32_t features, uint32_t sub_buffer_bits, uint32_t ring_bits) {
  const uint64_t sub_buffers = 1ull << ring_bits;
  const uint64_t in_memory = sub_buffers + ((features & MAXLAT_RING_OVERWRITE) != 0 ? 1 : 0);
  struct places at;
  at.cells = up_to_multiple(sizeof(struct maxlat_ring_header) + sub_buffers * sizeof(uint64_t), MAXLAT_RING_LINE);
  at.memory = up_to_multiple(at.cells + sub_buffers * sizeof(struct maxlat_ring_cell), MAXLAT_RING_PAGE);
  at.total = up_to_multiple(at.memory + (in_memory << sub_buffer_bits), MAXLAT_RING_PAGE);
  return at;
}

/* Of a ring that belongs to no session. */
static const struct maxlat_ring_freeze no_freeze;

static void view(struct maxlat_ring* ring, void* where, struct places at, uint32_t features, uint32_t owner,
                 uint32_t sub_buffer_bits, uint32_t ring_bits) {
  uint8_t* bytes = (uint8_t*)where;
  ring->header = (struct maxlat_ring_header*)where;
  ring->write_count = &ring->header->write_count;
  ring->cells = (struct maxlat_ring_cell*)(void*)(bytes + at.cells);
  ring->memory = bytes + at.memory;
  ring->shape = maxlat_ring_shape_of(sub_buffer_bits, ring_bits);
  ring->features = features;
  ring->owner = owner;
  ring->freeze = &no_freeze;
}

uint64_t maxlat_ring_size(const struct maxlat_ring_options* options) {
  if (!options_are_possible(options->features, options->sub_buffer_bits, options->ring_bits)) return 0;
  return places_of(options->features, options->sub_buffer_bits, options->ring_bits).total;
}

bool maxlat_ring_create(struct maxlat_ring* ring, void* where, uint64_t size,
                        const struct maxlat_ring_options* options) {
  const uint64_t needed = maxlat_ring_size(options);
  if (needed == 0 || size < needed) return false;
  const struct places at = places_of(options->features, options->sub_buffer_bits, options->ring_bits);
  view(ring, where, at, options->features, options->owner, options->sub_buffer_bits, options->ring_bits);
  const uint64_t start = maxlat_ring_wrap(options->start);
  if ((start & ring->shape.buffer_mask) != 0) return false;

  struct maxlat_ring_header* header = ring->header;
  header->version = MAXLAT_RING_VERSION;
  header->header_size = sizeof(struct maxlat_ring_header);
  header->features = options->features;
  header->sub_buffer_bits = options->sub_buffer_bits;
  header->ring_bits = options->ring_bits;
  header->owner = options->owner;
  header->total_size = needed;
  header->cells_offset = at.cells;
  header->memory_offset = at.memory;
  header->read_count = start;
  header->write_count = start;
  header->open_packet = maxlat_ring_wrap(start - ring->shape.sub_buffer_mask - 1); /* none */

  const uint64_t sub_buffers = maxlat_ring_sub_buffers(ring);
  const uint64_t before = maxlat_ring_committed_before(&ring->shape, start) & MAXLAT_RING_COMMIT_MASK;
  for (uint64_t i = 0; i < sub_buffers; ++i) {
    *maxlat_ring_commit_count(ring, i) = before;
    ring->cells[i].commit_seq = before;
    /* The tag of the pass before the first: no reader asks for it, because equation 2 is false. */
    const uint64_t earlier = maxlat_ring_wrap(start + (i << options->sub_buffer_bits) - ring->shape.buffer_mask - 1);
    ring->cells[i].reference = maxlat_ring_ref(i, 0, maxlat_ring_packet_number(&ring->shape, earlier));
  }
  const uint64_t in_memory = sub_buffers + (maxlat_ring_overwrites(ring) ? 1 : 0);
  for (uint64_t i = 0; i < in_memory; ++i) {
    struct maxlat_ring_packet* packet =
        (struct maxlat_ring_packet*)(void*)(ring->memory + (i << options->sub_buffer_bits));
    for (uint32_t byte = 0; byte < MAXLAT_RING_PACKET_PREFIX; ++byte) packet->prefix[byte] = options->prefix[byte];
    packet->packet_bits = 8ull << options->sub_buffer_bits;
    packet->content_end = start; /* in no packet that begins here or later */
  }
  /* release [L1]: a reader that finds the magic finds everything above. Partner: [L1] in maxlat_ring_attach. Shape:
     publish. Without this, a consumer that maps the memory early could see sizes of zero behind a valid magic. */
  __atomic_store_n(&header->magic, MAXLAT_RING_MAGIC, __ATOMIC_RELEASE);
  return true;
}

bool maxlat_ring_attach(struct maxlat_ring* ring, void* where, uint64_t size) {
  if (size < sizeof(struct maxlat_ring_header)) return false;
  const struct maxlat_ring_header* header = (const struct maxlat_ring_header*)where;
  /* acquire [L1]: see maxlat_ring_create. */
  if (__atomic_load_n(&header->magic, __ATOMIC_ACQUIRE) != MAXLAT_RING_MAGIC) return false;
  /* relaxed: constant after creation in an honest producer; read exactly once because a hostile one may change them. */
  const uint16_t version = __atomic_load_n(&header->version, __ATOMIC_RELAXED);
  const uint16_t header_size = __atomic_load_n(&header->header_size, __ATOMIC_RELAXED);
  const uint32_t features = __atomic_load_n(&header->features, __ATOMIC_RELAXED);
  const uint32_t owner = __atomic_load_n(&header->owner, __ATOMIC_RELAXED);
  const uint32_t sub_buffer_bits = __atomic_load_n(&header->sub_buffer_bits, __ATOMIC_RELAXED);
  const uint32_t ring_bits = __atomic_load_n(&header->ring_bits, __ATOMIC_RELAXED);
  const uint64_t total_size = __atomic_load_n(&header->total_size, __ATOMIC_RELAXED);
  const uint64_t cells_offset = __atomic_load_n(&header->cells_offset, __ATOMIC_RELAXED);
  const uint64_t memory_offset = __atomic_load_n(&header->memory_offset, __ATOMIC_RELAXED);

  if (version != MAXLAT_RING_VERSION || header_size != sizeof(struct maxlat_ring_header)) return false;
  if (!options_are_possible(features, sub_buffer_bits, ring_bits)) return false;
  /* The offsets are stated for readers that were not built from this file; here they must be what they can only be. */
  const struct places at = places_of(features, sub_buffer_bits, ring_bits);
  if (total_size != at.total || total_size > size || cells_offset != at.cells || memory_offset != at.memory)
    return false;
  view(ring, where, at, features, owner, sub_buffer_bits, ring_bits);
  return true;
}
