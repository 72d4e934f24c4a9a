// SPDX-License-Identifier: MIT
//
// The producer's side of a session's memory: makes the memfd, maps its head, backs rings with memory and maps them.
// Layout and rules: session_layout.h.
//
// The file is sealed against growing and shrinking, so that whoever else has it cannot take pages away under a probe.
// Memory is reserved (fallocate) before it is mapped: without any left a claim fails, and no store is ever a SIGBUS.
//
// OWNERSHIP: the memfd and the mapping of the head; not the rings' mappings (map_ring, unmap_ring).
// THREADS: create and append_metadata: one at a time. The others: any, they change nothing here. map_ring,
// unmap_ring and read_ring_header are async-signal-safe and no cancellation points.
#pragma once

#include <maxlat/ring/layout.h>

#include <array>
#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container_plan.hpp"
#include "session_layout.h"

namespace maxlat::trace {

struct ChannelLayout {
  std::string name;
  std::uint32_t ring_features = 0;
  std::uint32_t sub_buffer_bits = 0;
  std::uint32_t ring_bits = 0;
  maxlat_shm_ownership ownership = MAXLAT_SHM_PER_THREAD;
  maxlat_shm_delivery delivery = MAXLAT_SHM_TIMER;
  std::uint32_t slots = 0;
};

class SessionFile {
 public:
  static base::Result<std::unique_ptr<SessionFile>> create(const ContainerIdentity& identity,
                                                           std::span<const ChannelLayout> channels);

  int fd() const { return memory_.number(); }
  maxlat_shm_session& session() const { return at<maxlat_shm_session>(session_offset_); }
  maxlat_shm_channel& channel(std::uint32_t channel) const { return at<maxlat_shm_channel>(channels_[channel].offset); }
  maxlat_shm_slot* slots(std::uint32_t channel) const;
  // As it was made: what others do to the shared one does not lead us astray.
  const maxlat_shm_channel& layout(std::uint32_t channel) const { return channels_[channel].layout; }
  const std::array<std::uint8_t, 16>& uuid() const { return uuid_; }

  // Appends whole text or nothing. A consumer sees it with its length.
  base::Status append_metadata(std::string_view text);

  // The head of the ring that ended in that slot, as it lies there. RETURNS: false: it cannot be read.
  bool read_ring_header(std::uint32_t channel, std::uint32_t slot, maxlat_ring_header* header) const;
  // The memory of one ring: zeroed, reserved, mapped and present; on this node of several (memory_nodes.hpp), where it
  // has some. RETURNS: null: no memory.
  void* map_ring(std::uint32_t channel, std::uint32_t slot, int node) const;
  void unmap_ring(std::uint32_t channel, void* where) const;

  // In the child of a fork(), without the heap. The ring's memory is from now on zeros that nobody else sees. RETURNS:
  // false: the kernel promises no memory that it may not have; the ring is still to be unmapped.
  bool make_ring_private(std::uint32_t channel, void* where) const;
  // Gives everything back but the rings; or has the head made private.
  void forget(bool keep_private_head);

 private:
  struct PlacedChannel {
    maxlat_shm_channel layout;
    std::uint64_t offset;
  };

  SessionFile() = default;
  base::Status lay_out(ContainerPlan& plan, std::span<const ChannelLayout> channels);
  base::Status make_memory(const ContainerPlan& plan);
  std::int64_t ring_offset(std::uint32_t channel, std::uint32_t slot) const;
  template <typename T>
  T& at(std::uint64_t offset) const {
    return *reinterpret_cast<T*>(static_cast<char*>(head_.where()) + offset);
  }

  base::Descriptor memory_;
  base::Mapping head_;
  std::array<std::uint8_t, 16> uuid_{};
  std::uint64_t session_offset_ = 0;  // of the objects, in the head
  std::uint64_t metadata_offset_ = 0;
  maxlat_shm_metadata metadata_{};  // as made, and so are the channels
  std::vector<PlacedChannel> channels_;
};

}  // namespace maxlat::trace
