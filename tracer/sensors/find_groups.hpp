// SPDX-License-Identifier: MIT
//
// The same as find_groups() (maxlat/sensors/monitor.hpp), with the processes in which they were found: a common group
// is several processes'.
#pragma once

#include <sys/types.h>

#include <maxlat/sensors/monitor.hpp>
#include <string>
#include <vector>

namespace maxlat::sensors::detail {

struct GroupOfProcess {
  pid_t pid;
  GroupView group;
};

// In the order of /proc.
base::Result<std::vector<GroupOfProcess>> find_groups_of_processes(int pid = 0,
                                                                   std::vector<std::string>* refused = nullptr);

}  // namespace maxlat::sensors::detail
