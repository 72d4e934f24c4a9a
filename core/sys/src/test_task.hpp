// SPDX-License-Identifier: MIT
//
// For tests: a task as /proc shows it.
#pragma once

#include <maxlat/core/sys/starvation.hpp>
#include <string>

namespace maxlat::core {

// /proc/PID/task/TID/stat
inline std::string stat_line(const TaskStat& task) {
  std::string line = std::to_string(task.id) + " (" + task.name + ") " + task.state;
  for (int field = 4; field <= 41; ++field)
    line += ' ' + std::to_string(field == 4    ? static_cast<unsigned>(task.parent)
                                 : field == 14 ? task.cpu_clock_ticks
                                 : field == 39 ? task.cpu
                                 : field == 40 ? static_cast<unsigned>(task.real_time_priority)
                                 : field == 41 ? static_cast<unsigned>(task.policy)
                                               : 0);
  return line + " 0 0\n";
}

}  // namespace maxlat::core
