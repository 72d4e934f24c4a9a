/* SPDX-License-Identifier: MIT */
/*
 * The memory of one session of one process, as producer and consumer share it: one memfd, made by the producer, handed
 * over once (control.hpp), alive as long as either of them is. This header is the specification of that memory.
 *
 *   0            header          one page: what this is, the clock, the channels
 *   slots        slot table      one entry per ring, all channels, in the order of channels
 *   metadata     CTF metadata    TSDL text, only ever appended; `metadata_length` grows after the text
 *   rings        channel 0: slot 0, slot 1, ...; channel 1: ...     each ring: ring/layout.h, `ring_stride` bytes apart
 *
 * The file is sparse: a slot costs memory only once a thread has claimed it. The producer maps header and slot table
 * for good and each ring when it is claimed, and writes metadata with pwrite(): a program under mlockall(MCL_FUTURE)
 * locks what it uses, no more. The consumer maps what it reads.
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
 * SEALS: the producer seals the memfd against shrinking (F_SEAL_SHRINK) before it hands it over. The consumer refuses a
 * memory that is not sealed: a file cut short under a mapping would kill it (SIGBUS).
 *
 * RULES: fixed-width little words, no pointers, all-zero and all-ones are no valid header. The consumer trusts nothing
 * (session_memory.hpp: every number is copied, checked against the file's size, then used).
 *
 * LABELS: [S1] LIVE after the ring, [S2] metadata length after the text, [S3] ENDED after the last packet, [S4] FREE
 * after the hole and a cleared READING, both before the next claim, [S5] the magic number after the header.
 *
 * ONE CONSUMER at a time takes packets: it holds a write lock (F_OFD_SETLK) on byte 0 of the memfd, through a file
 * description of its own (open of /proc/self/fd/N), so the kernel releases it however the consumer ends, and children
 * that it forked do not keep it (consumer_lock.hpp).
 */
#ifndef MAXLAT_SHM_SESSION_LAYOUT_H
#define MAXLAT_SHM_SESSION_LAYOUT_H

#include <maxlat/base/platform.h>
#include <maxlat/ring/freeze.h>

#define MAXLAT_SHM_MAGIC 0x53544c4du /* "MLTS" */
#define MAXLAT_SHM_VERSION 3u /* another one also with each MAXLAT_RING_VERSION: rings lie in this memory */
#define MAXLAT_SHM_PAGE 4096u
#define MAXLAT_SHM_MAX_CHANNELS 8u
#define MAXLAT_SHM_MAX_SLOTS 4096u /* of a channel */
#define MAXLAT_SHM_NAME 64u        /* bytes of a name, its zero included */
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
#define MAXLAT_SHM_STATE_MASK 0x7fu
#define MAXLAT_SHM_GENERATION_SHIFT 8

struct maxlat_shm_channel {
  char name[MAXLAT_SHM_NAME];
  uint32_t ring_features; /* ring/layout.h */
  uint32_t sub_buffer_bits;
  uint32_t ring_bits;
  uint32_t ownership;
  uint32_t delivery;
  uint32_t slots;
  uint64_t slot_table_offset; /* struct maxlat_shm_slot [slots] */
  uint64_t rings_offset;
  uint64_t ring_stride;
  uint64_t lost_no_ring; /* events of threads that got no ring: no slot, no memory. Changes; relaxed adds */
  /* Of rings whose slots a thread has claimed from ENDED: what they had counted, and nobody has read. They change
     before the slot is LIVE again; relaxed adds. */
  uint64_t replaced_unread; /* records of delivered packets */
  uint64_t replaced_lost_full;
  uint64_t replaced_lost_wrap;
  uint64_t replaced_lost_big;
};

struct maxlat_shm_slot {
  uint64_t word;  /* state | READING | generation << 8 */
  uint32_t owner; /* thread id or CPU number; valid from LIVE on */
  uint32_t reserved;
  char name[16]; /* the thread's comm when it claimed the slot */
};

struct maxlat_shm_header {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint32_t pid;
  uint32_t channels;
  uint64_t total_size;
  uint64_t metadata_offset;
  uint64_t metadata_capacity;
  uint8_t uuid[16];
  char session[MAXLAT_SHM_NAME];
  char process[MAXLAT_SHM_NAME];

  /* words that change */
  uint64_t metadata_length; /* release [S2] after the text; acquire by the consumer */
  uint64_t running;         /* 1 from start to stop; for people who look */
  /* Snapshots that were asked for and taken. While one is not, no slot of an overwriting channel goes from ENDED to
     CLAIMED, either. */
  struct maxlat_ring_freeze freeze;
  uint64_t ticks_per_second; /* of the counter, for the times in `freeze`; written before the memory is handed over */

  struct maxlat_shm_channel channel[MAXLAT_SHM_MAX_CHANNELS];
};

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_slot) == 32, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_channel) == 152, "layout");
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_shm_header) <= MAXLAT_SHM_PAGE, "the header is one page");

#endif
