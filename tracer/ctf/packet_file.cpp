// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/packet_file.hpp>
#include <vector>

#include "read_part.hpp"

namespace maxlat::trace {
namespace {

constexpr const char* kShorter = "the file became shorter while it was read";
constexpr std::uint64_t kPage = 4096;  // where a file that is being written ends (consumer/trace_file.hpp)
constexpr std::uint64_t kMaxContent = std::uint64_t{1} << MAXLAT_RING_MAX_SUB_BUFFER_BITS;

base::Descriptor opened(const std::string& path) {
  return base::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// Until `size` bytes are there, or the file ends. RETURNS: how many, or -1 and errno.
ssize_t read_at(int file, std::uint8_t* to, std::uint64_t size, std::uint64_t offset) {
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t got = read_part(file, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

ReadPart read_part = pread;

void FileWindow::read(std::uint64_t offset, std::uint64_t size) {
  forget();
  error_ = 0;
  const std::uint64_t wanted = std::max(size, PacketFile::kWindow);
  if (wanted > capacity_) {
    buffer_ = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
    capacity_ = wanted;
  }
  const base::Descriptor file = opened(path_);
  begin_ = offset;
  const ssize_t got = file.number() < 0 ? -1 : read_at(file.number(), buffer_.get(), capacity_, offset);
  struct stat status {};
  if (got < 0 || fstat(file.number(), &status) != 0)
    error_ = errno;
  else
    held_ = static_cast<std::uint64_t>(got);
  file_size_ = error_ == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::span<const std::uint8_t> FileWindow::at(std::uint64_t offset, std::uint64_t size) {
  const auto held_at = [&] { return offset >= begin_ && offset - begin_ < held_ ? held_ - (offset - begin_) : 0; };
  if (held_at() < size) read(offset, size);
  return {buffer_.get() + (offset - begin_), std::min(size, held_at())};
}

bool FileWindow::still_says(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  std::vector<std::uint8_t> now(bytes.size());
  const base::Descriptor file = opened(path_);
  const ssize_t got = file.number() < 0 ? -1 : read_at(file.number(), now.data(), now.size(), offset);
  return got >= 0 && std::ranges::equal(bytes, std::span(now).first(static_cast<std::size_t>(got)));
}

bool PacketFile::fail(std::uint64_t offset, std::string why) {
  release();
  broken_ = TraceBreak{window_.path(), offset, std::move(why)};
  return false;
}

PacketFile::Stream PacketFile::stream_of(const maxlat_ring_packet& head) {
  Stream stream;
  static_assert(sizeof stream == 12 && MAXLAT_RING_PACKET_PREFIX == 20 + sizeof stream);
  std::memcpy(&stream, head.prefix + 20, sizeof stream);
  return stream;
}

// What a packet says of itself, before it is believed. RETURNS: why it is not, or nothing.
std::string PacketFile::check_head(std::uint64_t left) const {
  const Stream stream = stream_of(head_);
  const auto ours = packet_prefix(uuid_, stream.id, stream.owner | std::uint64_t{stream.slot} << 32);
  if (std::memcmp(head_.prefix, ours.data(), 4) != 0) return "no packet begins here";
  if (std::memcmp(head_.prefix, ours.data(), 20) != 0) return "a packet of another trace";
  if (!first_ && stream != stream_) return "a packet of another stream";
  if (head_.content_bits % 64 != 0 || head_.packet_bits % 64 != 0 || head_.content_bits > head_.packet_bits ||
      head_.content_bits / 8 < MAXLAT_RING_PACKET_HEADER || head_.content_bits / 8 > kMaxContent) {
    return "impossible sizes: " + std::to_string(head_.content_bits) + " bits of content in a packet of " +
           std::to_string(head_.packet_bits);
  }
  if (head_.packet_bits / 8 > left) {
    return missing("the packet has " + std::to_string(head_.packet_bits / 8) + " bytes, and the file " +
                   std::to_string(left) + " of them");
  }
  return {};
}

std::string PacketFile::missing(std::string what) const {
  return window_.file_size() < *limit_ ? kShorter : std::move(what);
}

// Takes the head of what lies at next_. RETURNS: why it is no whole packet, or nothing.
std::string PacketFile::look() {
  const auto head = window_.at(next_, sizeof head_);
  head_ = {};
  if (!head.empty()) std::memcpy(&head_, head.data(), head.size());
  if (window_.error() != 0) return std::strerror(window_.error());
  if (!limit_) limit_ = window_.file_size();
  if (head.size() < sizeof head_) return missing(std::to_string(head.size()) + " bytes are no whole packet");
  return check_head(window_.file_size() - std::min(window_.file_size(), next_));
}

// The same from the file, until it says the same as before: nobody is writing it.
std::string PacketFile::look_again() {
  for (;;) {
    const maxlat_ring_packet before = head_;
    window_.forget();
    std::string wrong = look();
    if (std::memcmp(&before, &head_, sizeof head_) == 0) return wrong;
  }
}

// Is there another packet now where room was passed over? Then the walk goes back to it.
bool PacketFile::room_was_taken() {
  if (!room_) return false;
  maxlat_ring_packet now{};
  window_.forget();
  const auto head = window_.at(*room_, sizeof now);
  if (!head.empty()) std::memcpy(&now, head.data(), head.size());
  if (std::memcmp(&now, &room_head_, sizeof now) == 0) return false;
  next_ = *room_;
  room_.reset();
  return true;
}

// Nothing more is wanted, or there. RETURNS: false.
bool PacketFile::end() {
  const std::uint64_t given = room_.value_or(next_);
  window_.forget();
  (void)window_.at(given, 1);
  if (window_.error() != 0) return fail(next_, std::strerror(window_.error()));
  if (window_.file_size() < given) return fail(window_.file_size(), kShorter);
  release();
  return false;
}

// Was the head that was just taken met while it was written? Only at the end of what is written so far, but where that
// is nobody tells.
bool PacketFile::torn() const {
  const bool may_grow = *limit_ % kPage == 0;
  return may_grow && !window_.still_says(next_, {reinterpret_cast<const std::uint8_t*>(&head_), sizeof head_});
}

bool PacketFile::next() {
  while (!broken_) {
    if (limit_ && next_ >= *limit_) return end();
    std::string wrong = look();
    if (!wrong.empty() || next_ + head_.packet_bits / 8 >= *limit_ || torn()) wrong = look_again();
    const bool empty = wrong.empty() && head_.content_bits == 8 * MAXLAT_RING_PACKET_HEADER;
    if (!empty && room_was_taken()) continue;
    if (!wrong.empty() && window_.error() == 0 && window_.file_size() <= next_) return end();
    if (!wrong.empty()) return fail(next_, std::move(wrong));
    stream_ = stream_of(head_);
    first_ = false;
    offset_ = next_;
    next_ += head_.packet_bits / 8;
    if (empty) {
      if (!room_) room_head_ = head_;
      room_ = room_.value_or(offset_);
      continue;
    }
    room_.reset();
    content_ = window_.at(offset_, head_.content_bits / 8);
    return content_.size() == head_.content_bits / 8 || fail(window_.file_size(), kShorter);
  }
  return false;
}

}  // namespace maxlat::trace
