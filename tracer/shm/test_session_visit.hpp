// SPDX-License-Identifier: MIT
// Everything that a consumer does with a session's memory, once, whatever the memory holds: what the fuzzer and the
// field-by-field test run.
#pragma once

#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/walk.h>

#include <cstdint>
#include <vector>

#include "session_memory.hpp"

namespace maxlat::trace::test {

// RETURNS: bytes of packets seen, so that nothing is optimised away; -1: refused.
inline std::int64_t visit_session(int fd) {
  base::Result<SessionMemory> memory = SessionMemory::attach(fd);
  if (!memory || !memory->lock()) return -1;
  std::int64_t seen = 0;
  for (const ObjectEntry& entry : memory->objects()) seen += static_cast<std::int64_t>(entry.name.size());
  if (auto text = memory->metadata(0, memory->metadata_length())) seen += static_cast<std::int64_t>(text->size());
  for (std::size_t channel = 0; channel < memory->channels().size(); ++channel) {
    const std::uint32_t slots = memory->channels()[channel].slots;
    for (std::uint32_t slot = 0; slot < slots && slot < 8; ++slot) {
      if (memory->slot(channel, slot).state() < MAXLAT_SHM_LIVE) continue;
      base::Result<MappedRing> mapped = memory->map_ring(channel, slot);
      maxlat_ring_reader reader;
      if (!mapped || !maxlat_ring_reader_start(&reader, &mapped->ring)) continue;
      for (int packet = 0; packet < 4; ++packet) {
        maxlat_ring_view view;
        maxlat_ring_poll(&reader);
        if (maxlat_ring_get(&reader, &view) != MAXLAT_RING_GOT) break;
        for (std::uint64_t at = 0; at < view.content_size; at += 64) seen += view.bytes[at];
        maxlat_ring_put(&reader, &view);
      }
      std::vector<std::uint64_t> copy((reader.ring.shape.sub_buffer_mask + 1) / sizeof(std::uint64_t));
      auto* bytes = reinterpret_cast<std::uint8_t*>(copy.data());
      maxlat_ring_view view;
      if (maxlat_ring_copy_open(&reader, bytes, &view) == MAXLAT_RING_GOT) seen += bytes[view.content_size - 1];
      std::uint64_t unfinished = 0;
      for (int packet = 0; packet < 4; ++packet) {
        if (maxlat_ring_recover(&reader, bytes, &view, &unfinished) != MAXLAT_RING_GOT) continue;
        maxlat_ring_walk walk;
        maxlat_ring_walked record;
        maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
        while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) seen += record.id;
        if (view.bytes != bytes) maxlat_ring_put(&reader, &view);
      }
      if (memory->slot(channel, slot).state() == MAXLAT_SHM_TAKEN) (void)memory->free_slot(channel, slot).ok();
    }
  }
  return seen;
}

}  // namespace maxlat::trace::test
