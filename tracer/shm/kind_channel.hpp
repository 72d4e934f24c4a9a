// SPDX-License-Identifier: MIT
// The kind CHANNEL: the shape of its rings, its slots, and where the rings are.
#pragma once

#include "container.hpp"
#include "session_layout.h"

namespace maxlat::trace {

struct ChannelMemory : CheckedObject {
  static constexpr std::uint32_t kKind = MAXLAT_SHM_CHANNEL;
  static constexpr const char* kKindName = "channel";
  static constexpr std::uint32_t kLayoutVersion = MAXLAT_SHM_CHANNEL_VERSION;

  std::string name;
  std::uint32_t ring_features = 0;
  bool per_cpu = false;
  bool wakeup = false;
  std::uint32_t slots = 0;
  std::uint64_t offset = 0;  // of the object; the slots follow it
  std::uint64_t rings_offset = 0;
  std::uint64_t ring_stride = 0;

  bool overwrites() const { return (ring_features & MAXLAT_RING_OVERWRITE) != 0; }

  static base::Result<ChannelMemory> check(const ObjectEntry& entry, const ContainerMemory& memory) {
    const auto unfit = [&](const char* what) { return unfit_memory("channel " + entry.name + ": " + what); };
    if (entry.size < sizeof(maxlat_shm_channel)) return unfit("its size");
    const maxlat_shm_channel copy = copy_of(entry.in<const maxlat_shm_channel>(memory));
    if (copy.ownership > MAXLAT_SHM_PER_CPU || copy.delivery > MAXLAT_SHM_WAKEUP) return unfit("ownership or delivery");
    if (copy.slots == 0 || copy.slots > MAXLAT_SHM_MAX_SLOTS) return unfit("number of slots");
    if (entry.size < sizeof(maxlat_shm_channel) + copy.slots * sizeof(maxlat_shm_slot)) return unfit("its size");
    maxlat_ring_options options{};
    options.features = copy.ring_features;
    options.sub_buffer_bits = copy.sub_buffer_bits;
    options.ring_bits = copy.ring_bits;
    const std::uint64_t ring_size = maxlat_ring_size(&options);
    if (ring_size == 0) return unfit("sizes or features of its rings");
    // The product does not overflow once the stride is below a 4096th of what 64 bits hold.
    if (copy.ring_stride < ring_size || copy.ring_stride % MAXLAT_SHM_PAGE != 0 ||
        copy.ring_stride > UINT64_MAX / MAXLAT_SHM_MAX_SLOTS || copy.rings_offset % MAXLAT_SHM_PAGE != 0 ||
        !inside(copy.rings_offset, copy.ring_stride * copy.slots, memory.head_size, memory.total_size)) {
      return unfit("place of the rings");
    }
    ChannelMemory channel;
    channel.name = entry.name;
    channel.ring_features = copy.ring_features;
    channel.per_cpu = copy.ownership == MAXLAT_SHM_PER_CPU;
    channel.wakeup = copy.delivery == MAXLAT_SHM_WAKEUP;
    channel.slots = copy.slots;
    channel.offset = entry.offset;
    channel.rings_offset = copy.rings_offset;
    channel.ring_stride = copy.ring_stride;
    return channel;
  }
};

}  // namespace maxlat::trace
