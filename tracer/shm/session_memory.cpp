// SPDX-License-Identifier: MIT
#include "session_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace maxlat::trace {
namespace {

base::Error unfit(const std::string& what) {
  return base::Error{"the session's memory is not valid: " + what, "is it the memfd of a maxlat session?"};
}

// Relaxed everywhere: constant in an honest producer; read exactly once because a hostile one may change them.
template <typename T>
T once(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// A name becomes a part of a path and of lines of words: only what control_protocol.hpp allows there, nothing hidden.
base::Result<std::string> checked_name(const char (&name)[MAXLAT_SHM_NAME], const char* what, bool any_text) {
  char copy[MAXLAT_SHM_NAME];
  std::memcpy(copy, name, sizeof copy);
  const auto* end = static_cast<const char*>(std::memchr(copy, 0, sizeof copy));
  if (end == nullptr || end == copy) return unfit(std::string(what) + " has no name");
  std::string text(copy, static_cast<std::size_t>(end - copy));
  for (char& letter : text) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(letter)) || std::strchr("_.:-+", letter) != nullptr;
    if (allowed) continue;
    if (!any_text) return unfit(std::string(what) + " has a name with other characters than [A-Za-z0-9_.:+-]");
    letter = '_';
  }
  if (text.front() == '.') text.front() = '_';
  return text;
}

// Is [offset, offset + size) inside [from, to)?
bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t from, std::uint64_t to) {
  return offset >= from && offset <= to && size <= to - offset;
}

struct CheckedHead {
  std::uint64_t total = 0;
  std::uint64_t head = 0;  // bytes of header and slot tables
};

base::Result<ChannelMemory> checked_channel(const maxlat_shm_channel& shared, CheckedHead& sizes) {
  base::Result<std::string> name = checked_name(shared.name, "a channel", false);
  if (!name) return name.error();
  const std::string where = "channel " + *name + ": ";
  ChannelMemory channel;
  channel.name = *name;
  channel.ring_features = once(shared.ring_features);
  const std::uint32_t ownership = once(shared.ownership), delivery = once(shared.delivery);
  if (ownership > MAXLAT_SHM_PER_CPU || delivery > MAXLAT_SHM_WAKEUP) return unfit(where + "ownership or delivery");
  channel.per_cpu = ownership == MAXLAT_SHM_PER_CPU;
  channel.wakeup = delivery == MAXLAT_SHM_WAKEUP;
  channel.slots = once(shared.slots);
  channel.slot_table_offset = once(shared.slot_table_offset);
  channel.rings_offset = once(shared.rings_offset);
  channel.ring_stride = once(shared.ring_stride);

  maxlat_ring_options options{};
  options.features = channel.ring_features;
  options.sub_buffer_bits = once(shared.sub_buffer_bits);
  options.ring_bits = once(shared.ring_bits);
  const std::uint64_t ring_size = maxlat_ring_size(&options);
  if (ring_size == 0) return unfit(where + "sizes or features of its rings");
  if (channel.slots == 0 || channel.slots > MAXLAT_SHM_MAX_SLOTS) return unfit(where + "number of slots");
  // At most 4096 slots of less than 2^40 bytes each, once the stride is in the file: no overflow.
  const std::uint64_t table = channel.slots * sizeof(maxlat_shm_slot);
  if (channel.slot_table_offset % alignof(maxlat_shm_slot) != 0 ||
      !inside(channel.slot_table_offset, table, MAXLAT_SHM_PAGE, sizes.total)) {
    return unfit(where + "place of the slot table");
  }
  if (channel.ring_stride < ring_size || channel.ring_stride % MAXLAT_SHM_PAGE != 0 ||
      channel.ring_stride > sizes.total || channel.ring_stride > UINT64_MAX / MAXLAT_SHM_MAX_SLOTS ||
      channel.rings_offset % MAXLAT_SHM_PAGE != 0 ||
      !inside(channel.rings_offset, channel.ring_stride * channel.slots, MAXLAT_SHM_PAGE, sizes.total)) {
    return unfit(where + "place of the rings");
  }
  sizes.head = std::max(sizes.head, channel.slot_table_offset + table);
  return channel;
}

}  // namespace

