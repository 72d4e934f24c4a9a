/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The less common half of the write side: attempts that begin or end a packet, dropped events, delivery, flush.
 * Contracts and reasons: reserve.h, switch.h, commit.h.
 */
#include <maxlat/ring/reserve.h>
#include <maxlat/ring/switch.h>

/* What one attempt would do, worked out before its CAS and carried out after it. */
struct plan {
  uint64_t old;   /* write_count before */
  uint64_t begin; /* of the record; for a flush: the next sub-buffer */
  uint64_t time;
  uint64_t lost_full; /* books, for the packet that is closed */
  uint64_t lost_wrap;
  uint64_t lost_big;
};

static inline struct maxlat_ring_packet* packet_in(const struct maxlat_ring* ring, uint64_t sub_buffer) {
  return (struct maxlat_ring_packet*)(void*)(ring->memory + (sub_buffer << ring->shape.sub_buffer_bits));
}

static void read_books(const struct maxlat_ring* ring, struct plan* plan) {
  /* relaxed: counters; the CAS that follows orders packets, see LOST in reserve.h. */
  plan->lost_full = maxlat_ring_load(&ring->header->lost_full);
  plan->lost_wrap = maxlat_ring_load(&ring->header->lost_wrap);
  plan->lost_big = maxlat_ring_load(&ring->header->lost_big);
}

static enum maxlat_ring_outcome drop(enum maxlat_ring_ownership ownership, uint64_t* counter) {
  maxlat_ring_owner_add(ownership, counter, 1);
  return MAXLAT_RING_DROPPED;
}

/* PushReader: the packet of `position` overwrites the one that is a whole buffer older. A reader that still stands
   there, or earlier, is moved to the oldest packet that remains. A retry means that the reader or a nested writer moved
   it meanwhile. */
static inline void push_reader(const struct maxlat_ring* ring, uint64_t position) {
  uint64_t* read_count = &ring->header->read_count;
  const uint64_t oldest = maxlat_ring_wrap(maxlat_ring_sub_buffer_start(&ring->shape, position) +
                                           ring->shape.sub_buffer_mask - ring->shape.buffer_mask);
  for (;;) {
    /* relaxed: the CAS decides; nothing else depends on the value. */
    const uint64_t read = maxlat_ring_load(read_count);
    if (!maxlat_ring_full(&ring->shape, position, read) || maxlat_ring_shared_cas(read_count, read, oldest)) return;
  }
}

/* maxlat_ring_claim, for the longest path without a call. */
MAXLAT_RING_INLINE uint64_t claim(const struct maxlat_ring* ring, uint64_t position) {
  push_reader(ring, position);
  uint64_t* reference = &ring->cells[maxlat_ring_index(&ring->shape, position)].reference;
  const uint64_t wanted = maxlat_ring_ref(0, MAXLAT_RING_REF_WRITER, maxlat_ring_packet_number(&ring->shape, position));
  for (;;) {
    /* acquire [X1]: the reader's exchange, and with it its last look at the sub-buffer it hands in, comes before our
       stores. Partner: acquire-release [X1] of the exchange in read.c. Shape: publish. Without this, the reader could
       read new bytes in the spare it is about to give. */
    const uint64_t word = maxlat_ring_load_acquire(reference);
    if (maxlat_ring_ref_state(word) == wanted) return maxlat_ring_ref_sub_buffer(word);
    const uint64_t sub_buffer = maxlat_ring_ref_sub_buffer(word);
    if (maxlat_ring_shared_cas(reference, word, sub_buffer | wanted)) return sub_buffer;
  }
}

uint64_t maxlat_ring_claim(const struct maxlat_ring* ring, uint64_t position) {
  return claim(ring, position);
}

static inline void close_packet(struct maxlat_ring_packet* packet, const struct plan* plan, uint64_t content) {
  packet->end_time = plan->time;
  packet->content_bits = 8 * content;
  packet->lost_total = plan->lost_full + plan->lost_wrap + plan->lost_big;
  packet->lost_full = plan->lost_full;
  packet->lost_wrap = plan->lost_wrap;
  packet->lost_big = plan->lost_big;
}

