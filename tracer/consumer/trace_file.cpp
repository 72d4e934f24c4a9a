// SPDX-License-Identifier: MIT
#include "trace_file.hpp"

#include <errno.h>
#include <fcntl.h>

namespace maxlat::trace {

base::Result<TraceFile> TraceFile::create(std::string path) {
  TraceFile file;
  file.file_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.file_) return base::system_error("cannot create " + path, errno);
  file.path_ = std::move(path);
  return file;
}

base::Status TraceFile::append(iovec first, iovec second) {
  iovec parts[2] = {first, second};
  std::uint64_t at = size_;
  const std::uint64_t until = size_ + first.iov_len + second.iov_len;
  while (at < until) {
    const ssize_t wrote = pwritev(file_.number(), parts, 2, static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int reason = wrote < 0 ? errno : EIO;
      if (ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) {
        return base::system_error("cannot cut " + path_ + " back to its last whole packet", errno);
      }
      return base::system_error("cannot write " + path_, reason, "the file holds whole packets up to here");
    }
    at += static_cast<std::uint64_t>(wrote);
    // A short write: the rest follows.
    auto done = static_cast<std::size_t>(wrote);
    for (iovec& part : parts) {
      const std::size_t of_this = done < part.iov_len ? done : part.iov_len;
      part.iov_base = static_cast<char*>(part.iov_base) + of_this;
      part.iov_len -= of_this;
      done -= of_this;
    }
  }
  size_ = until;
  return {};
}

}  // namespace maxlat::trace