base::Result<SessionMemory> SessionMemory::attach(int memory_fd) {
  SessionMemory memory;
  // A description of its own: the one that was handed over is the producer's.
  memory.file_ = base::Descriptor(open(("/proc/self/fd/" + std::to_string(memory_fd)).c_str(), O_RDWR | O_CLOEXEC));
  if (!memory.file_) return base::system_error("cannot open the session's memory", errno);
  const int file = memory.file_.number();
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return unfit("not sealed against shrinking");
  struct stat facts {};
  if (fstat(file, &facts) != 0) return base::system_error("cannot look at the session's memory", errno);
  const auto file_size = static_cast<std::uint64_t>(facts.st_size);
  if (file_size < MAXLAT_SHM_PAGE) return unfit("smaller than its header");

  // The header alone first: how long the head is stands in it.
  const auto map_head = [&](std::uint64_t size) -> base::Status {
    void* where = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (where == MAP_FAILED) return base::system_error("cannot map the session's memory", errno);
    memory.head_ = base::Mapping(where, size);
    return {};
  };
  base::Status mapped = map_head(MAXLAT_SHM_PAGE);
  if (!mapped) return mapped.error();
  const maxlat_shm_header& shared = *memory.header();
  // acquire [S5]: a header that has its magic is whole. Partner: release [S5] in session_file.cpp. Shape: publish.
  if (__atomic_load_n(&shared.magic, __ATOMIC_ACQUIRE) != MAXLAT_SHM_MAGIC) return unfit("no magic number");
  if (once(shared.version) != MAXLAT_SHM_VERSION || once(shared.header_size) != sizeof(maxlat_shm_header)) {
    return base::Error{"the session's memory is of another version of maxlat",
                       "use the maxlat the program was built with"};
  }
  CheckedHead sizes{once(shared.total_size), MAXLAT_SHM_PAGE};
  const std::uint32_t channels = once(shared.channels);
  memory.metadata_offset_ = once(shared.metadata_offset);
  memory.metadata_capacity_ = once(shared.metadata_capacity);
  memory.pid_ = static_cast<int>(once(shared.pid));
  if (sizes.total > file_size) return unfit("larger than its file");
  if (channels == 0 || channels > MAXLAT_SHM_MAX_CHANNELS) return unfit("number of channels");
  if (memory.pid_ <= 0) return unfit("process number");
  if (memory.metadata_capacity_ > MAXLAT_SHM_METADATA_CAPACITY ||
      !inside(memory.metadata_offset_, memory.metadata_capacity_, MAXLAT_SHM_PAGE, sizes.total)) {
    return unfit("place of the metadata");
  }
  base::Result<std::string> session = checked_name(shared.session, "the session", false);
  if (!session) return session.error();
  base::Result<std::string> process = checked_name(shared.process, "the process", true);
  if (!process) return process.error();
  memory.session_ = *session;
  memory.process_ = *process;
  for (std::uint32_t i = 0; i < channels; ++i) {
    base::Result<ChannelMemory> channel = checked_channel(shared.channel[i], sizes);
    if (!channel) return channel.error();
    for (const ChannelMemory& other : memory.channels_) {
      if (other.name == channel->name) return unfit("two channels of one name");
    }
    memory.channels_.push_back(std::move(*channel));
  }
  mapped = map_head(sizes.head);
  if (!mapped) return mapped.error();
  return memory;
}

base::Status SessionMemory::lock() {
  if (lock_ == nullptr) lock_ = std::make_unique<ConsumerLock>();
  const base::Result<bool> taken = lock_->take(file_.number());
  if (!taken) return taken.error();
  if (*taken) return {};
  return base::Error{"session " + session_ + " of process " + std::to_string(pid_) + " already has a consumer",
                     "one at a time takes its events; stop the other recorder first"};
}

maxlat_shm_slot* SessionMemory::slot_at(std::size_t channel, std::uint32_t slot) const {
  auto* bytes = static_cast<std::uint8_t*>(head_.where()) + channels_[channel].slot_table_offset;
  return reinterpret_cast<maxlat_shm_slot*>(bytes) + slot;
}

SlotWord SessionMemory::slot(std::size_t channel, std::uint32_t slot) const {
  // acquire [S1]: the ring and the owner before the word that says LIVE. acquire [S3]: the finalised ring before ENDED.
  // Partners: [S1], [S3] of the producer's slot table. Shape: publish.
  return SlotWord{__atomic_load_n(&slot_at(channel, slot)->word, __ATOMIC_ACQUIRE)};
}

std::uint32_t SessionMemory::owner(std::size_t channel, std::uint32_t slot) const {
  return once(slot_at(channel, slot)->owner);
}

std::string SessionMemory::thread_name(std::size_t channel, std::uint32_t slot, SlotWord expected) const {
  const maxlat_shm_slot* shared = slot_at(channel, slot);
  char copy[sizeof shared->name];
  for (std::size_t i = 0; i < sizeof copy; ++i) copy[i] = once(shared->name[i]);
  // A second look: a later ring's name is not this one's. Where loads pass each other it may be all the same; then a name
  // is wrong, and nothing else.
  if (this->slot(channel, slot).generation() != expected.generation()) return "";
  return {copy, strnlen(copy, sizeof copy)};
}

std::optional<SessionMemory::FileId> SessionMemory::file_id() const {
  struct stat facts {};
  if (fstat(file_.number(), &facts) != 0) return std::nullopt;
  return FileId{facts.st_dev, facts.st_ino};
}

