/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One ring buffer as it lies in memory that a producer and a consumer share. This header is the specification of that
 * memory; docs for its users are in reserve.h (writers) and read.h (the reader). START HERE when reading the ring.
 *
 * DRAWING (byte offsets; n = number of sub-buffers, S = size of one, both powers of two)
 *
 *      0  header    constant after creation: what this is, sizes, where the rest lies
 *     64  reader    read_count; written by the reader, and by a writer that pushes it
 *    128  books     lost_full lost_wrap lost_big records_delivered finalised; written when something is lost or
 *                   delivered
 *    192  hot       write_count, time_base, open_packet, then commit_count[n]; written for every event, one line while
 *                   n <= 4
 *         cells     n x { commit_seq, reference }; written once per sub-buffer; all that a waiting reader looks at
 *         memory    n x S bytes (+ S in overwrite mode: the reader's spare), page aligned
 *
 *    A sub-buffer:  0 packet header (112) | record | record | ... | padding to S
 *
 * The reader polls `cells` and `reader` only, so that waiting, however often, never takes the writer's hot line away.
 *
 * RULES of the memory: fixed-width little words, no pointers, all-zero and all-ones are no valid header, every word
 * that changes is 64 bits wide, aligned, and accessed through port.h. A reader trusts nothing in it (read.c): numbers
 * are copied, checked and then used; the header is read once.
 *
 * INVARIANTS, with who watches them (S = model/ring.pml, C = model/time_base.pml, B = model/progress.pml,
 * T = schedule_test.cpp, X = single_step_test.cpp)
 *   (1) read_count <= write_count <= read_count + n * S, in the arithmetic of the counters.                      S T
 *   (2) a slot has one writer from reservation to commit; slots of one packet do not overlap and leave no hole.  S T X
 *   (3) each pass adds exactly S to a commit count; a packet is published once, by the one context whose add
 *       filled it.                                                                                               S T X
 *   (4) a reader never sees a byte of a packet before all of it is committed, nor one of another pass.           S T X
 *   (5) in overwrite mode a sub-buffer is referenced by writers or owned by the reader, never both.              S T
 *   (6) time stamps never decrease from slot to slot, packets included, and are read back in full: reserve.h, TIME
 *       ORDER, with the one exception in a ring per CPU. (S has one clock that all read in order; counters of two
 *       CPUs, read early, are C's and T's.)                                                                    S C T X
 *   (7) records in packets delivered + records in the open packet + lost_full + lost_wrap + lost_big
 *       = events tried.                                                                                        B T X
 *   (8) lost counters in the packets of one ring never decrease.                                                 T
 *
 * DEATH. A writer that dies anywhere leaves commit counts short of the reserved bytes in the packets where it held
 * slots; no other writer waits for it: in discard mode the ring fills up to that packet, in overwrite mode events are
 * dropped as lost_wrap when the ring comes round to it. How its records are told from committed ones: record.h; watched
 * by model/death.pml and kill_test.cpp. A reader that dies leaves read_count where it was, and in overwrite mode one
 * cell marked `taken`; the next reader finds the spare as the one sub-buffer that no cell names (read.h).
 */
#ifndef MAXLAT_RING_LAYOUT_H
#define MAXLAT_RING_LAYOUT_H

#include <maxlat/ring/equations.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_RING_MAGIC 0x474e524du /* "MRNG" */
#define MAXLAT_RING_VERSION 2u
#define MAXLAT_RING_LINE 64u
#define MAXLAT_RING_PAGE 4096u

/* Features: what the reader must know to take part. Unknown bits are refused. */
#define MAXLAT_RING_OVERWRITE 1u      /* oldest packets are overwritten, n + 1 sub-buffers, exchange of references */
#define MAXLAT_RING_SHARED_WRITERS 2u /* MAXLAT_RING_CPU: several threads write */
#define MAXLAT_RING_NEEDS_PROMOTION \
  4u /* writers have compiler barriers only: the reader must promote them (promote.h) */
#define MAXLAT_RING_ALL_FEATURES 7u

/* Limits. The number of a sub-buffer is less than its size (open_packet). A sub-buffer holds less than 2^24 records of
 * 8 bytes (the record count's width). */
#define MAXLAT_RING_MIN_SUB_BUFFER_BITS 8u
#define MAXLAT_RING_MAX_SUB_BUFFER_BITS 26u
#define MAXLAT_RING_MIN_RING_BITS 1u /* two sub-buffers at least: one to write, one to read */
#define MAXLAT_RING_MAX_RING_BITS 7u /* so that a record's stamp tells a pass from the next (record.h) */

struct maxlat_ring_header {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint32_t features;
  uint32_t sub_buffer_bits;
  uint32_t ring_bits;
  uint32_t owner; /* thread id or CPU number */
  uint64_t total_size;
  uint64_t cells_offset;
  uint64_t memory_offset;
  uint64_t reserved[2];

  uint64_t read_count;
  uint64_t records_read; /* that no consumer need count any more: kept by each for the one after it */
  uint64_t reader_reserved[6];

  uint64_t lost_full; /* no free sub-buffer: in discard mode, or frozen for a snapshot (freeze.h) */
  uint64_t lost_wrap; /* overtaken: the ring came round to a packet still being written, or 64 attempts lost */
  uint64_t lost_big;  /* larger than a sub-buffer can hold */
  uint64_t records_delivered;
  uint64_t finalised;      /* 1: nothing will be written any more */
  uint64_t name_at_end[2]; /* text: what the owner was called then, where it tells; stands once finalised does */
  uint64_t frozen_at;      /* where it stood when a writer found the last request for a snapshot: freeze.h */

  uint64_t write_count;
  uint64_t time_base;   /* of short records: record.h, TIME */
  uint64_t open_packet; /* where the common path may write: reserve.h, OPEN. commit_count[n] follows directly */
};

MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_ring_header, total_size) == 24, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_ring_header, read_count) == 64, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_ring_header, lost_full) == 128, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_ring_header, write_count) == 192, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_ring_header) == 216, "commit_count[] begins at 216");