/* maxlat_ring_deliver, for the longest path without a call. */
MAXLAT_RING_INLINE void deliver(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring, uint64_t position,
                                uint64_t filled) {
  struct maxlat_ring_cell* cell = &ring->cells[maxlat_ring_index(&ring->shape, position)];
  const bool overwrites = maxlat_ring_overwrites(ring);
  /* relaxed, both: until the stores below only this context may change them. */
  const uint64_t records = maxlat_ring_records_between(maxlat_ring_load(&cell->commit_seq), filled);
  const uint64_t word = maxlat_ring_load(&cell->reference);
  packet_in(ring, maxlat_ring_ref_sub_buffer(word))->records = records;
  maxlat_ring_owner_add(ownership, &ring->header->records_delivered, records);
  if (overwrites) {
    /* release [R1]: writers are done before the reader may exchange. Partner: [X1] in read.c; together with [P1].
     * Shape: publish. */
    maxlat_ring_store_release(&cell->reference, word & ~MAXLAT_RING_REF_WRITER);
  }
  /* release [P1]: the whole packet before the word that publishes it. Partners: acquire [P1] in read.c, acquire [E1]
     above. Shape: publish. Without this, the reader could see commit_seq and miss the packet's header. */
  maxlat_ring_store_release(&cell->commit_seq, filled);
}

/* SwitchOldSubbuf: ends the packet that write_count was in, with padding. The commit is that of commit.h, [W1]. */
MAXLAT_RING_INLINE void switch_old(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                   const struct plan* plan) {
  const uint64_t content = plan->old & ring->shape.sub_buffer_mask;
  const uint64_t packet = maxlat_ring_packet_number(&ring->shape, plan->old);
  close_packet(packet_in(ring, maxlat_ring_sub_buffer_of(ring, plan->old, packet)), plan, content);
  const uint64_t commit = maxlat_ring_owner_add(ownership, &ring->commit_count[packet & ring->shape.ring_mask],
                                                ring->shape.sub_buffer_mask + 1 - content);
  if (maxlat_ring_filled(&ring->shape, plan->old, commit)) deliver(ownership, ring, plan->old, commit);
}

/* What follows a successful CAS, out of order with other contexts: close the old packet, open the new one, close that
   too if the record ends it, and tell the caller where its slot is. */
MAXLAT_RING_INLINE void carry_out(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                  const struct plan* plan, uint64_t size, struct maxlat_ring_slot* slot) {
  const uint64_t mask = ring->shape.sub_buffer_mask;
  const bool enter = plan->begin != plan->old;
  if (enter && (plan->old & mask) != 0) switch_old(ownership, ring, plan);

  const uint64_t number = maxlat_ring_packet_number(&ring->shape, plan->begin);
  const uint64_t sub_buffer = !maxlat_ring_overwrites(ring) ? number & ring->shape.ring_mask
                              : enter                       ? claim(ring, plan->begin)
                                                            : maxlat_ring_sub_buffer_of(ring, plan->begin, number);
  struct maxlat_ring_packet* packet = packet_in(ring, sub_buffer);
  slot->position = plan->begin;
  slot->packet = number;
  slot->time = plan->time;
  slot->bytes = (uint8_t*)packet + (plan->begin & mask);
  slot->commit_count = &ring->commit_count[number & ring->shape.ring_mask];
  if (enter) { /* SwitchNewSubbuf */
    packet->begin_time = plan->time;
    packet->sequence = number;
    maxlat_ring_commit_bytes(ownership, ring, slot->commit_count, plan->begin, MAXLAT_RING_PACKET_HEADER);
  }
  if (((plan->begin + size) & mask) == 0) close_packet(packet, plan, mask + 1); /* EndSwitchCurrent */
}

MAXLAT_RING_OUT_OF_LINE static void carry_out_thread(const struct maxlat_ring* ring, const struct plan* plan,
                                                     uint64_t size, struct maxlat_ring_slot* slot) {
  carry_out(MAXLAT_RING_THREAD, ring, plan, size, slot);
}
MAXLAT_RING_OUT_OF_LINE static void carry_out_cpu(const struct maxlat_ring* ring, const struct plan* plan,
                                                  uint64_t size, struct maxlat_ring_slot* slot) {
  carry_out(MAXLAT_RING_CPU, ring, plan, size, slot);
}

/* One attempt of any kind. Inlined for each ownership, so that each has its own instructions; what drops an event comes
 * first. */
