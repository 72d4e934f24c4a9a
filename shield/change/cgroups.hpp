// SPDX-License-Identifier: MIT
//
// Where cpusets are made on this machine: cgroup version 2 where its hierarchy has the controller, else version 1 where
// that is mounted, else nowhere. A box may have both mounted; the controller is in one of them only.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <optional>
#include <string>

namespace maxlat::shield {

struct CpusetPlace {
  enum class Version { two, one } version = Version::two;
  std::string mount;          // "/sys/fs/cgroup", "/sys/fs/cgroup/cpuset"
  std::string prefix;         // of the files of version 1: "cpuset.", or nothing where it is mounted with noprefix
  std::string group() const;  // the shield's own
  std::string threads_file() const;  // into which a process writes its number to come into the shield, whole
};

std::optional<CpusetPlace> cpuset_place(const core::MachineView& machine);

}  // namespace maxlat::shield
