// SPDX-License-Identifier: MIT
// The kind METADATA: where the CTF metadata of a session is.
#pragma once

#include "container.hpp"
#include "session_layout.h"

namespace maxlat::trace {

struct MetadataObject : CheckedObject {
  static constexpr std::uint32_t kKind = MAXLAT_SHM_METADATA;
  static constexpr const char* kKindName = "metadata";
  static constexpr std::uint32_t kLayoutVersion = MAXLAT_SHM_METADATA_VERSION;

  std::uint64_t text_offset = 0;
  std::uint64_t capacity = 0;

  static base::Result<MetadataObject> check(const ObjectEntry& entry, const ContainerMemory& memory) {
    if (entry.size < sizeof(maxlat_shm_metadata)) return unfit_memory("metadata " + entry.name + ": its size");
    const maxlat_shm_metadata copy = copy_of(entry.in<const maxlat_shm_metadata>(memory));
    if (copy.capacity > MAXLAT_SHM_METADATA_CAPACITY ||
        !inside(copy.text_offset, copy.capacity, memory.head_size, memory.total_size)) {
      return unfit_memory("place of the metadata");
    }
    MetadataObject metadata;
    metadata.text_offset = copy.text_offset;
    metadata.capacity = copy.capacity;
    return metadata;
  }
};

}  // namespace maxlat::trace
