// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A ring whose memory says anything at all, and a reader that does with it all that a reader can do. The memory is
// exactly as large as it says, so that AddressSanitizer sees a byte too many; whatever is called must end.
#pragma once

#include <maxlat/ring/follow/follow.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "test_event_probe.h"
#include "test_memory.hpp"

namespace maxlat::ring_test {

// An honest ring to start from: a packet that was delivered, an open one, a record that was begun, a dead writer's
// slot.
inline std::vector<uint8_t> honest_ring(uint32_t features) {
  RingMemory made(options_of(features, 9, 1));
  for (uint64_t i = 0; i < 14; ++i) maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 7, i, i, i);
  maxlat_ring_record record;
  *maxlat_ring_time_base(&made.ring) -= 1ull << MAXLAT_RING_TIME_BITS;
  maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 16, &record);
  maxlat_ring_record_begin(MAXLAT_RING_THREAD, &made.ring, 7, 16, &record);
  maxlat_ring_event(MAXLAT_RING_THREAD, &made.ring, 9000, 1, 2, 3);
  const auto* bytes = static_cast<const uint8_t*>(made.where());
  return {bytes, bytes + made.size()};
}

inline void walk_all(const maxlat_ring_view& view) {
  maxlat_ring_walk walk;
  maxlat_ring_walked record;
  maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
  uint64_t sum = 0;
  while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) {
    for (uint64_t i = 0; i < record.payload_size; ++i) sum += record.payload[i];
  }
  volatile uint64_t kept = sum;
  (void)kept;
}

// Who takes nothing. However often it is asked, a call ends.
inline void follow_hostile(const maxlat_ring& ring, uint8_t* copy) {
  std::vector<maxlat_ring_followed> places(maxlat_ring_sub_buffers(&ring));
  maxlat_ring_follower follower;
  maxlat_ring_follow_begin(&follower, &ring, copy, places.data());
  uint64_t sum = maxlat_ring_follow_pending(&follower);
  for (int i = 0; i < 100; ++i) {
    maxlat_ring_walked record;
    if (i == 50) maxlat_ring_follow_to_the_end(&follower);
    if (maxlat_ring_follow_next(&follower, &record) != MAXLAT_RING_FOLLOW_RECORD) continue;
    for (uint64_t byte = 0; byte < record.payload_size; ++byte) sum += record.payload[byte];
  }
  volatile uint64_t kept = sum;
  (void)kept;
}

// RETURNS: whether the memory was taken for a ring.
inline bool read_hostile(const std::vector<uint8_t>& bytes) {
  const size_t room = (bytes.size() + MAXLAT_RING_PAGE - 1) / MAXLAT_RING_PAGE * MAXLAT_RING_PAGE;
  const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(MAXLAT_RING_PAGE, room), std::free);
  std::memset(memory.get(), 0, room);
  std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(memory.get()));
  maxlat_ring ring;
  if (!maxlat_ring_attach(&ring, memory.get(), room)) return false;
  ring.features &= ~MAXLAT_RING_NEEDS_PROMOTION;  // no system call a million times
  maxlat_ring_reader reader;
  if (!maxlat_ring_reader_start(&reader, &ring)) return true;
  std::vector<uint64_t> to(ring.shape.sub_buffer_size / 8);
  auto* copy = reinterpret_cast<uint8_t*>(to.data());
  maxlat_ring_view view;
  for (int i = 0; i < 3; ++i) {
    maxlat_ring_poll(&reader);
    if (maxlat_ring_copy_open(&reader, copy, &view) == MAXLAT_RING_GOT) walk_all(view);
    if (maxlat_ring_get(&reader, &view) != MAXLAT_RING_GOT) continue;
    walk_all(view);
    maxlat_ring_put(&reader, &view);
  }
  if (maxlat_ring_overwrites(&ring)) follow_hostile(ring, copy);
  uint64_t unfinished = 0;
  // What recover promises: no more calls than the ring can hold packets, twice, and one that says that it is over.
  const uint64_t most = 2 * maxlat_ring_sub_buffers(&ring) + 4;
  uint64_t calls = 0;
  for (maxlat_ring_got got = MAXLAT_RING_GOT; got != MAXLAT_RING_NOT_NOW; ++calls) {
    if (calls > most) std::abort();
    got = maxlat_ring_recover(&reader, copy, &view, &unfinished);
    if (got != MAXLAT_RING_GOT) continue;
    walk_all(view);
    if (view.bytes != copy) maxlat_ring_put(&reader, &view);
  }
  return true;
}

}  // namespace maxlat::ring_test
