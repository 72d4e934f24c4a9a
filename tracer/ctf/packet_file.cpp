// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <maxlat/trace/packet_file.hpp>

namespace maxlat::trace {
namespace {

constexpr std::uint64_t kMapUnit = 65536;  // a multiple of every page size

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

void FileWindow::unmap() {
  if (where_ != nullptr) munmap(where_, size_);
  where_ = nullptr;
  size_ = 0;
}

bool FileWindow::map(std::uint64_t offset, std::uint64_t size) {
  unmap();
  error_ = 0;
  const Descriptor file(path_);
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) {
    error_ = errno;
    return false;
  }
  file_size_ = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (offset >= file_size_) return true;
  begin_ = offset / kMapUnit * kMapUnit;
  const std::uint64_t wanted = std::max(offset - begin_ + size, PacketFile::kWindow);
  size_ = std::min(wanted, file_size_ - begin_);
  void* where = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), static_cast<off_t>(begin_));
  if (where == MAP_FAILED) {
    error_ = errno;
    size_ = 0;
    return false;
  }
  where_ = static_cast<std::uint8_t*>(where);
  return true;
}

std::span<const std::uint8_t> FileWindow::at(std::uint64_t offset, std::uint64_t size) {
  const bool inside =
      where_ != nullptr && offset >= begin_ && offset - begin_ <= size_ && size <= size_ - (offset - begin_);
  if (!inside && !map(offset, size)) return {};
  if (offset >= begin_ + size_ || where_ == nullptr) return {};
  return {where_ + (offset - begin_), std::min(size, size_ - (offset - begin_))};
}

bool PacketFile::fail(std::string why) {
  content_ = {};
  broken_ = TraceBreak{window_.path(), next_, std::move(why)};
  return false;
}

// What a packet says of itself, before it is believed.
bool PacketFile::check_head(std::uint64_t left) {
  std::array<std::uint8_t, MAXLAT_RING_PACKET_PREFIX> prefix{};
  std::memcpy(prefix.data(), head_.prefix, prefix.size());
  std::uint32_t stream_id, owner, slot;
  std::memcpy(&stream_id, prefix.data() + 20, sizeof stream_id);
  std::memcpy(&owner, prefix.data() + 24, sizeof owner);
  std::memcpy(&slot, prefix.data() + 28, sizeof slot);
  const auto ours = packet_prefix(uuid_, stream_id, owner | std::uint64_t{slot} << 32);
  if (std::memcmp(prefix.data(), ours.data(), 4) != 0) return fail("no packet begins here");
  if (std::memcmp(prefix.data(), ours.data(), 20) != 0) return fail("a packet of another trace");
  if (!first_ && (stream_id != stream_id_ || owner != owner_ || slot != slot_))
    return fail("a packet of another stream");
  if (head_.content_bits % 64 != 0 || head_.packet_bits % 64 != 0 || head_.content_bits > head_.packet_bits ||
      head_.content_bits / 8 < MAXLAT_RING_PACKET_HEADER) {
    return fail("impossible sizes: " + std::to_string(head_.content_bits) + " bits of content in a packet of " +
                std::to_string(head_.packet_bits));
  }
  if (head_.packet_bits / 8 > left) {
    return fail("the packet has " + std::to_string(head_.packet_bits / 8) + " bytes, and the file " +
                std::to_string(left) + " of them");
  }
  stream_id_ = stream_id;
  owner_ = owner;
  slot_ = slot;
  first_ = false;
  return true;
}

bool PacketFile::next() {
  do {
    if (broken_) return false;
    const auto head = window_.at(next_, sizeof head_);
    if (head.empty()) {
      content_ = {};
      return window_.error() == 0 ? false : fail(std::strerror(window_.error()));
    }
    if (head.size() < sizeof head_) return fail(std::to_string(head.size()) + " bytes are no whole packet");
    std::memcpy(&head_, head.data(), sizeof head_);
    if (!check_head(window_.file_size() - next_)) return false;
    content_ = window_.at(next_, head_.content_bits / 8);
    if (content_.size() < head_.content_bits / 8) return fail("the file became shorter while it was read");
    offset_ = next_;
    next_ += head_.packet_bits / 8;
  } while (head_.content_bits == 8 * MAXLAT_RING_PACKET_HEADER);  // the room of a file that is being written
  return true;
}

}  // namespace maxlat::trace
