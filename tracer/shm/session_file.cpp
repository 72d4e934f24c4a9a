// SPDX-License-Identifier: MIT
#include "session_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "file_size_limit.hpp"
#include "memory_nodes.hpp"
#include "reserve_memory.hpp"

namespace maxlat::trace {
namespace {

constexpr std::uint64_t kMaxTotal = 1ull << 46;  // of a 47-bit address space

// ERRORS: a number out of range.
base::Result<maxlat_shm_channel> shape_of(const ChannelLayout& from) {
  maxlat_ring_options options{};
  options.features = from.ring_features;
  options.sub_buffer_bits = from.sub_buffer_bits;
  options.ring_bits = from.ring_bits;
  maxlat_shm_channel shape{};
  shape.ring_features = from.ring_features;
  shape.sub_buffer_bits = from.sub_buffer_bits;
  shape.ring_bits = from.ring_bits;
  shape.ownership = from.ownership;
  shape.delivery = from.delivery;
  shape.slots = from.slots;
  shape.ring_stride = (maxlat_ring_size(&options) + MAXLAT_SHM_PAGE - 1) / MAXLAT_SHM_PAGE * MAXLAT_SHM_PAGE;
  if (shape.ring_stride == 0 || from.slots == 0 || from.slots > MAXLAT_SHM_MAX_SLOTS) {
    return base::Error{"channel " + from.name + ": sizes out of range"};
  }
  return shape;
}

bool make_private(void* where, std::size_t size) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  return mmap(where, size, PROT_READ | PROT_WRITE, kFlags, -1, 0) != MAP_FAILED;
}

}  // namespace

// Where everything lies.
base::Status SessionFile::lay_out(ContainerPlan& plan, std::span<const ChannelLayout> channels) {
  session_offset_ = plan.add({.kind = MAXLAT_SHM_SESSION,
                              .layout_version = MAXLAT_SHM_SESSION_VERSION,
                              .size = sizeof(maxlat_shm_session),
                              .name = "session"});
  metadata_offset_ = plan.add({.kind = MAXLAT_SHM_METADATA,
                               .layout_version = MAXLAT_SHM_METADATA_VERSION,
                               .size = sizeof(maxlat_shm_metadata),
                               .name = "metadata"});
  for (const ChannelLayout& channel : channels) {
    const base::Result<maxlat_shm_channel> shape = shape_of(channel);
    if (!shape) return shape.error();
    const std::uint64_t offset = plan.add({.kind = MAXLAT_SHM_CHANNEL,
                                           .layout_version = MAXLAT_SHM_CHANNEL_VERSION,
                                           .id = static_cast<std::uint32_t>(channels_.size()),
                                           .size = sizeof *shape + channel.slots * sizeof(maxlat_shm_slot),
                                           .name = channel.name});
    channels_.push_back({*shape, offset});
  }
  metadata_.capacity = MAXLAT_SHM_METADATA_CAPACITY;
  metadata_.text_offset = plan.place_behind(metadata_.capacity);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    maxlat_shm_channel& shape = channels_[i].layout;
    shape.rings_offset = plan.place_behind(shape.ring_stride * shape.slots);
    if (plan.total_size() > kMaxTotal) {
      return base::Error{
          "channel " + channels[i].name + ": " + std::to_string(plan.total_size() >> 30) + " GiB of address space",
          "fewer slots, or smaller sub-buffers"};
    }
  }
  return {};
}

