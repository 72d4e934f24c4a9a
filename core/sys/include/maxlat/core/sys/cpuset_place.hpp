// SPDX-License-Identifier: MIT
//
// Where cpusets are made on this machine: cgroup version 2 where its hierarchy has the controller, else version 1 where
// that is mounted, else nowhere. A box may have both mounted; the controller is in one of them only.
//
// And the one cpuset that is ours, the shield's. On version 2 it is threaded: a process can leave its other threads
// outside and send in the one that measures.
//
// And the table of mounts, in which the hierarchies are found.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace maxlat::core {

// A line of proc(5) mountinfo: "36 35 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate".
struct Mount {
  std::string at, type, options;  // "/sys/fs/cgroup", "cgroup2", "rw,nsdelegate"
};
// In the order in which they were mounted: of two at one place, the last is seen there. Empty where mountinfo cannot be
// read.
std::vector<Mount> mounts_of(const std::string& root);

struct CpusetPlace {
  enum class Version { two, one } version = Version::two;
  std::string mount;              // "/sys/fs/cgroup", "/sys/fs/cgroup/cpuset"
  std::string prefix;             // of the files of version 1: "cpuset.", or nothing where it is mounted with noprefix
  std::string group() const;      // the shield's own
  std::string cpus_file() const;  // of that group
  std::string process_file() const;  // into which a process writes 0 to come into the shield, whole
  std::string thread_file() const;   // into which one thread does
  std::string system_group() const;  // of version 1: where everything else is while a shield is on
  std::string outside_file() const;  // into which a process writes 0 to leave the shield, whole
  // The group that a text of /proc/PID/cgroup tells, below the mount; the mount itself where it tells none.
  std::string group_in(const std::string& proc_cgroup) const;
};

// All paths are below `root`: "/" in life, a folder in tests.
std::optional<CpusetPlace> cpuset_place(const std::string& root = "/");

}  // namespace maxlat::core