MAXLAT_RING_INLINE enum maxlat_ring_outcome attempt(enum maxlat_ring_ownership ownership,
                                                    const struct maxlat_ring* ring, uint64_t size,
                                                    struct maxlat_ring_slot* slot) {
  const struct maxlat_ring_shape* shape = &ring->shape;
  struct maxlat_ring_header* header = ring->header;
  const uint64_t mask = shape->sub_buffer_mask;
  struct plan plan;
  plan.old = maxlat_ring_load(ring->write_count); /* relaxed: the CAS below decides */
  const uint64_t offset = plan.old & mask;
  plan.begin = plan.old;
  if (offset == 0 || offset + size > mask + 1) {
    if (size > mask + 1 - MAXLAT_RING_PACKET_HEADER) return drop(ownership, &header->lost_big);
    const uint64_t start = maxlat_ring_wrap((plan.old + mask) & ~mask);
    /* acquire [E1]: the writer that published the last pass is done with the sub-buffer. Partner: release [P1] below.
       Shape: publish. Without this, a delivering thread on another CPU could still be storing its packet header. */
    if (!maxlat_ring_fully_committed(
            shape, start, maxlat_ring_load_acquire(&ring->cells[maxlat_ring_index(shape, start)].commit_seq))) {
      return drop(ownership, &header->lost_wrap);
    }
    /* acquire [G1]: the reader has read the packet that our stores replace. Partner: [G1], put in read.c. Shape:
       publish. Without this, the reader could see bytes of the new pass in the old packet. */
    if (!maxlat_ring_overwrites(ring) &&
        maxlat_ring_full(shape, start, maxlat_ring_load_acquire(&header->read_count))) {
      return drop(ownership, &header->lost_full);
    }
    plan.begin = start + MAXLAT_RING_PACKET_HEADER;
  }
  read_books(ring, &plan);
  plan.time = maxlat_ring_clock();
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan.old, maxlat_ring_wrap(plan.begin + size))) {
    return MAXLAT_RING_AGAIN;
  }
  (ownership == MAXLAT_RING_THREAD ? carry_out_thread : carry_out_cpu)(ring, &plan, size, slot);
  return MAXLAT_RING_RESERVED;
}

enum maxlat_ring_outcome maxlat_ring_try_any(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                             uint64_t size, struct maxlat_ring_slot* slot) {
  return ownership == MAXLAT_RING_THREAD ? attempt(MAXLAT_RING_THREAD, ring, size, slot)
                                         : attempt(MAXLAT_RING_CPU, ring, size, slot);
}

/* After an AGAIN. */
MAXLAT_RING_OUT_OF_LINE static enum maxlat_ring_outcome insist(enum maxlat_ring_ownership ownership,
                                                               const struct maxlat_ring* ring, uint64_t size,
                                                               struct maxlat_ring_slot* slot) {
  for (int tries = 1; tries < MAXLAT_RING_ATTEMPTS; ++tries) {
    const enum maxlat_ring_outcome outcome = maxlat_ring_try_any(ownership, ring, size, slot);
    if (outcome != MAXLAT_RING_AGAIN) return outcome;
  }
  maxlat_ring_give_up(ownership, ring);
  return MAXLAT_RING_DROPPED;
}

enum maxlat_ring_outcome maxlat_ring_reserve_any(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                                 uint64_t size, struct maxlat_ring_slot* slot) {
  const enum maxlat_ring_outcome outcome = ownership == MAXLAT_RING_THREAD
                                               ? attempt(MAXLAT_RING_THREAD, ring, size, slot)
                                               : attempt(MAXLAT_RING_CPU, ring, size, slot);
  return MAXLAT_LIKELY(outcome != MAXLAT_RING_AGAIN) ? outcome : insist(ownership, ring, size, slot);
}

void maxlat_ring_give_up(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  drop(ownership, &ring->header->lost_wrap);
}

void maxlat_ring_deliver(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring, uint64_t position,
                         uint64_t filled) {
  deliver(ownership, ring, position, filled);
}

bool maxlat_ring_flush(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  struct plan plan;
  plan.old = maxlat_ring_load(ring->write_count); /* relaxed: the CAS below decides */
  const uint64_t offset = plan.old & ring->shape.sub_buffer_mask;
  if (offset == 0) return false;
  plan.begin = maxlat_ring_wrap(plan.old + ring->shape.sub_buffer_mask + 1 - offset);
  read_books(ring, &plan);
  plan.time = maxlat_ring_clock();
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan.old, plan.begin)) return false;
  switch_old(ownership, ring, &plan);
  return true;
}

void maxlat_ring_finalise(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  maxlat_ring_flush(ownership, ring);
  /* release [F1]: the last packet before the word that says there is no other. Partner: acquire [F1] in read.c. Shape:
   * publish. */
  maxlat_ring_store_release(&ring->header->finalised, 1);
}