// The file, sealed, and its head mapped.
base::Status SessionFile::make_memory(const ContainerPlan& plan) {
  memory_ = base::Descriptor(memfd_create("maxlat-session", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory_) return base::system_error("cannot make the session's memory", errno);
  if (ftruncate(fd(), static_cast<off_t>(plan.total_size())) != 0 ||
      fcntl(fd(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return base::system_error("cannot size the session's memory", errno);
  }
  const std::uint64_t head = plan.head_size();
  if (reserve_memory(fd(), 0, 0, static_cast<std::int64_t>(head)) != 0) {
    return base::system_error("no memory for the session", errno);
  }
  void* where = mmap(nullptr, head, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd(), 0);
  if (where == MAP_FAILED) return base::system_error("cannot map the session's memory", errno);
  head_ = base::Mapping(where, head);
  return {};
}

base::Result<std::unique_ptr<SessionFile>> SessionFile::create(const ContainerIdentity& identity,
                                                               std::span<const ChannelLayout> channels) {
  std::unique_ptr<SessionFile> file(new SessionFile);
  (void)memory_nodes();  // read here, so that no signal handler need do it in map_ring()
  ContainerPlan plan(2 + static_cast<std::uint32_t>(channels.size()));
  const base::Status laid_out = file->lay_out(plan, channels);
  if (!laid_out) return laid_out.error();
  const base::Status allowed = check_file_size_limit(
      "a session's memory", plan.total_size(), "raise it (ulimit -f), or use fewer slots or smaller sub-buffers");
  if (!allowed) return allowed.error();
  const base::Status made = file->make_memory(plan);
  if (!made) return made.error();
  file->uuid_ = identity.uuid;
  file->at<maxlat_shm_metadata>(file->metadata_offset_) = file->metadata_;
  for (const PlacedChannel& channel : file->channels_) file->at<maxlat_shm_channel>(channel.offset) = channel.layout;
  plan.publish(static_cast<std::uint8_t*>(file->head_.where()), identity);
  return file;
}

maxlat_shm_slot* SessionFile::slots(std::uint32_t channel) const {
  return &at<maxlat_shm_slot>(channels_[channel].offset + sizeof(maxlat_shm_channel));
}

std::int64_t SessionFile::ring_offset(std::uint32_t channel, std::uint32_t slot) const {
  return static_cast<std::int64_t>(layout(channel).rings_offset + slot * layout(channel).ring_stride);
}

base::Status SessionFile::append_metadata(std::string_view text) {
  // relaxed: only the producer's control side writes it, one at a time.
  std::uint64_t* shared_length = &at<maxlat_shm_metadata>(metadata_offset_).length;
  const std::uint64_t length = __atomic_load_n(shared_length, __ATOMIC_RELAXED);
  if (text.size() > metadata_.capacity - length) {
    return base::Error{"the session's metadata is full", "enable fewer events in one session"};
  }
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote =
        pwrite(fd(), text.data() + done, text.size() - done, static_cast<off_t>(metadata_.text_offset + length + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return base::system_error("cannot write the session's metadata", errno);
    done += static_cast<std::size_t>(wrote);
  }
  // release [S2]: the text before its length. Partner: acquire [S2] where the consumer reads it. Shape: publish.
  __atomic_store_n(shared_length, length + text.size(), __ATOMIC_RELEASE);
  return {};
}

bool SessionFile::read_ring_header(std::uint32_t channel, std::uint32_t slot, maxlat_ring_header* header) const {
  return syscall(SYS_pread64, fd(), header, sizeof *header, ring_offset(channel, slot)) ==
         static_cast<long>(sizeof *header);
}

void* SessionFile::map_ring(std::uint32_t channel, std::uint32_t slot, int node) const {
  const std::uint64_t stride = layout(channel).ring_stride;
  const std::int64_t offset = ring_offset(channel, slot);
  const auto size = static_cast<std::int64_t>(stride);
  // Zeroed: what an earlier ring left is punched out.
  if (fallocate_whole(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size) != 0) return nullptr;
  if (memory_nodes().several()) prefer_node(fd(), offset, stride, node);
  if (reserve_memory(fd(), 0, offset, size) != 0) return nullptr;
  void* where = mmap(nullptr, stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd(), offset);
  return where == MAP_FAILED ? nullptr : where;
}

void SessionFile::unmap_ring(std::uint32_t channel, void* where) const {
  munmap(where, layout(channel).ring_stride);
}

bool SessionFile::make_ring_private(std::uint32_t channel, void* where) const {
  return make_private(where, layout(channel).ring_stride);
}

void SessionFile::forget(bool keep_private_head) {
  base::Descriptor(std::move(memory_));
  if (!keep_private_head || !make_private(head_.where(), head_.size())) base::Mapping(std::move(head_));
}

}  // namespace maxlat::trace
