/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The less common half of the write side: attempts that begin or end a packet, dropped events, delivery, opening ahead,
 * flush. Contracts and reasons: reserve.h, switch.h, commit.h.
 */
#include <maxlat/ring/freeze.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/switch.h>

enum outcome {
  RESERVED,
  DROPPED, /* and counted, by cause */
  AGAIN    /* another writer was first; nothing happened */
};

/* What one attempt would do, worked out before its CAS and carried out after it. */
struct plan {
  uint64_t old;       /* write_count before */
  uint64_t base;      /* time_base before, or NO_BASE */
  uint64_t next;      /* start of the packet that is entered, or that a flush moves to */
  uint64_t time;      /* of the record, or of the end of the packet */
  uint64_t lost_full; /* books, for the packet that is closed */
  uint64_t lost_wrap;
  uint64_t lost_big;
};

/* Ordered where two CPUs may meet: reserve.h, TIME ORDER. */
MAXLAT_RING_INLINE uint64_t clock_of(enum maxlat_ring_ownership ownership) {
  return ownership == MAXLAT_RING_THREAD ? maxlat_ring_clock() : maxlat_ring_clock_ordered();
}

static inline struct maxlat_ring_packet* packet_in(const struct maxlat_ring* ring, uint64_t sub_buffer) {
  return (struct maxlat_ring_packet*)(void*)(ring->memory + (sub_buffer << ring->shape.sub_buffer_bits));
}

static void read_books(const struct maxlat_ring* ring, struct plan* plan) {
  /* relaxed: counters; the CAS that follows orders packets, see LOST in reserve.h. */
  plan->lost_full = maxlat_ring_load(&ring->header->lost_full);
  plan->lost_wrap = maxlat_ring_load(&ring->header->lost_wrap);
  plan->lost_big = maxlat_ring_load(&ring->header->lost_big);
}

MAXLAT_RING_INLINE enum outcome drop(enum maxlat_ring_ownership ownership, uint64_t* counter) {
  maxlat_ring_owner_add(ownership, counter, 1);
  return DROPPED;
}

/* What time_base never is: a foreign writer has it for the base before, and so it puts no base there. */
#define NO_BASE (~0ull)

/* What a foreign writer puts into time_base: reserve.h, TIME ORDER. */
MAXLAT_RING_INLINE uint64_t mark_of(uint64_t time) {
  return time | MAXLAT_RING_FOREIGN;
}

/* Reads the clock, and if that was not on the ring's CPU, leaves a mark. RETURNS: false: somebody else has moved the
   word meanwhile; nothing happened. */
MAXLAT_RING_INLINE bool read_time(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                  const volatile uint32_t* cpu, struct plan* plan) {
  plan->time = clock_of(ownership);
  if (ownership == MAXLAT_RING_THREAD || MAXLAT_LIKELY(*cpu == ring->owner)) return true;
  /* release [T2] is the CAS of write_count that follows, a locked instruction. Partner: acquire [T2] in reserve.h. */
  const bool marked = maxlat_ring_shared_cas(maxlat_ring_time_base(ring), plan->base, mark_of(plan->time));
  plan->base = NO_BASE;
  return marked;
}

/* A record with full time is reserved, or a packet with begin_time: the base of those that follow. Among several
   threads not over what somebody has put there since `before` was read. */
MAXLAT_RING_INLINE void keep_base(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring, uint64_t before,
                                  uint64_t time) {
  /* release [T1], both: see maxlat_ring_reserve_common. */
  if (ownership == MAXLAT_RING_THREAD) {
    maxlat_ring_store_release(maxlat_ring_time_base(ring), time);
  } else {
    maxlat_ring_shared_cas(maxlat_ring_time_base(ring), before, time);
  }
}

/* PushReader: the packet at `start` overwrites the one that is a whole buffer older. A reader that still stands there,
   or earlier, is moved to the oldest packet that remains. A retry means that the reader or a nested writer moved it
   meanwhile. */
static inline void push_reader(const struct maxlat_ring* ring, uint64_t start) {
  uint64_t* read_count = &ring->header->read_count;
  const uint64_t oldest = maxlat_ring_wrap(start + ring->shape.sub_buffer_mask - ring->shape.buffer_mask);
  for (;;) {
    /* relaxed: the CAS decides; nothing else depends on the value. Equation 1, of two starts. */
    const uint64_t read = maxlat_ring_load(read_count);
    if (maxlat_ring_wrap(start - read) <= ring->shape.buffer_mask || maxlat_ring_shared_cas(read_count, read, oldest))
      return;
  }
}

