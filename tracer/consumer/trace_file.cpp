// SPDX-License-Identifier: MIT
#include "trace_file.hpp"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace maxlat::trace {
namespace {

constexpr std::uint64_t kPage = 4096;        // no kernel divides a smaller write
constexpr std::uint64_t kStep = 128 * 1024;  // grown by at least this, and written in such parts: stays in the cache
constexpr std::uint64_t kHeader = MAXLAT_RING_PACKET_HEADER;

constexpr std::uint64_t up_to_page(std::uint64_t at) {
  return (at + kPage - 1) / kPage * kPage;
}

// Where the packet after one that ends here can begin: its header lies in one page.
constexpr std::uint64_t place_from(std::uint64_t at) {
  return up_to_page(at) - at < kHeader ? up_to_page(at) : at;
}

// An empty packet of the same stream, which says of time and losses what is known at `time`.
maxlat_ring_packet empty_packet(const maxlat_ring_packet& like, std::uint64_t time) {
  maxlat_ring_packet empty = like;
  empty.begin_time = empty.end_time = time;
  empty.content_bits = 8 * kHeader;
  empty.records = 0;
  return empty;
}

}  // namespace

WriteParts write_parts = pwritev;

base::Result<std::unique_ptr<TraceFile>> TraceFile::create(std::string path) {
  base::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return base::system_error("cannot create " + path, errno);
  return std::unique_ptr<TraceFile>(new TraceFile(std::move(path), std::move(file)));
}

// The room is no more than an empty packet when it cannot be cut off.
TraceFile::~TraceFile() {
  (void)!ftruncate(file_.number(), static_cast<off_t>(at_));
}

bool TraceFile::write(const void* bytes, std::uint64_t size, std::uint64_t at) {
  for (std::uint64_t done = 0; done < size;) {
    const iovec part{static_cast<char*>(const_cast<void*>(bytes)) + done, size - done};
    const ssize_t wrote = write_parts(file_.number(), &part, 1, static_cast<off_t>(at + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      if (wrote == 0) errno = EIO;
      return false;
    }
    done += static_cast<std::uint64_t>(wrote);
  }
  return true;
}

bool TraceFile::write_header(maxlat_ring_packet head, std::uint64_t at, std::uint64_t size) {
  head.packet_bits = 8 * size;
  return write(&head, sizeof head, at);
}

// RETURNS: false and errno: there is less room than that.
bool TraceFile::grow(std::uint64_t until) {
  if (until <= end_) return true;
  std::array<std::uint8_t, kPage> page{};
  empty_.packet_bits = 8 * kPage;
  std::memcpy(page.data(), &empty_, sizeof empty_);
  std::array<iovec, kStep / kPage> pages;
  pages.fill({page.data(), page.size()});
  const std::uint64_t wanted = std::max(up_to_page(until), end_ + kStep);
  while (end_ < wanted) {
    const auto count = static_cast<int>(std::min<std::uint64_t>(pages.size(), (wanted - end_) / kPage));
    const ssize_t wrote = write_parts(file_.number(), pages.data(), count, static_cast<off_t>(end_));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    const std::uint64_t part = static_cast<std::uint64_t>(wrote) % kPage;
    end_ += static_cast<std::uint64_t>(wrote) - part;
    if (part == 0) continue;
    if (!write(page.data() + part, kPage - part, end_ + part)) {
      const int reason = errno;
      if (ftruncate(file_.number(), static_cast<off_t>(end_)) != 0) return false;
      errno = reason;
      break;
    }
    end_ += kPage;
  }
  if (end_ < until) return false;
  return write_header(empty_, at_, end_ - at_);
}

base::Status TraceFile::give_up(int reason) {
  if (ftruncate(file_.number(), static_cast<off_t>(at_)) != 0) {
    return base::system_error("cannot cut " + path_ + " back to its last whole packet", errno);
  }
  end_ = at_;
  return base::system_error("cannot write " + path_, reason, "the file holds whole packets up to here");
}

base::Status TraceFile::append(maxlat_ring_packet head, std::span<const std::uint8_t> records) {
  if (at_ == 0) empty_ = empty_packet(head, head.begin_time);
  const std::uint64_t from = at_ + kHeader, next = place_from(from + records.size());
  for (std::uint64_t done = 0; done < records.size();) {
    const std::uint64_t part = std::min(kStep, records.size() - done);
    if (!grow(from + done + part) || !write(records.data() + done, part, from + done)) return give_up(errno);
    done += part;
  }
  if (!grow(next)) return give_up(errno);
  const maxlat_ring_packet after = empty_packet(head, head.end_time);
  if (next < end_ && !write_header(after, next, end_ - next)) return give_up(errno);
  if (!write_header(head, at_, next - at_)) return give_up(errno);
  at_ = next;
  empty_ = after;
  return {};
}

}  // namespace maxlat::trace
