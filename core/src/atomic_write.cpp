// SPDX-License-Identifier: MIT
//
// Replacing a file so that a reader, a crash or a full disk finds the old text or the new one, never a part of it:
// write path.tmp, fsync it (else the rename may reach the disk before the text does), rename, fsync the directory (else
// the rename itself may be lost).
//
// A path that is not a regular file (/dev/stdout, /dev/null, a pipe) is written to, not replaced: as root, a rename
// would put a regular file in the place of the device.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <maxlat/core/output_file.hpp>
#include <maxlat/core/run_result.hpp>
#include <system_error>
#include <utility>

namespace maxlat::core {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // close() may be the first to tell of a failed write (NFS, quota).
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// False with errno set.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Error cannot_write(const std::string& path, int errno_value) {
  std::string hint;
  if (errno_value == ENOSPC || errno_value == EDQUOT) hint = "free some space; what the file held before is untouched";
  if (errno_value == ENOENT) hint = "does the folder exist?";
  return system_error(fmt::format("cannot write {}", path), errno_value, std::move(hint));
}

Status write_through(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.ok() || !write_all(file.get(), text)) return cannot_write(path, errno);
  return {};
}

// The new text under its temporary name, on disk. False with errno set.
bool write_temporary(const std::string& path, std::string_view text) {
  ::unlink(path.c_str());  // left by a crash, or put there by somebody: O_EXCL makes sure that we write to our own file
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  return file.ok() && write_all(file.get(), text) && ::fsync(file.get()) == 0 && file.close();
}

// What is replaced: a link is kept, and what it points to is the target.
std::string behind_links(const std::string& path) {
  std::error_code failure;
  const auto real = std::filesystem::canonical(path, failure);
  return failure ? path : real.string();
}

}  // namespace

Status check_writable(const std::string& path) {
  if (path == "-") return {};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
    // To open a pipe could wait for its reader.
    if (!S_ISREG(status.st_mode)) return ::access(path.c_str(), W_OK) == 0 ? Status() : cannot_write(path, errno);
  }
  const std::string temporary = behind_links(path) + ".tmp";
  if (!write_temporary(temporary, {})) return cannot_write(path, errno);
  ::unlink(temporary.c_str());
  return {};
}

Status write_atomically(const std::string& path, std::string_view text) {
  if (path == "-") {
    std::fflush(stdout);
    if (!write_all(STDOUT_FILENO, text) || !write_all(STDOUT_FILENO, "\n"))
      return cannot_write("standard output", errno);
    return {};
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
    if (!S_ISREG(status.st_mode)) return write_through(path, text);
  }
  const std::string target = behind_links(path);
  const std::string temporary = target + ".tmp";
  if (!write_temporary(temporary, text) || ::rename(temporary.c_str(), target.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    return cannot_write(path, reason);
  }
  const std::string folder = std::filesystem::path(target).parent_path().string();
  Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system without directory syncs. The rename is done; its time of arrival is then not ours to say.
  if (directory.ok() && ::fsync(directory.get()) != 0 && errno != EINVAL) return cannot_write(path, errno);
  return {};
}

}  // namespace maxlat::core