/* Overwrite mode: marks the place of the packet at `start` as held by writers for it, and makes the reader leave it.
   RETURNS: the sub-buffer that stands there. */
static inline uint64_t claim(const struct maxlat_ring* ring, uint64_t start, struct maxlat_ring_cell* cell) {
  push_reader(ring, start);
  const uint64_t wanted = maxlat_ring_ref(0, MAXLAT_RING_REF_WRITER, maxlat_ring_packet_number(&ring->shape, start));
  for (;;) {
    /* acquire [X1]: the reader's exchange, and with it its last look at the sub-buffer it hands in, comes before our
       stores. Partner: acquire-release [X1] of the exchange in read.c. Shape: publish. Without this, the reader could
       read new bytes in the spare it is about to give. */
    const uint64_t word = maxlat_ring_load_acquire(&cell->reference);
    if (maxlat_ring_ref_state(word) == wanted) return maxlat_ring_ref_sub_buffer(word);
    const uint64_t sub_buffer = maxlat_ring_ref_sub_buffer(word);
    if (!maxlat_ring_shared_cas(&cell->reference, word, sub_buffer | wanted)) continue;
    /* release [O2], a fence between stores: ours into the sub-buffer stay behind the claim. An acquire-release exchange
       alone does not do that: what is behind it may pass its store. On x86, where stores stay in order, no instruction.
       Partner: acquire [O2] in open_packet.c. Shape: seqlock. Without this, a copy of the packet that was here could
       have bytes of ours and be found good. */
    maxlat_ring_store_fence();
    return sub_buffer;
  }
}

static inline struct maxlat_ring_cell* cell_of(const struct maxlat_ring* ring, uint64_t position) {
  return &ring->cells[maxlat_ring_index(&ring->shape, position)];
}

/* The sub-buffer in which the packet at `start` lies, in which something is reserved. Whoever touches a packet first
   claims it: the context that opened it may have been interrupted before it did. */
static inline uint64_t sub_buffer_of(const struct maxlat_ring* ring, uint64_t start) {
  /* acquire [X1]: as in maxlat_ring_reserve_common. */
  const uint64_t sub_buffer = maxlat_ring_wrap(maxlat_ring_load_acquire(maxlat_ring_open_packet(ring)) - start);
  if (MAXLAT_LIKELY(sub_buffer <= ring->shape.sub_buffer_mask)) return sub_buffer;
  return maxlat_ring_overwrites(ring) ? claim(ring, start, cell_of(ring, start))
                                      : maxlat_ring_index(&ring->shape, start);
}

/* release [X1]: see maxlat_ring_reserve_common. */
static inline void keep_open_packet(const struct maxlat_ring* ring, uint64_t start, uint64_t sub_buffer) {
  maxlat_ring_store_release(maxlat_ring_open_packet(ring), maxlat_ring_wrap(start + sub_buffer));
}

/* `end`: the position behind the last record. */
static inline void close_packet(struct maxlat_ring_packet* packet, const struct plan* plan, uint64_t end) {
  packet->end_time = plan->time;
  packet->lost_full = plan->lost_full;
  packet->lost_wrap = plan->lost_wrap;
  packet->lost_big = plan->lost_big;
  /* release [D1]: a content_end in this packet tells recovery that end_time is this packet's, too. */
  maxlat_ring_store_release(&packet->content_end, end);
}

/* Publishes a packet whose last byte is committed: `filled` is the commit count that filled it. */
MAXLAT_RING_INLINE void deliver(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                struct maxlat_ring_cell* cell, struct maxlat_ring_packet* packet, uint64_t filled) {
  /* relaxed, both: until the stores below only this context may change them. */
  const uint64_t records = maxlat_ring_records_between(maxlat_ring_load(&cell->commit_seq), filled);
  packet->records = records;
  if (maxlat_ring_overwrites(ring)) {
    const uint64_t word = maxlat_ring_load(&cell->reference);
    /* release [R1]: writers are done before the reader may exchange. Partner: [X1] in read.c; together with [P1].
       Shape: publish. */
    maxlat_ring_store_release(&cell->reference, word & ~MAXLAT_RING_REF_WRITER);
  }
  /* release [P1]: the whole packet before the word that publishes it. Partners: acquire [P1] in read_place.h, acquire
     [E1] above. Shape: publish. Without this, the reader could see commit_seq and miss the packet's header. */
  maxlat_ring_store_release(&cell->commit_seq, filled);
  /* release [B1], by the add: the packet is published before it is counted. Partner: acquire [B1] in
     consumer/ring_drain.cpp. Shape: publish. Without this, a packet that is counted and not filled yet would be taken
     for one that was overwritten. */
  maxlat_ring_owner_add(ownership, &ring->header->records_delivered, records);
}

