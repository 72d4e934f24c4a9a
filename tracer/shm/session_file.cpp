// SPDX-License-Identifier: MIT
#include "session_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "memory_nodes.hpp"

namespace maxlat::trace {
namespace {

constexpr std::uint64_t kMaxTotal = 1ull << 46;  // of a 47-bit address space

std::uint64_t round_up_to_page(std::uint64_t size) {
  return (size + MAXLAT_SHM_PAGE - 1) / MAXLAT_SHM_PAGE * MAXLAT_SHM_PAGE;
}

template <std::size_t N>
void copy_name(char (&to)[N], std::string_view from) {
  std::memcpy(to, from.data(), std::min(from.size(), N - 1));
}

// Where everything lies; false when a number is out of range.
base::Status lay_out(maxlat_shm_header& header, std::span<const ChannelLayout> channels) {
  std::uint64_t at = MAXLAT_SHM_PAGE;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const ChannelLayout& from = channels[i];
    maxlat_shm_channel& to = header.channel[i];
    copy_name(to.name, from.name);
    to.ring_features = from.ring_features;
    to.sub_buffer_bits = from.sub_buffer_bits;
    to.ring_bits = from.ring_bits;
    to.ownership = from.ownership;
    to.delivery = from.delivery;
    to.slots = from.slots;
    to.slot_table_offset = at;
    at += from.slots * sizeof(maxlat_shm_slot);
    maxlat_ring_options options{};
    options.features = from.ring_features;
    options.sub_buffer_bits = from.sub_buffer_bits;
    options.ring_bits = from.ring_bits;
    to.ring_stride = round_up_to_page(maxlat_ring_size(&options));
    if (to.ring_stride == 0 || from.slots == 0 || from.slots > MAXLAT_SHM_MAX_SLOTS) {
      return base::Error{"channel " + from.name + ": sizes out of range"};
    }
  }
  header.metadata_offset = round_up_to_page(at);
  header.metadata_capacity = MAXLAT_SHM_METADATA_CAPACITY;
  at = header.metadata_offset + header.metadata_capacity;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    header.channel[i].rings_offset = at;
    at += header.channel[i].ring_stride * header.channel[i].slots;
    if (at > kMaxTotal) {
      return base::Error{"channel " + channels[i].name + ": " + std::to_string(at >> 30) + " GiB of address space",
                         "fewer slots, or smaller sub-buffers"};
    }
  }
  header.total_size = at;
  return {};
}

// A file that may grow to `size`: asked first, because the kernel's other answer is SIGXFSZ.
base::Status check_file_size_limit(std::uint64_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size) {
    return base::Error{"a session's memory of " + std::to_string(size) + " bytes is above the limit of file sizes, " +
                           std::to_string(limit.rlim_cur),
                       "raise it (ulimit -f), or use fewer slots or smaller sub-buffers"};
  }
  return {};
}

bool make_private(void* where, std::size_t size) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  return mmap(where, size, PROT_READ | PROT_WRITE, kFlags, -1, 0) != MAP_FAILED;
}

int fallocate_now(int fd, int mode, std::int64_t offset, std::int64_t size) {
  return static_cast<int>(syscall(SYS_fallocate, fd, mode, offset, size));  // libc's is a cancellation point
}

}  // namespace

ReserveMemory reserve_memory = fallocate_now;