bool SessionMemory::exchange(std::size_t channel, std::uint32_t slot, SlotWord expected, std::uint64_t desired) {
  // acquire-release [S1]: as slot(), and what we did before is before what we say.
  return __atomic_compare_exchange_n(&slot_at(channel, slot)->word, &expected.word, desired, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

void SessionMemory::end_reading(std::size_t channel, std::uint32_t slot) {
  // release [S4]: our last look at the ring before a thread may claim the slot. Partner: the claim's acquire [S4].
  __atomic_and_fetch(&slot_at(channel, slot)->word, ~std::uint64_t{MAXLAT_SHM_READING}, __ATOMIC_RELEASE);
}

base::Status SessionMemory::free_slot(std::size_t channel, std::uint32_t slot) {
  if (fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, ring_offset(channel, slot),
                static_cast<std::int64_t>(channels_[channel].ring_stride)) != 0) {
    return base::system_error("cannot give back the memory of a ring", errno);
  }
  maxlat_shm_slot* shared = slot_at(channel, slot);
  const SlotWord taken{once(shared->word)};
  // release [S4]: the hole before the slot can be claimed. Partner: the claim's acquire [S4]. Shape: publish.
  __atomic_store_n(&shared->word, MAXLAT_SHM_FREE | (taken.generation() + 1) << MAXLAT_SHM_GENERATION_SHIFT,
                   __ATOMIC_RELEASE);
  return {};
}

std::int64_t SessionMemory::ring_offset(std::size_t channel, std::uint32_t slot) const {
  return static_cast<std::int64_t>(channels_[channel].rings_offset + slot * channels_[channel].ring_stride);
}

base::Result<MappedRing> SessionMemory::map_ring(std::size_t channel, std::uint32_t slot) const {
  const ChannelMemory& shape = channels_[channel];
  void* where =
      mmap(nullptr, shape.ring_stride, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), ring_offset(channel, slot));
  if (where == MAP_FAILED) return base::system_error("cannot map a ring", errno);
  MappedRing mapped{base::Mapping(where, shape.ring_stride), {}};
  if (!maxlat_ring_attach(&mapped.ring, where, shape.ring_stride) || mapped.ring.features != shape.ring_features) {
    return unfit("slot " + std::to_string(slot) + " of channel " + shape.name + " is no ring");
  }
  return mapped;
}

std::uint64_t SessionMemory::metadata_length() const {
  // acquire [S2]: the text before its length. Partner: release [S2] in session_file.cpp. Shape: publish.
  return std::min(__atomic_load_n(&header()->metadata_length, __ATOMIC_ACQUIRE), metadata_capacity_);
}

base::Result<std::string> SessionMemory::metadata(std::uint64_t from, std::uint64_t to) const {
  std::string text(to - from, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = pread(file_.number(), text.data() + have, text.size() - have,
                              static_cast<off_t>(metadata_offset_ + from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return base::system_error("cannot read the session's metadata", got < 0 ? errno : EIO);
    have += static_cast<std::size_t>(got);
  }
  return text;
}

std::uint64_t SessionMemory::lost_no_ring(std::size_t channel) const {
  return once(header()->channel[channel].lost_no_ring);  // relaxed: a counter
}

ReplacedBooks SessionMemory::replaced(std::size_t channel) const {
  const maxlat_shm_channel& shared = header()->channel[channel];
  return {once(shared.replaced_unread), once(shared.replaced_lost_full), once(shared.replaced_lost_wrap),
          once(shared.replaced_lost_big)};
}

std::uint64_t SessionMemory::snapshot_requests() const {
  // acquire [S7]: what the requesting thread traced before, in the rings that are looked at because of it. Partner:
  // release [S7] in ring/freeze.h. Shape: publish. Without it a snapshot could miss the event that it is about.
  return __atomic_load_n(&header()->freeze.requests, __ATOMIC_ACQUIRE);
}

std::uint64_t SessionMemory::snapshots_answered() const {
  return once(header()->freeze.answered);  // relaxed: the consumer's own
}

bool SessionMemory::is_in_stretch() const {
  const maxlat_ring_freeze& freeze = header()->freeze;
  return maxlat_ring_age_of_request(&freeze) < static_cast<std::int64_t>(once(freeze.stretch));
}

bool SessionMemory::expects_snapshot() const {
  return maxlat_ring_expects_snapshot(&header()->freeze);
}

void SessionMemory::announce_snapshots(std::chrono::nanoseconds stretch, std::chrono::nanoseconds limit) {
  const double ticks_per_ns = static_cast<double>(once(header()->ticks_per_second)) * 1e-9;
  const auto ticks = [&](std::chrono::nanoseconds span) {
    return static_cast<std::uint64_t>(std::min(static_cast<double>(span.count()) * ticks_per_ns, 0x1p62));
  };
  // relaxed, both: a writer that sees them late overwrites until then, as it did before.
  __atomic_store_n(&header()->freeze.stretch, ticks(stretch), __ATOMIC_RELAXED);
  __atomic_store_n(&header()->freeze.limit, ticks(limit), __ATOMIC_RELAXED);
}

void SessionMemory::answer_snapshots(std::uint64_t requests) {
  // relaxed: what was taken from the rings is not theirs any more, by the rings' own words.
  __atomic_store_n(&header()->freeze.answered, requests, __ATOMIC_RELAXED);
}

}  // namespace maxlat::trace