/* SwitchOldSubbuf: ends the packet that write_count was in, with padding. The commit is that of commit.h, [W1]. */
MAXLAT_RING_INLINE void switch_old(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                   const struct plan* plan) {
  const uint64_t start = maxlat_ring_wrap(plan->next - ring->shape.sub_buffer_size);
  const uint64_t padding = maxlat_ring_wrap(plan->next - plan->old);
  struct maxlat_ring_packet* packet = packet_in(ring, sub_buffer_of(ring, start));
  const uint64_t place = maxlat_ring_index(&ring->shape, start);
  close_packet(packet, plan, plan->old);
  const uint64_t commit = maxlat_ring_owner_add(ownership, maxlat_ring_commit_count(ring, place), padding);
  if (maxlat_ring_filled(&ring->shape, start, commit)) deliver(ownership, ring, &ring->cells[place], packet, commit);
}

/* SwitchNewSubbuf: opens the packet at plan->next. Its header is not committed yet. */
MAXLAT_RING_INLINE struct maxlat_ring_packet* switch_new(enum maxlat_ring_ownership ownership,
                                                         const struct maxlat_ring* ring, const struct plan* plan,
                                                         struct maxlat_ring_cell* cell) {
  const uint64_t start = plan->next;
  const uint64_t sub_buffer =
      maxlat_ring_overwrites(ring) ? claim(ring, start, cell) : maxlat_ring_index(&ring->shape, start);
  keep_open_packet(ring, start, sub_buffer);
  struct maxlat_ring_packet* packet = packet_in(ring, sub_buffer);
  packet->begin_time = plan->time;
  /* release [D1]: tells recovery that begin_time is there */
  maxlat_ring_store_release(&packet->sequence, maxlat_ring_packet_number(&ring->shape, start));
  keep_base(ownership, ring, plan->base, plan->time);
  return packet;
}

/* RETURNS: the place of the packet at plan->next is needed for what no reader has taken. */
MAXLAT_RING_INLINE bool no_room(const struct maxlat_ring* ring, const struct plan* plan) {
  if (maxlat_ring_overwrites(ring)) return maxlat_ring_frozen(ring, plan->old, plan->next);
  /* acquire [G1]: the reader has read the packet that our stores replace. Partner: [G1], put in read.c. Shape:
     publish. Without this, the reader could see bytes of the new pass in the old packet. */
  return maxlat_ring_full(&ring->shape, plan->next, maxlat_ring_load_acquire(&ring->header->read_count));
}

/* RETURNS: writers are still inside the packet that had the place of that at `start`. */
MAXLAT_RING_INLINE bool is_written(const struct maxlat_ring* ring, uint64_t start,
                                   const struct maxlat_ring_cell* cell) {
  /* acquire [E1]: the writer that published the last pass is done with the sub-buffer. Partner: release [P1] above.
     Shape: publish. Without this, a delivering thread on another CPU could still be storing its packet header. */
  return !maxlat_ring_fully_committed(&ring->shape, start, maxlat_ring_load_acquire(&cell->commit_seq));
}

/*
 * An attempt that reserves the next packet's header and the record, after padding where write_count stands in a packet.
 * The longest way of all: what drops an event comes first, and after the CAS, out of order with other contexts: close
 * the old packet, open the new one, close that too if the record ends it, tell the caller where its slot is.
 */
