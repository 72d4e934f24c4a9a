/* SPDX-License-Identifier: MIT */
/*
 * The memory of one session of one process, as producer and consumer share it: one memfd, made by the producer, handed
 * over once (control.hpp), alive as long as either of them is. Header and table of objects are those of every container
 * (container_layout.h). This header is the specification of the three kinds of objects that a session has.
 *
 *   head     header and table of objects
 *            SESSION    one            running, snapshots                      0 running   8 freeze
 *            METADATA   one            where the CTF metadata is, how long     0 text_offset   8 capacity   16 length
 *            CHANNEL    one each       its shape, its counters, its slots      0 what it is   64 what it counts
 *                                                                              128 slot 0   160 slot 1 ...
 *   text     TSDL, only ever appended; METADATA's `length` grows after the text
 *   rings    channel 0: slot 0, slot 1, ...; channel 1: ...     each ring: ring/layout.h, `ring_stride` bytes apart
 *
 * The ids of the channels count from 0 in the table's order; a channel's id is the stream number of its packets.
 * Entries and objects are whole when the magic number is there, and none is added or replaced later.
 *
 * The file is sparse: a slot costs memory only once a thread has claimed it. The producer maps the head for good and
 * each ring when it is claimed, and writes metadata with pwrite(): a program under mlockall(MCL_FUTURE) locks what it
 * uses, no more. The consumer maps what it reads.
 *
 * WHO WRITES: the producer everything but: slot words, which both sides change as is said below; and of `freeze` what
 * the consumer says there (ring/freeze.h).
 *
 * A SLOT is one place for a ring. Per-CPU channels: slot i is CPU i. Per-thread channels: slots are claimed.
 *
 *   FREE -> CLAIMED   a thread of the producer, by CAS; fallocates, maps, makes the ring
 *   CLAIMED -> LIVE   the same thread, release [S1]: the ring is valid from here on
 *   LIVE -> ENDED     the thread is gone and its ring finalised; nobody will write there again. An add of 1 [S3], not a
 *                     store: it keeps READING
 *   ENDED -> TAKEN    the consumer, by CAS: from here on no producer may claim the slot
 *   TAKEN -> FREE     the consumer, after it took everything and punched the memory out: generation + 1, release [S4].
 *                     A consumer that finds TAKEN (its predecessor died) goes on as if it had taken the slot itself
 *   ENDED -> CLAIMED  a thread of the producer, by CAS, in an overwriting channel without a free slot: generation + 1,
 *                     the ring's books added to the channel's `replaced` words, memory punched out (a ring is made in
 *                     zeroed memory)
 *
 * The word holds state (7 bits), READING (1 bit) and generation (56 bits), so a consumer that was slow sees that the
 * ring is another. READING: in an overwriting channel the consumer marks a LIVE slot, by CAS, while it is inside its
 * ring; the thread may end meanwhile, but nobody can claim the slot (who claims compares the whole word). A producer
 * that dies leaves slots as they were; CLAIMED is then no ring.
 *
 * LABELS: [S1] LIVE after the ring, [S2] metadata length after the text, [S3] ENDED after the last packet, [S4] FREE
 * after the hole and a cleared READING, both before the next claim. Those of header and table: container_layout.h.
 *
 * ONE CONSUMER at a time takes packets: it holds a write lock (F_OFD_SETLK) on byte 0 of the memfd, through a file
 * description of its own (open of /proc/self/fd/N), so the kernel releases it however the consumer ends, and children
 * that it forked do not keep it (consumer_lock.hpp).
 */
#ifndef MAXLAT_SHM_SESSION_LAYOUT_H
#define MAXLAT_SHM_SESSION_LAYOUT_H

#include <maxlat/ring/freeze.h>

#include "container_layout.h"

#define MAXLAT_SHM_SESSION_VERSION 1u
#define MAXLAT_SHM_METADATA_VERSION 1u
/* Rings lie in this memory: another one also with each version of the ring. */
#define MAXLAT_SHM_CHANNEL_VERSION (1u << 16 | MAXLAT_RING_VERSION)

#define MAXLAT_SHM_MAX_SLOTS 4096u          /* of a channel */
#define MAXLAT_SHM_MAX_SESSION_SLOTS 32768u /* of all channels: bounds a consumer's round */
#define MAXLAT_SHM_METADATA_CAPACITY (16ull << 20)

enum maxlat_shm_ownership { MAXLAT_SHM_PER_THREAD = 0, MAXLAT_SHM_PER_CPU = 1 };
enum maxlat_shm_delivery { MAXLAT_SHM_TIMER = 0, MAXLAT_SHM_WAKEUP = 1 };
enum maxlat_shm_slot_state {
  MAXLAT_SHM_FREE = 0,
  MAXLAT_SHM_CLAIMED = 1,
  MAXLAT_SHM_LIVE = 2,
  MAXLAT_SHM_ENDED = 3,
  MAXLAT_SHM_TAKEN = 4
};
#define MAXLAT_SHM_READING 0x80u

struct maxlat_shm_session {
  uint64_t running; /* 1 from start to stop; for people who look */
  /* Snapshots that were asked for and taken. While one is not, no slot of an overwriting channel goes from ENDED to
     CLAIMED, either. */
  struct maxlat_ring_freeze freeze;
};

struct maxlat_shm_metadata {
  uint64_t text_offset; /* behind the head */
  uint64_t capacity;
  uint64_t length; /* changes: release [S2] after the text; acquire by the consumer */
};

struct maxlat_shm_channel {
  uint32_t ring_features; /* ring/layout.h */
  uint32_t sub_buffer_bits;
  uint32_t ring_bits;
  uint32_t ownership;
  uint32_t delivery;
  uint32_t slots;
  uint64_t rings_offset; /* behind the head, a multiple of the page */
  uint64_t ring_stride;
  uint64_t reserved_0[3];

  /* What changes. Relaxed adds, all. */
  uint64_t lost_no_ring; /* events of threads that got no ring: no slot, no memory */
  /* Of rings whose slots a thread has claimed from ENDED: what they had counted, and nobody has read. They change
     before the slot is LIVE again. */
  uint64_t replaced_unread; /* records of delivered packets */
  uint64_t replaced_lost_full;
  uint64_t replaced_lost_wrap;
  uint64_t replaced_lost_big;
  uint64_t reserved_1[3];
};

/* They follow their channel. */
struct maxlat_shm_slot {
  uint64_t word;  /* state | READING | generation << 8 */
  uint32_t owner; /* thread id or CPU number; valid from LIVE on */
  uint32_t reserved;
  char name[16]; /* the thread's comm when it claimed the slot */
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_session) == 48, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_session, freeze) == 8, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_metadata) == 24, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_metadata, length) == 16, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_channel) == 128, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_channel, rings_offset) == 24, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_channel, lost_no_ring) == 64,
                     "what changes has a cache line of its own");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_slot) == 32, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_slot, owner) == 8, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_shm_slot, name) == 16, "layout");

#endif