/* What changes once per pass of one sub-buffer. reference: see reference.h. */
struct maxlat_ring_cell {
  uint64_t commit_seq;
  uint64_t reference;
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_ring_cell) == 16, "layout");

/*
 * The head of every sub-buffer, and of the packet on disk. The first 32 bytes belong to the format (CTF: magic, UUID,
 * stream and owner): the ring writes them once, at creation, in every sub-buffer, and never again. The rest is written
 * when the packet is opened (begin_time, sequence), closed (end_time, lost_*, content_end) and delivered (records).
 */
#define MAXLAT_RING_PACKET_PREFIX 32u
struct maxlat_ring_packet {
  uint8_t prefix[MAXLAT_RING_PACKET_PREFIX];
  uint64_t begin_time; /* of its first record, or of the opening ahead of it (switch.h) */
  uint64_t end_time;   /* not before its last record, not after the next packet's begin */
  union {
    uint64_t content_end;  /* in the ring: the position behind the last record. Stored last of what closes a packet: no
                              other pass has this position, so it tells recovery that this packet was closed */
    uint64_t content_bits; /* on disk: header and records. Who takes the packet puts it there */
  };
  uint64_t packet_bits; /* with padding: 8 S */
  uint64_t sequence;    /* packet number */
  uint64_t records;
  uint64_t lost_total; /* not written by writers: who takes the packet puts the sum of the three there (CTF's
                          events_discarded) */
  uint64_t lost_full;  /* these three: the ring's books when the packet was closed; cumulative */
  uint64_t lost_wrap;
  uint64_t lost_big;
};
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_ring_packet, begin_time) == 32, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_ring_packet) == 112, "layout");
#define MAXLAT_RING_PACKET_HEADER ((uint64_t)sizeof(struct maxlat_ring_packet))

/* One process's view of a ring: addresses and sizes, copied and checked once. The producer's fast path uses nothing
 * else. */
struct maxlat_ring {
  uint64_t* write_count; /* the other hot words: behind it */
  uint8_t* memory;
  struct maxlat_ring_shape shape;
  uint32_t features;
  uint32_t owner;                 /* with MAXLAT_RING_CPU: the CPU; else for people */
  struct maxlat_ring_cell* cells; /* [n] */
  struct maxlat_ring_header* header;
  const struct maxlat_ring_freeze* freeze; /* freeze.h; its session sets it, after create */
};

/* The rest of the hot words, without another pointer. */
#define MAXLAT_RING_TIME_BASE 1
#define MAXLAT_RING_OPEN_PACKET 2
#define MAXLAT_RING_COMMIT_COUNT 3
MAXLAT_RING_INLINE uint64_t* maxlat_ring_time_base(const struct maxlat_ring* ring) {
  return ring->write_count + MAXLAT_RING_TIME_BASE;
}
MAXLAT_RING_INLINE uint64_t* maxlat_ring_open_packet(const struct maxlat_ring* ring) {
  return ring->write_count + MAXLAT_RING_OPEN_PACKET;
}
MAXLAT_RING_INLINE uint64_t* maxlat_ring_commit_count(const struct maxlat_ring* ring, uint64_t place) {
  return ring->write_count + MAXLAT_RING_COMMIT_COUNT + place;
}

struct maxlat_ring_options {
  uint32_t features;
  uint32_t sub_buffer_bits;
  uint32_t ring_bits;
  uint32_t owner;
  uint8_t prefix[MAXLAT_RING_PACKET_PREFIX];
  uint64_t start; /* first position; a multiple of the buffer size. 0, but for tests that begin just before a wrap */
};

/* Bytes of memory that such a ring needs. RETURNS: 0 when the options are out of range. */
uint64_t maxlat_ring_size(const struct maxlat_ring_options* options);

/*
 * Makes a ring in `where` (page aligned, maxlat_ring_size() bytes, zeroed) and a view of it. Touches every header page
 * of the sub-buffers, not their bodies: the caller maps, prefaults and locks. RETURNS: false, with nothing written,
 * when the options are out of range or size is too small. THREADS: before sharing.
 */
bool maxlat_ring_create(struct maxlat_ring* ring, void* where, uint64_t size,
                        const struct maxlat_ring_options* options);

/*
 * A view of a ring that somebody else made: the header is foreign, and every number in it is checked against `size`.
 * RETURNS: false, ring untouched, when anything does not fit. THREADS: any time.
 */
bool maxlat_ring_attach(struct maxlat_ring* ring, void* where, uint64_t size);

MAXLAT_RING_INLINE bool maxlat_ring_overwrites(const struct maxlat_ring* ring) {
  return (ring->features & MAXLAT_RING_OVERWRITE) != 0;
}
MAXLAT_RING_INLINE uint64_t maxlat_ring_sub_buffers(const struct maxlat_ring* ring) {
  return 1ull << ring->shape.ring_bits;
}

#ifdef __cplusplus
}
#endif
#endif
