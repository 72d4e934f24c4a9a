/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a ring keeps for a snapshot. Contract and reasons: freeze.h. */
#include <maxlat/ring/freeze.h>

/* Positions are multiples of 8. The lower bits of a place say of which freeze it is: never 0, which is none. They come
   from the requests that were answered before, so that a second request does not move the place of the first. */
#define FREEZE_BITS 7ull

/* Where the ring stood when a writer found this freeze: at `position`, if this is the first. `seen`: what is there. */
static uint64_t frozen_at(const struct maxlat_ring* ring, uint64_t seen, uint64_t answered, uint64_t position) {
  uint64_t* const word = &ring->header->frozen_at;
  const uint64_t freeze = 1 + (answered & 0xffffffff) % FREEZE_BITS;
  if ((seen & FREEZE_BITS) == freeze) return seen & ~FREEZE_BITS;
  /* acquire-release [Z1]: the place after the count of its freeze. Partner: acquire [Z1] below. */
  maxlat_ring_shared_cas(word, seen, position | freeze);
  return maxlat_ring_load(word) & ~FREEZE_BITS; /* relaxed: ours, or that of another writer of this freeze */
}

bool maxlat_ring_keeps(const struct maxlat_ring* ring, uint64_t position, uint64_t start) {
  const struct maxlat_ring_freeze* freeze = ring->freeze;
  /* acquire [Z1]: the place before the count that says of which freeze a place must be. Partner: the exchange above.
     Shape: publish. Without this, a writer that was slow could put the place of an old freeze over that of a new one,
     whose next writer would put its own, and half a ring more be overwritten. */
  const uint64_t seen = maxlat_ring_load_acquire(&ring->header->frozen_at);
  const uint64_t answered = maxlat_ring_load(&freeze->answered);
  if (!maxlat_ring_unanswered(maxlat_ring_load(&freeze->requests), answered)) return false;
  /* relaxed, both: there since before the request, or the consumer has just come. */
  const int64_t age = maxlat_ring_age_of_request(freeze);
  if (age >= (int64_t)maxlat_ring_load(&freeze->limit)) return false;
  /* Of every packet since the request, free or not, so that the first one notes the place. */
  const uint64_t since = maxlat_ring_wrap(start - frozen_at(ring, seen, answered, position));
  /* relaxed: a packet that is taken a moment later is one event less. Equation 1, of two starts. */
  if (!maxlat_ring_full(&ring->shape, start, maxlat_ring_load(&ring->header->read_count))) return false;
  return age >= (int64_t)maxlat_ring_load(&freeze->stretch) || since > ring->shape.buffer_mask / 2;
}
