// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <mutex>
#include <utility>

namespace maxlat::core {
namespace {

// A cgroup takes the number of a thread or a process in one write. 0 is whoever writes.
Status write_zero(const std::string& path, const char* what_for = "come into") {
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0 || ::write(file.number(), "0\n", 2) != 2)
    return system_error(std::string("cannot ") + what_for + " the shield: " + path, errno);
  return {};
}

std::string own_group(const std::string& root, const CpusetPlace& place) {
  return place.group_in(read_text(root + "/proc/self/cgroup").value_or(""));
}

}  // namespace

std::optional<ShieldDoor> ShieldDoor::find(const std::string& root) {
  std::optional<CpusetPlace> place = cpuset_place(root);
  if (!place) return std::nullopt;
  const auto text = read_text(root + place->cpus_file());
  if (!text || text->empty()) return std::nullopt;
  Result<CpuList> cpus = parse_cpu_list(*text);
  if (!cpus) return std::nullopt;
  return ShieldDoor(root, *std::move(place), *std::move(cpus));
}

bool ShieldDoor::may_enter() const {
  return ::access((root_ + place_.thread_file()).c_str(), W_OK) == 0;
}

// Moving the process takes all its threads along, those too that are in the shield already: hence once, under a lock.
Status ShieldDoor::come_near() const {
  if (place_.version != CpusetPlace::Version::two) return {};
  static std::mutex moving;
  const std::lock_guard lock(moving);
  const std::string now = own_group(root_, place_);
  if (now == place_.mount || now == place_.group()) return {};
  return write_zero(root_ + place_.mount + "/cgroup.procs");
}

bool ShieldDoor::has_whole_process() const {
  return own_group(root_, place_) == place_.group();
}

Status ShieldDoor::leave() const {
  return write_zero(root_ + place_.outside_file(), "leave");
}

Status ShieldDoor::enter() const {
  if (const Status near = come_near(); !near) return near;
  return write_zero(root_ + place_.thread_file());
}

}  // namespace maxlat::core