base::Result<std::unique_ptr<SessionFile>> SessionFile::create(std::string_view session,
                                                               const std::array<std::uint8_t, 16>& uuid,
                                                               std::span<const ChannelLayout> channels) {
  std::unique_ptr<SessionFile> file(new SessionFile);
  (void)memory_nodes();  // read here, so that no signal handler need do it in map_ring()
  maxlat_shm_header& header = file->layout_;
  const base::Status laid_out = lay_out(header, channels);
  if (!laid_out) return laid_out.error();
  const base::Status allowed = check_file_size_limit(header.total_size);
  if (!allowed) return allowed.error();
  header.version = MAXLAT_SHM_VERSION;
  header.header_size = sizeof(header);
  header.pid = static_cast<std::uint32_t>(getpid());
  header.channels = static_cast<std::uint32_t>(channels.size());
  std::copy(uuid.begin(), uuid.end(), header.uuid);
  copy_name(header.session, session);
  copy_name(header.process, program_invocation_short_name);

  file->memory_ = base::Descriptor(memfd_create("maxlat-session", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int fd = file->fd();
  if (fd < 0) return base::system_error("cannot make the session's memory", errno);
  if (ftruncate(fd, static_cast<off_t>(header.total_size)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return base::system_error("cannot size the session's memory", errno);
  }
  const std::uint64_t head = header.metadata_offset;
  if (reserve_memory(fd, 0, 0, static_cast<std::int64_t>(head)) != 0) {
    return base::system_error("no memory for the session", errno);
  }
  void* where = mmap(nullptr, head, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (where == MAP_FAILED) return base::system_error("cannot map the session's memory", errno);
  file->head_ = base::Mapping(where, head);
  file->header() = header;
  // release [S5]: whoever finds the magic finds the rest. Partner: the attach side, which gets the memfd after this by
  // a socket that orders both. Shape: publish.
  __atomic_store_n(&file->header().magic, MAXLAT_SHM_MAGIC, __ATOMIC_RELEASE);
  return file;
}

maxlat_shm_slot* SessionFile::slots(std::uint32_t channel) {
  return reinterpret_cast<maxlat_shm_slot*>(static_cast<char*>(head_.where()) +
                                            layout_.channel[channel].slot_table_offset);
}

base::Status SessionFile::append_metadata(std::string_view text) {
  // relaxed: only the producer's control side writes it, one at a time.
  const std::uint64_t length = __atomic_load_n(&header().metadata_length, __ATOMIC_RELAXED);
  if (text.size() > layout_.metadata_capacity - length) {
    return base::Error{"the session's metadata is full", "enable fewer events in one session"};
  }
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = pwrite(fd(), text.data() + done, text.size() - done,
                                 static_cast<off_t>(layout_.metadata_offset + length + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return base::system_error("cannot write the session's metadata", errno);
    done += static_cast<std::size_t>(wrote);
  }
  // release [S2]: the text before its length. Partner: acquire [S2] where the consumer reads it. Shape: publish.
  __atomic_store_n(&header().metadata_length, length + text.size(), __ATOMIC_RELEASE);
  return {};
}

bool SessionFile::read_ring_header(std::uint32_t channel, std::uint32_t slot, maxlat_ring_header* header) const {
  const maxlat_shm_channel& shape = layout_.channel[channel];
  const auto offset = static_cast<std::int64_t>(shape.rings_offset + slot * shape.ring_stride);
  return syscall(SYS_pread64, fd(), header, sizeof *header, offset) == static_cast<long>(sizeof *header);
}

void* SessionFile::map_ring(std::uint32_t channel, std::uint32_t slot, int node) const {
  const maxlat_shm_channel& shape = layout_.channel[channel];
  const auto offset = static_cast<std::int64_t>(shape.rings_offset + slot * shape.ring_stride);
  const auto size = static_cast<std::int64_t>(shape.ring_stride);
  // Zeroed: what an earlier ring left is punched out.
  if (fallocate_now(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size) != 0) return nullptr;
  if (memory_nodes().several()) prefer_node(fd(), offset, shape.ring_stride, node);
  if (reserve_memory(fd(), 0, offset, size) != 0) return nullptr;
  void* where = mmap(nullptr, shape.ring_stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd(), offset);
  return where == MAP_FAILED ? nullptr : where;
}

void SessionFile::unmap_ring(std::uint32_t channel, void* where) const {
  munmap(where, layout_.channel[channel].ring_stride);
}

bool SessionFile::make_ring_private(std::uint32_t channel, void* where) const {
  return make_private(where, layout_.channel[channel].ring_stride);
}

void SessionFile::forget(bool keep_private_head) {
  base::Descriptor(std::move(memory_));
  if (!keep_private_head || !make_private(head_.where(), head_.size())) base::Mapping(std::move(head_));
}

}  // namespace maxlat::trace
