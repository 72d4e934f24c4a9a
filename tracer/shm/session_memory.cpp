// SPDX-License-Identifier: MIT
#include "session_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "kind_session.hpp"
#include "session_kinds.hpp"

namespace maxlat::trace {
namespace {

// The objects of one kind. ERRORS: one has another layout than ours: what it holds would be missing, and nobody know.
template <typename T>
base::Result<std::vector<const ObjectEntry*>> objects_of(const Container& container) {
  std::vector<const ObjectEntry*> found;
  for (const ObjectEntry& entry : container.objects()) {
    if (entry.kind != T::kKind) continue;
    if (entry.checked == nullptr) {
      return memory_of_another_version(std::string("a ") + T::kKindName + " of layout " +
                                       std::to_string(entry.layout_version) + " where this one reads " +
                                       std::to_string(T::kLayoutVersion));
    }
    found.push_back(&entry);
  }
  return found;
}

template <typename T>
base::Result<const ObjectEntry*> only_object_of(const Container& container) {
  const auto found = objects_of<T>(container);
  if (!found) return found.error();
  if (found->size() != 1) return unfit_memory(std::to_string(found->size()) + " objects of the kind " + T::kKindName);
  return found->front();
}

template <typename T>
const T& checked_as(const ObjectEntry& entry) {
  return static_cast<const T&>(*entry.checked);
}

}  // namespace

base::Result<SessionMemory> SessionMemory::attach(int memory_fd) {
  base::Result<Container> container = Container::attach(memory_fd, session_kinds(), ContainerView::writable);
  if (!container) return container.error();
  SessionMemory memory(std::move(*container));
  if (const base::Status taken = memory.take_objects(); !taken) return taken.error();
  return memory;
}

base::Status SessionMemory::take_objects() {
  const auto session = only_object_of<SessionObject>(container_);
  if (!session) return session.error();
  session_offset_ = (*session)->offset;
  const auto metadata = only_object_of<MetadataObject>(container_);
  if (!metadata) return metadata.error();
  metadata_offset_ = (*metadata)->offset;
  metadata_ = checked_as<MetadataObject>(**metadata);

  const auto channels = objects_of<ChannelMemory>(container_);
  if (!channels) return channels.error();
  if (channels->empty()) return unfit_memory("no channel");
  std::uint64_t slots = 0;
  for (const ObjectEntry* entry : *channels) {
    if (entry->id != channels_.size()) return unfit_memory("channel " + entry->name + ": its number");
    for (const ChannelMemory& other : channels_) {
      if (other.name == entry->name) return unfit_memory("two channels of one name");
    }
    channels_.push_back(checked_as<ChannelMemory>(*entry));
    slots += channels_.back().slots;
    if (slots > MAXLAT_SHM_MAX_SESSION_SLOTS) return unfit_memory("number of slots of all channels");
  }
  return {};
}

base::Status SessionMemory::lock() {
  if (lock_ == nullptr) lock_ = std::make_unique<ConsumerLock>();
  const base::Result<bool> taken = lock_->take(container_.fd());
  if (!taken) return taken.error();
  if (*taken) return {};
  return base::Error{"session " + session() + " of process " + std::to_string(pid()) + " already has a consumer",
                     "one at a time takes its events; stop the other recorder first"};
}

maxlat_shm_slot& SessionMemory::slot_at(std::size_t channel, std::uint32_t slot) const {
  return at<maxlat_shm_slot>(channels_[channel].offset + sizeof(maxlat_shm_channel) + slot * sizeof(maxlat_shm_slot));
}

SlotWord SessionMemory::slot(std::size_t channel, std::uint32_t slot) const {
  // acquire [S1]: the ring and the owner before the word that says LIVE. acquire [S3]: the finalised ring before ENDED.
  // Partners: [S1], [S3] of the producer's slot table. Shape: publish.
  return SlotWord{__atomic_load_n(&slot_at(channel, slot).word, __ATOMIC_ACQUIRE)};
}

std::uint32_t SessionMemory::owner(std::size_t channel, std::uint32_t slot) const {
  return once(slot_at(channel, slot).owner);
}

std::string SessionMemory::thread_name(std::size_t channel, std::uint32_t slot, SlotWord expected) const {
  const maxlat_shm_slot& shared = slot_at(channel, slot);
  char copy[sizeof shared.name];
  for (std::size_t i = 0; i < sizeof copy; ++i) copy[i] = once(shared.name[i]);
  // A second look: a later ring's name is not this one's. Where loads pass each other it may be all the same; then a
  // name is wrong, and nothing else.
  if (this->slot(channel, slot).generation() != expected.generation()) return "";
  return {copy, strnlen(copy, sizeof copy)};
}

std::optional<SessionMemory::FileId> SessionMemory::file_id() const {
  struct stat facts {};
  if (fstat(container_.fd(), &facts) != 0) return std::nullopt;
  return FileId{facts.st_dev, facts.st_ino};
}

bool SessionMemory::exchange(std::size_t channel, std::uint32_t slot, SlotWord expected, std::uint64_t desired) {
  // acquire-release [S1]: as slot(), and what we did before is before what we say.
  return __atomic_compare_exchange_n(&slot_at(channel, slot).word, &expected.word, desired, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

void SessionMemory::end_reading(std::size_t channel, std::uint32_t slot) {
  // release [S4]: our last look at the ring before a thread may claim the slot. Partner: the claim's acquire [S4].
  __atomic_and_fetch(&slot_at(channel, slot).word, ~std::uint64_t{MAXLAT_SHM_READING}, __ATOMIC_RELEASE);
}

base::Status SessionMemory::free_slot(std::size_t channel, std::uint32_t slot) {
  if (fallocate(container_.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, ring_offset(channel, slot),
                static_cast<std::int64_t>(channels_[channel].ring_stride)) != 0) {
    return base::system_error("cannot give back the memory of a ring", errno);
  }
  maxlat_shm_slot& shared = slot_at(channel, slot);
  const SlotWord taken{once(shared.word)};
  // release [S4]: the hole before the slot can be claimed. Partner: the claim's acquire [S4]. Shape: publish.
  __atomic_store_n(&shared.word, MAXLAT_SHM_FREE | (taken.generation() + 1) << MAXLAT_SHM_GENERATION_SHIFT,
                   __ATOMIC_RELEASE);
  return {};
}

std::int64_t SessionMemory::ring_offset(std::size_t channel, std::uint32_t slot) const {
  return static_cast<std::int64_t>(channels_[channel].rings_offset + slot * channels_[channel].ring_stride);
}

base::Result<MappedRing> SessionMemory::map_ring(std::size_t channel, std::uint32_t slot) const {
  const ChannelMemory& shape = channels_[channel];
  void* where =
      mmap(nullptr, shape.ring_stride, PROT_READ | PROT_WRITE, MAP_SHARED, container_.fd(), ring_offset(channel, slot));
  if (where == MAP_FAILED) return base::system_error("cannot map a ring", errno);
  MappedRing mapped{base::Mapping(where, shape.ring_stride), {}};
  if (!maxlat_ring_attach(&mapped.ring, where, shape.ring_stride) || mapped.ring.features != shape.ring_features) {
    return unfit_memory("slot " + std::to_string(slot) + " of channel " + shape.name + " is no ring");
  }
  return mapped;
}

std::uint64_t SessionMemory::metadata_length() const {
  // acquire [S2]: the text before its length. Partner: release [S2] in session_file.cpp. Shape: publish.
  return std::min(__atomic_load_n(&at<maxlat_shm_metadata>(metadata_offset_).length, __ATOMIC_ACQUIRE),
                  metadata_.capacity);
}

base::Result<std::string> SessionMemory::metadata(std::uint64_t from, std::uint64_t to) const {
  std::string text(to - from, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = pread(container_.fd(), text.data() + have, text.size() - have,
                              static_cast<off_t>(metadata_.text_offset + from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return base::system_error("cannot read the session's metadata", got < 0 ? errno : EIO);
    have += static_cast<std::size_t>(got);
  }
  return text;
}

std::uint64_t SessionMemory::lost_no_ring(std::size_t channel) const {
  return once(channel_at(channel).lost_no_ring);  // relaxed: a counter
}

ReplacedBooks SessionMemory::replaced(std::size_t channel) const {
  const maxlat_shm_channel& shared = channel_at(channel);
  return {once(shared.replaced_unread), once(shared.replaced_lost_full), once(shared.replaced_lost_wrap),
          once(shared.replaced_lost_big)};
}

std::uint64_t SessionMemory::snapshot_requests() const {
  // acquire [S7]: what the requesting thread traced before, in the rings that are looked at because of it. Partner:
  // release [S7] in ring/freeze.h. Shape: publish. Without it a snapshot could miss the event that it is about.
  return __atomic_load_n(&freeze().requests, __ATOMIC_ACQUIRE);
}

std::uint64_t SessionMemory::snapshots_answered() const {
  return once(freeze().answered);  // relaxed: a number alone: the consumer's own, or of who waits for it to change
}

bool SessionMemory::snapshots_are_announced() const {
  return once(freeze().limit) != 0;  // relaxed: the consumer's own, as of a moment ago
}

bool SessionMemory::is_in_stretch() const {
  return maxlat_ring_age_of_request(&freeze()) < static_cast<std::int64_t>(once(freeze().stretch));
}

bool SessionMemory::expects_snapshot() const {
  return maxlat_ring_expects_snapshot(&freeze());
}

void SessionMemory::announce_snapshots(std::chrono::nanoseconds stretch, std::chrono::nanoseconds limit) {
  const double ticks_per_ns = static_cast<double>(container_.header().clock.ticks_per_second) * 1e-9;
  const auto ticks = [&](std::chrono::nanoseconds span) {
    return static_cast<std::uint64_t>(std::min(static_cast<double>(span.count()) * ticks_per_ns, 0x1p62));
  };
  // relaxed, both: a writer that sees them late overwrites until then, as it did before.
  __atomic_store_n(&freeze().stretch, ticks(stretch), __ATOMIC_RELAXED);
  __atomic_store_n(&freeze().limit, ticks(limit), __ATOMIC_RELAXED);
}

void SessionMemory::answer_snapshots(std::uint64_t requests) {
  // relaxed: what was taken from the rings is not theirs any more, by the rings' own words.
  __atomic_store_n(&freeze().answered, requests, __ATOMIC_RELAXED);
}

}  // namespace maxlat::trace
