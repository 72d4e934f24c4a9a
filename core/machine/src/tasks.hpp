// SPDX-License-Identifier: MIT
//
// The machine's threads with their scheduling, from /proc: for the fingerprint (kernel threads) and the settings
// (real-time tasks above the meters).
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <string>
#include <vector>

namespace maxlat::core {

struct Task {
  std::string comm;  // as the kernel keeps it, 15 characters
  std::string pid, tid;
  bool of_the_kernel = false;
  unsigned policy = 0, priority = 0;  // as sched_setscheduler(2) numbers them
};

// "SCHED_FIFO 50", "SCHED_OTHER".
std::string scheduling_text(const Task& task);
bool is_real_time(const Task& task);  // SCHED_FIFO, SCHED_RR, SCHED_DEADLINE

// Those that could be read. A thread may end while we look.
std::vector<Task> tasks_of(const MachineView& machine);

}  // namespace maxlat::core