MAXLAT_RING_INLINE enum outcome enter(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                      const volatile uint32_t* cpu, uint64_t size, struct plan* plan,
                                      struct maxlat_ring_slot* slot) {
  const uint64_t mask = ring->shape.sub_buffer_mask;
  const uint64_t most = mask + 1 - MAXLAT_RING_PACKET_HEADER;
  if (size > most) return drop(ownership, &ring->header->lost_big);
  plan->next = maxlat_ring_wrap((plan->old + mask) & ~mask);
  if (no_room(ring, plan)) return drop(ownership, &ring->header->lost_full);
  struct maxlat_ring_cell* cell = cell_of(ring, plan->next);
  if (is_written(ring, plan->next, cell)) return drop(ownership, &ring->header->lost_wrap);
  const uint64_t begin = plan->next + MAXLAT_RING_PACKET_HEADER;
  if (!read_time(ownership, ring, cpu, plan)) return AGAIN;
  read_books(ring, plan);
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan->old, maxlat_ring_wrap(begin + size))) return AGAIN;
  if (plan->old != plan->next) switch_old(ownership, ring, plan);
  struct maxlat_ring_packet* packet = switch_new(ownership, ring, plan, cell);
  slot->position = begin;
  slot->time = plan->time;
  slot->size = size;
  slot->header = MAXLAT_RING_PACKET_HEADER;
  slot->bytes = (uint8_t*)packet + MAXLAT_RING_PACKET_HEADER;
  if (size == most) close_packet(packet, plan, begin + size); /* EndSwitchCurrent */
  return RESERVED;
}

/* An attempt in the open packet. */
MAXLAT_RING_INLINE enum outcome go_on(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                      uint64_t size, struct plan* plan, struct maxlat_ring_slot* slot) {
  const uint64_t mask = ring->shape.sub_buffer_mask;
  const uint64_t end = plan->old + size;
  read_books(ring, plan);
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan->old, maxlat_ring_wrap(end))) return AGAIN;
  const uint64_t start = maxlat_ring_sub_buffer_start(&ring->shape, plan->old);
  const uint64_t sub_buffer = sub_buffer_of(ring, start);
  keep_open_packet(ring, start, sub_buffer);
  struct maxlat_ring_packet* packet = packet_in(ring, sub_buffer);
  slot->position = plan->old;
  slot->time = plan->time;
  slot->size = size;
  slot->header = 0;
  slot->bytes = (uint8_t*)packet + (plan->old & mask);
  slot->base = plan->base;
  if ((end & mask) == 0) close_packet(packet, plan, end); /* EndSwitchCurrent */
  return RESERVED;
}

/* One attempt of any kind. Inlined for each ownership, so that each has its own instructions. */
MAXLAT_RING_INLINE enum outcome attempt(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                        const volatile uint32_t* cpu, uint64_t size, bool is_long,
                                        struct maxlat_ring_slot* slot) {
  struct plan plan;
  /* acquire [T2], then [T1]: as in maxlat_ring_reserve_common. */
  plan.old = maxlat_ring_load_acquire(ring->write_count);
  plan.base = ownership == MAXLAT_RING_CPU ? maxlat_ring_load_acquire(maxlat_ring_time_base(ring)) : 0;
  const uint64_t left = (0 - plan.old) & ring->shape.sub_buffer_mask; /* 0: between two packets */
  if (size > left) return enter(ownership, ring, cpu, size, &plan, slot);
  if (!read_time(ownership, ring, cpu, &plan)) return AGAIN;
  if (ownership == MAXLAT_RING_THREAD) plan.base = maxlat_ring_load_acquire(maxlat_ring_time_base(ring)); /* [T1] */
  if (is_long || (plan.time ^ plan.base) >> MAXLAT_RING_TIME_BITS == 0)
    return go_on(ownership, ring, size, &plan, slot);
  if (size + MAXLAT_RING_LONG_EXTRA > left) {
    if (plan.base == NO_BASE) plan.base = mark_of(plan.time); /* marked once, and now again, with a later time */
    return enter(ownership, ring, cpu, size, &plan, slot);
  }
  return go_on(ownership, ring, size + MAXLAT_RING_LONG_EXTRA, &plan, slot);
}

/* The words of a long record that are known at its begin, then its mark, then the base that its time is. */
MAXLAT_RING_OUT_OF_LINE static void begin_long(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                                               uint32_t id, const struct maxlat_ring_slot* slot) {
  struct maxlat_ring_long* words = (struct maxlat_ring_long*)(void*)slot->bytes;
  words->length = (uint32_t)(slot->size / 8);
  words->id = id;
  words->time = slot->time;
  const uint64_t packet = maxlat_ring_packet_number(&ring->shape, slot->position);
  maxlat_ring_record_finish(slot->bytes, maxlat_ring_record_word(MAXLAT_RING_BEGUN_KIND, packet, slot->time));
  /* The word comes first, so that recovery knows every base. Who opened a packet has put its own there. */
  if (slot->header == 0) keep_base(ownership, ring, slot->base, slot->time);
}

