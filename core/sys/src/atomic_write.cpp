// SPDX-License-Identifier: MIT
//
// Replacing a file so that a reader, a crash or a full disk finds the old text or the new one, never a part of it:
// write a temporary beside it, fsync that (else the rename may reach the disk before the text does), rename, fsync the
// directory (else the rename itself may be lost).
//
// Root writes also where everybody may: /tmp. So a link of another user is not followed (it would choose the file that
// root replaces), the temporary has a name that nobody can foresee and is never somebody else's file, and what is
// replaced keeps its mode and, as root, its owner.
//
// A path that is not a regular file (/dev/stdout, /dev/null, a pipe) is written to, not replaced: as root, a rename
// would put a regular file in the place of the device.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <system_error>
#include <utility>

namespace maxlat::core {
namespace {

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
  base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || !write_all(file.number(), text)) return cannot_write(path, errno);
  return {};
}

Status print(std::string_view text) {
  std::fflush(stdout);
  if (!write_all(STDOUT_FILENO, text) || (!text.ends_with('\n') && !write_all(STDOUT_FILENO, "\n")))
    return cannot_write("standard output", errno);
  return {};
}

// What is replaced: a link is kept, and what it points to is the target. The kernel follows the folders of the path, by
// its own rules for links in /tmp.
Result<std::string> behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::filesystem::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return target.string();
    std::error_code failure;
    auto next = target.parent_path() / std::filesystem::read_symlink(target, failure);
    if (failure) return cannot_write(path, failure.value());
    if (status.st_uid != ::geteuid() && status.st_uid != 0) {
      return Error{fmt::format("cannot write {}: {} is a link that belongs to another user", path, target.string()),
                   fmt::format("if you trust it, name the file that it points to: {}", next.string())};
    }
    target = std::move(next);
  }
  return cannot_write(path, ELOOP);
}

// A file of ours alone beside the target.
class Temporary {
 public:
  explicit Temporary(const std::string& target) : target_(target) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  // The text, on disk, with mode and owner of what it will replace. False with errno set.
  bool write(std::string_view text) {
    struct stat replaced {};
    const bool replaces = ::lstat(target_.c_str(), &replaced) == 0;
    // Until it has its mode nobody else may open it: what it replaces may be a secret.
    base::Descriptor file(create(replaces ? 0600 : 0666));
    return file && (!replaces || resemble(file.number(), replaced)) && write_all(file.number(), text) &&
           ::fsync(file.number()) == 0 &&
           ::close(file.release()) == 0;  // may be the first to tell of a failed write (NFS, quota)
  }
  // False with errno set.
  bool replace_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  // Not mkostemp(): what is new is to have the mode that the umask leaves.
  int create(mode_t mode) {
    for (;;) {
      uint32_t random = 0;
      if (::getrandom(&random, sizeof random, 0) != sizeof random) return -1;
      std::string path = fmt::format("{}.{:08x}.tmp", target_, random);
      const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (fd >= 0) path_ = std::move(path);
      if (fd >= 0 || errno != EEXIST) return fd;
    }
  }
  // Asks for nothing that is so already: some file systems know one owner and one mode alone, and refuse to be asked.
  static bool resemble(int fd, const struct stat& replaced) {
    constexpr mode_t kPermissions = 0777;
    struct stat status {};
    if (::fstat(fd, &status) != 0) return false;
    const bool same_owner = status.st_uid == replaced.st_uid && status.st_gid == replaced.st_gid;
    if (::geteuid() == 0 && !same_owner && ::fchown(fd, replaced.st_uid, replaced.st_gid) != 0) return false;
    const mode_t mode = replaced.st_mode & kPermissions;
    return (status.st_mode & kPermissions) == mode || ::fchmod(fd, mode) == 0;
  }

  std::string target_;
  std::string path_;  // empty: there is none
};

}  // namespace

Status check_writable(const std::string& path) {
  if (path == "-") return {};
  const Result<std::string> target = behind_links(path);
  if (!target) return target.error();
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
    // To open a pipe could wait for its reader.
    if (!S_ISREG(status.st_mode)) return ::access(path.c_str(), W_OK) == 0 ? Status() : cannot_write(path, errno);
  }
  return Temporary(*target).write({}) ? Status() : cannot_write(path, errno);
}

namespace {

// `written` is asked when the text is on the disk; its error keeps what the file held before.
Status write_file(const std::string& path, std::string_view text, const std::function<Status()>& written) {
  const Result<std::string> target = behind_links(path);
  if (!target) return target.error();
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      const Status through = write_through(path, text);
      return through ? written() : through;
    }
  }
  Temporary temporary(*target);
  if (!temporary.write(text)) return cannot_write(path, errno);
  if (const Status told = written(); !told) return told;
  if (!temporary.replace_target()) return cannot_write(path, errno);
  const std::string folder = std::filesystem::path(*target).parent_path().string();
  base::Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system without directory syncs. The rename is done; its time of arrival is then not ours to say.
  if (directory && ::fsync(directory.number()) != 0 && errno != EINVAL) return cannot_write(path, errno);
  return {};
}

}  // namespace

Status write_atomically(const std::string& path, std::string_view text) {
  return path == "-" ? print(text) : write_file(path, text, [] { return Status(); });
}

Status write_and_tell(const std::string& path, std::string_view text) {
  return write_file(path, text, [&] { return print(path); });
}

Status make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return system_error(fmt::format("cannot make the folder of {}", path), error.value());
  return {};
}

Status check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  const auto same = [](const std::string& one, const std::string& other) {
    if (one.empty() || one == "-" || other.empty() || other == "-") return false;
    std::error_code ignored;
    if (fs::equivalent(one, other, ignored)) return true;
    return fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& input : inputs)
      if (same(outputs[i], input))
        return Error{fmt::format("{} is read, and would be overwritten", outputs[i]), "name another file to write to"};
    for (std::size_t j = 0; j < i; ++j)
      if (same(outputs[i], outputs[j]))
        return Error{fmt::format("{} would be written twice", outputs[i]), "name a file for each"};
  }
  return {};
}

}  // namespace maxlat::core
