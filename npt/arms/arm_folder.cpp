// SPDX-License-Identifier: MIT
#include "arm_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ftw.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/process_start.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>
#include <thread>
#include <vector>

namespace maxlat::npt {
namespace {

constexpr std::string_view kPrefix = "maxlat-npt-";

struct Owner {
  pid_t pid = 0;
  uint64_t start_time = 0;
  bool lives() const { return base::start_time_of(pid) == start_time; }
};

// From "maxlat-npt-PID-STARTTIME"; pid 0 when it is no such name.
Owner owner_in(std::string_view name) {
  Owner owner;
  if (!name.starts_with(kPrefix)) return {};
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data() + kPrefix.size(), end, owner.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '-') return {};
  const auto time = std::from_chars(pid.ptr + 1, end, owner.start_time);
  return time.ec == std::errc{} && time.ptr == end ? owner : Owner{};
}

bool is_own_folder(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

bool mapped_by_others(const std::string& path) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = process.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) continue;
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);)
      if (line.ends_with(path)) return true;
  }
  return false;
}

// A kernel module. Who was killed a moment ago may still be loading it, or on the way out of it.
bool unload(const std::string& module) {
  constexpr std::chrono::milliseconds kLong{5000}, kAgain{10};
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  for (;;) {
    if (::syscall(SYS_delete_module, module.c_str(), O_NONBLOCK) == 0 || errno == ENOENT) return true;
    const bool in_use = errno == EAGAIN || errno == EBUSY;
    if (!in_use || std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kAgain);
  }
}

// False: it is still there, and the folder must stay so that a later start finds it.
bool undo_line(const std::string& line) {
  std::istringstream words(line);
  std::string verb, path, text;
  words >> verb >> path;
  std::getline(words >> std::ws, text);
  if (verb == "unmount") return ::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0 || errno != EBUSY;
  if (verb == "rmdir") return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
  if (verb == "unload") return unload(path);
  if (verb == "unlink-unless-mapped") {
    if (!mapped_by_others(path)) ::unlink(path.c_str());
    return true;
  }
  if (verb == "write") {
    const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    return (file && ::write(file.number(), text.data(), text.size()) >= 0) || errno == ENOENT;
  }
  return true;  // a line that was cut by a full disk: what it would have named was not made
}

void undo(const std::string& folder) {
  std::vector<std::string> lines;
  {
    std::ifstream journal(folder + "/journal");
    for (std::string line; std::getline(journal, line);) lines.push_back(line);
  }
  bool undone = true;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) undone = undo_line(*line) && undone;
  if (!undone) return;
  const auto remove = [](const char* path, const struct stat*, int, FTW*) {
    ::remove(path);  // what cannot be removed keeps the folder, and a later start tries again
    return 0;
  };
  ::nftw(folder.c_str(), remove, 16, FTW_DEPTH | FTW_MOUNT | FTW_PHYS);
}

}  // namespace

void undo_arms_of_the_dead(const std::string& parent) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(parent, unreadable)) {
    const Owner owner = owner_in(entry.path().filename().native());
    if (owner.pid != 0 && !owner.lives() && is_own_folder(entry.path())) undo(entry.path());
  }
}

core::Result<ArmFolder> ArmFolder::make(const std::string& parent) {
  undo_arms_of_the_dead(parent);
  if (parent == kUsualPlace) undo_arms_of_the_dead(kMemoryForTraces);
  std::string path = fmt::format("{}/{}{}-{}", parent, kPrefix, ::getpid(), base::start_time_of(::getpid()));
  if (::mkdir(path.c_str(), 0700) != 0)
    return core::system_error("cannot make the folder " + path, errno, "an arm keeps its sockets and traces there");
  return ArmFolder(std::move(path));
}

ArmFolder::~ArmFolder() {
  if (!path_.empty()) undo(path_);
}

core::Status ArmFolder::note(std::string_view line) const {
  const std::string file_name = path_ + "/journal";
  const base::Descriptor file(::open(file_name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string text = std::string(line) + "\n";
  if (!file || ::write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return core::system_error("cannot write " + file_name, errno);
  return {};
}

core::Result<std::string> ArmFolder::make_inner(const std::string& name) const {
  std::string inner = path_ + "/" + name;
  if (::mkdir(inner.c_str(), 0700) != 0) return core::system_error("cannot make the folder " + inner, errno);
  return inner;
}

}  // namespace maxlat::npt