MAXLAT_RING_INLINE bool begin(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring,
                              const volatile uint32_t* cpu, uint32_t id, uint64_t request,
                              struct maxlat_ring_slot* slot) {
  const bool is_long = (request & MAXLAT_RING_REQUEST_LONG) != 0;
  const uint64_t size = request & ~7ull;
  enum outcome outcome = AGAIN;
  for (int tries = 0; tries < MAXLAT_RING_ATTEMPTS && outcome == AGAIN; ++tries)
    outcome = attempt(ownership, ring, cpu, size, is_long, slot);
  if (MAXLAT_UNLIKELY(outcome == AGAIN)) drop(ownership, &ring->header->lost_wrap);
  if (outcome != RESERVED) return false;
  if (MAXLAT_UNLIKELY(slot->size != request)) begin_long(ownership, ring, id, slot);
  return true;
}

bool maxlat_ring_begin_in_thread_ring(const struct maxlat_ring* ring, const volatile uint32_t* cpu, uint32_t id,
                                      uint64_t request, struct maxlat_ring_slot* slot) {
  return begin(MAXLAT_RING_THREAD, ring, cpu, id, request, slot);
}
bool maxlat_ring_begin_in_cpu_ring(const struct maxlat_ring* ring, const volatile uint32_t* cpu, uint32_t id,
                                   uint64_t request, struct maxlat_ring_slot* slot) {
  return begin(MAXLAT_RING_CPU, ring, cpu, id, request, slot);
}

void maxlat_ring_deliver(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring, uint64_t position,
                         uint64_t filled) {
  struct maxlat_ring_cell* cell = cell_of(ring, position);
  /* relaxed: only the context that delivers may change the reference now; in discard mode it never changes. */
  const uint64_t sub_buffer = maxlat_ring_ref_sub_buffer(maxlat_ring_load(&cell->reference));
  deliver(ownership, ring, cell, packet_in(ring, sub_buffer), filled);
}

bool maxlat_ring_open_ahead(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  struct plan plan;
  /* acquire [T2], then [T1]: as in maxlat_ring_reserve_common. */
  plan.old = maxlat_ring_load_acquire(ring->write_count);
  plan.base = maxlat_ring_load_acquire(maxlat_ring_time_base(ring));
  if ((plan.old & ring->shape.sub_buffer_mask) != 0) return false;
  plan.next = plan.old;
  struct maxlat_ring_cell* cell = cell_of(ring, plan.next);
  if (no_room(ring, &plan) || is_written(ring, plan.next, cell)) return false;
  plan.time = clock_of(ownership);
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan.old,
                             maxlat_ring_wrap(plan.next + MAXLAT_RING_PACKET_HEADER)))
    return false;
  switch_new(ownership, ring, &plan, cell);
  uint64_t* const commit_count = maxlat_ring_commit_count(ring, maxlat_ring_index(&ring->shape, plan.next));
  maxlat_ring_commit_bytes(ownership, ring, commit_count, plan.next, MAXLAT_RING_PACKET_HEADER);
  return true;
}

bool maxlat_ring_flush(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  struct plan plan;
  plan.old = maxlat_ring_load(ring->write_count); /* relaxed: the CAS below decides */
  const uint64_t offset = plan.old & ring->shape.sub_buffer_mask;
  if (offset <= MAXLAT_RING_PACKET_HEADER) return false;
  plan.next = maxlat_ring_wrap(plan.old + ring->shape.sub_buffer_size - offset);
  read_books(ring, &plan);
  plan.time = clock_of(ownership);
  if (!maxlat_ring_owner_cas(ownership, ring->write_count, plan.old, plan.next)) return false;
  switch_old(ownership, ring, &plan);
  return true;
}

void maxlat_ring_finalise(enum maxlat_ring_ownership ownership, const struct maxlat_ring* ring) {
  maxlat_ring_flush(ownership, ring);
  /* release [F1]: the last packet before the word that says there is no other. Partner: acquire [F1] in read.c. Shape:
   * publish. */
  maxlat_ring_store_release(&ring->header->finalised, 1);
}
