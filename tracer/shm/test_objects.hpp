// SPDX-License-Identifier: MIT
// For tests: the objects of a container that this process made itself, found without a check.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "shm/session_layout.h"

namespace maxlat::trace::test {

inline maxlat_shm_entry& entry_of(const std::uint8_t* memory, std::uint32_t kind, std::uint32_t id = 0) {
  const auto& header = *reinterpret_cast<const maxlat_shm_header*>(memory);
  for (std::uint32_t i = 0; i < header.table_capacity; ++i) {
    const std::uint8_t* place = memory + header.table_offset + std::size_t{i} * header.entry_size;
    auto& entry = *reinterpret_cast<maxlat_shm_entry*>(const_cast<std::uint8_t*>(place));
    if (entry.kind == kind && entry.id == id) return entry;
  }
  std::abort();
}

template <typename T>
T& object_of(const std::uint8_t* memory, std::uint32_t kind, std::uint32_t id = 0) {
  return *reinterpret_cast<T*>(const_cast<std::uint8_t*>(memory) + entry_of(memory, kind, id).offset);
}

inline maxlat_shm_channel& channel_of(const std::uint8_t* memory, std::uint32_t id) {
  return object_of<maxlat_shm_channel>(memory, MAXLAT_SHM_CHANNEL, id);
}

inline maxlat_shm_slot* slots_of(const std::uint8_t* memory, std::uint32_t channel) {
  return reinterpret_cast<maxlat_shm_slot*>(&channel_of(memory, channel) + 1);
}

}  // namespace maxlat::trace::test
