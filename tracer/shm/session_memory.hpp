// SPDX-License-Identifier: MIT
//
// The consumer's view of a session's memory: checked once, used without trust. Layout and rules: session_layout.h.
//
// TRUST. The producer may be hostile. The container (container.hpp) copies and checks whatever is constant; the copies
// are used from then on. What changes (slot words, metadata length, counters) is read once each time and can only
// select among what was checked.
//
// OWNERSHIP: the view owns a file description of its own, a mapping of the head, and with lock() the consumer's place.
// Rings are mapped one by one. Everything is undone by the destructors.
// ERRORS: one line that says what does not fit. THREADS: one thread a view.
#pragma once

#include <maxlat/ring/layout.h>

#include <chrono>
#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumer_lock.hpp"
#include "container.hpp"
#include "kind_channel.hpp"
#include "kind_metadata.hpp"
#include "session_layout.h"

namespace maxlat::trace {

struct SlotWord {
  std::uint64_t word = 0;
  std::uint32_t state() const { return static_cast<std::uint32_t>(word & MAXLAT_SHM_STATE_MASK); }
  bool reading() const { return (word & MAXLAT_SHM_READING) != 0; }
  std::uint64_t generation() const { return word >> MAXLAT_SHM_GENERATION_SHIFT; }
};

// Of rings whose slots are used again: session_layout.h.
struct ReplacedBooks {
  std::uint64_t unread = 0;
  std::uint64_t lost_full = 0;
  std::uint64_t lost_wrap = 0;
  std::uint64_t lost_big = 0;
  bool operator==(const ReplacedBooks&) const = default;
};

// One ring, mapped. The mapping lasts as long as this.
struct MappedRing {
  base::Mapping memory;
  maxlat_ring ring{};
};

class SessionMemory {
 public:
  // `memory_fd` stays the caller's.
  static base::Result<SessionMemory> attach(int memory_fd);

  // Takes the one consumer's place, until this view is destroyed. ERRORS: another has it.
  base::Status lock();

  const std::string& session() const { return container_.name(); }
  const std::string& process() const { return container_.process(); }
  int pid() const { return container_.pid(); }
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };
  std::optional<FileId> file_id() const;  // of the memory, as /proc/PID/maps shows it
  const std::vector<ChannelMemory>& channels() const { return channels_; }
  // Everything that the memory has, also what no kind of ours is.
  const std::vector<ObjectEntry>& objects() const { return container_.objects(); }

  // acquire [S1]: what a LIVE slot stands for is there.
  SlotWord slot(std::size_t channel, std::uint32_t slot) const;
  std::uint32_t owner(std::size_t channel, std::uint32_t slot) const;
  // What the owner was called when it claimed the slot: any bytes. Empty: not known, or `expected` is not its word's
  // generation any more.
  std::string thread_name(std::size_t channel, std::uint32_t slot, SlotWord expected) const;
  // REQUIRES, the three: lock() succeeded.
  bool exchange(std::size_t channel, std::uint32_t slot, SlotWord expected, std::uint64_t desired);
  void end_reading(std::size_t channel, std::uint32_t slot);
  // TAKEN -> FREE. ERRORS: the hole could not be punched; the slot stays TAKEN.
  base::Status free_slot(std::size_t channel, std::uint32_t slot);

  // ERRORS: not mapped, or what lies there is no ring of this channel.
  base::Result<MappedRing> map_ring(std::size_t channel, std::uint32_t slot) const;

  std::uint64_t metadata_length() const;  // acquire [S2]; never above the capacity
  // REQUIRES: from <= to <= metadata_length().
  base::Result<std::string> metadata(std::uint64_t from, std::uint64_t to) const;

  std::uint64_t lost_no_ring(std::size_t channel) const;
  ReplacedBooks replaced(std::size_t channel) const;
  // Of snapshots: ring/freeze.h.
  std::uint64_t snapshot_requests() const;  // acquire [S7]
  std::uint64_t snapshots_answered() const;
  bool snapshots_are_announced() const;  // a consumer would take one now
  bool is_in_stretch() const;     // events of after the last request are still to come
  bool expects_snapshot() const;  // one was asked for, and not so long ago that its consumer must be dead
  // REQUIRES, both: lock() succeeded. A limit of 0: none are taken.
  void announce_snapshots(std::chrono::nanoseconds stretch, std::chrono::nanoseconds limit);
  void answer_snapshots(std::uint64_t requests);

 private:
  explicit SessionMemory(Container container) : container_(std::move(container)) {}
  base::Status take_objects();
  template <typename T>
  T& at(std::uint64_t offset) const {
    return *reinterpret_cast<T*>(container_.memory().head + offset);
  }
  maxlat_ring_freeze& freeze() const { return at<maxlat_shm_session>(session_offset_).freeze; }
  maxlat_shm_channel& channel_at(std::size_t channel) const {
    return at<maxlat_shm_channel>(channels_[channel].offset);
  }
  maxlat_shm_slot& slot_at(std::size_t channel, std::uint32_t slot) const;
  std::int64_t ring_offset(std::size_t channel, std::uint32_t slot) const;

  std::unique_ptr<ConsumerLock> lock_;
  Container container_;
  std::uint64_t session_offset_ = 0;  // of the objects, in the head
  std::uint64_t metadata_offset_ = 0;
  MetadataObject metadata_;
  std::vector<ChannelMemory> channels_;
};

}  // namespace maxlat::trace
