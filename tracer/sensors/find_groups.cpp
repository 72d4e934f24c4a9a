// SPDX-License-Identifier: MIT
// Groups of running programs, found by the names of the descriptors that hold them.
#include "sensors/find_groups.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <set>

#include "shm/local_socket.hpp"

namespace maxlat::sensors {
namespace {

constexpr std::string_view kLink = "/memfd:maxlat-sensors:";

// The program's own descriptor, which is open for writing; a monitor has one for reading.
bool is_group(const std::string& descriptor) {
  char target[256];
  const ssize_t length = readlink(descriptor.c_str(), target, sizeof target);
  if (length <= 0 || !std::string_view(target, static_cast<std::size_t>(length)).starts_with(kLink)) return false;
  struct stat link {};
  return lstat(descriptor.c_str(), &link) == 0 && (link.st_mode & S_IWUSR) != 0;
}

// A process's number where it lives itself: the last of "NSpid: 4711 12".
int innermost_pid(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    const std::size_t last = line.find_last_of("\t ");
    return static_cast<int>(trace::detail::process_in(line, line.substr(0, last + 1)));
  }
  return pid;
}

void add_groups_of(const std::string& descriptors, int pid, std::vector<detail::GroupOfProcess>& groups,
                   std::vector<std::string>* refused) {
  for (const std::string& name : trace::detail::names_in(descriptors)) {
    const std::string path = descriptors + "/" + name;
    if (!is_group(path)) continue;
    // It may be another file by now, also one that takes its time to open.
    const base::Descriptor memory(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!memory) continue;
    base::Result<GroupView> group = GroupView::attach(memory.number(), pid);
    // A descriptor may have been inherited (by vfork) or sent.
    const auto is_same = [&](const detail::GroupOfProcess& seen) {
      return seen.pid == pid && seen.group.uuid() == group->uuid();
    };
    if (group && (group->is_common() || group->own_pid() == innermost_pid(pid)) &&
        std::none_of(groups.begin(), groups.end(), is_same))
      groups.push_back({pid, std::move(*group)});
    if (!group && refused != nullptr) refused->push_back("process " + std::to_string(pid) + ": " + group.error().text);
  }
}

std::string folder_of(const std::string& pid) {
  return "/proc/" + pid + "/fd";
}

}  // namespace

base::Result<std::vector<detail::GroupOfProcess>> detail::find_groups_of_processes(int pid,
                                                                                   std::vector<std::string>* refused) {
  std::vector<GroupOfProcess> groups;
  if (pid != 0) {
    const std::string folder = folder_of(std::to_string(pid));
    if (DIR* opened = opendir(folder.c_str()))
      closedir(opened);
    else
      return base::system_error("cannot look at the descriptors of process " + std::to_string(pid), errno);
    add_groups_of(folder, pid, groups, refused);
    return groups;
  }
  const std::vector<std::string> processes = trace::detail::names_in("/proc");
  if (processes.empty()) return base::system_error("cannot look at /proc", errno);
  for (const std::string& name : processes) {
    const pid_t process = trace::detail::process_in(name, "");
    if (process > 0) add_groups_of(folder_of(name), process, groups, refused);
  }
  return groups;
}

base::Result<std::vector<GroupView>> find_groups(int pid, std::vector<std::string>* refused) {
  auto found = detail::find_groups_of_processes(pid, refused);
  if (!found) return found.error();
  std::vector<GroupView> groups;
  // By their files: what a header says of itself may be said twice.
  std::set<std::pair<dev_t, ino_t>> common;
  const auto is_new = [&](const GroupView& group) {
    struct stat file {};
    return fstat(group.memory_fd(), &file) == 0 && common.emplace(file.st_dev, file.st_ino).second;
  };
  for (detail::GroupOfProcess& one : *found)
    if (!one.group.is_common() || is_new(one.group)) groups.push_back(std::move(one.group));
  std::stable_sort(groups.begin(), groups.end(), [](const GroupView& a, const GroupView& b) {
    return std::pair(a.program(), a.pid()) < std::pair(b.program(), b.pid());
  });
  return groups;
}

}  // namespace maxlat::sensors
