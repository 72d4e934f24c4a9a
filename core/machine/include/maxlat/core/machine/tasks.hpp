// SPDX-License-Identifier: MIT
//
// The machine's threads with their scheduling, from /proc: for the fingerprint (kernel threads), the settings
// (real-time tasks above the meters) and the shield, which moves them.
#pragma once

#include <cstdint>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

struct Task {
  std::string comm;  // as the kernel keeps it, 15 characters
  std::string pid, tid;
  bool of_the_kernel = false;
  bool bound = false;                 // by the kernel, to CPUs of its choice: no one may move it
  unsigned policy = 0, priority = 0;  // as sched_setscheduler(2) numbers them
  uint64_t started = 0;               // clock ticks since boot: numbers of threads come back, with another start
};

// "SCHED_FIFO 50", "SCHED_OTHER".
std::string scheduling_text(const Task& task);
bool is_real_time(const Task& task);  // SCHED_FIFO, SCHED_RR, SCHED_DEADLINE

// Those that could be read and have not ended. A thread may end while we look.
std::vector<Task> tasks_of(const MachineView& machine);
// One of them, by its number; nothing when there is none.
std::optional<Task> task_of(const MachineView& machine, unsigned tid);
// The first word of a field of its status: "State", "PPid"; nothing when it has ended, or has no such field.
std::optional<std::string> status_word(const MachineView& machine, const Task& task, std::string_view field);
// By a shield, by a debugger, by a person.
bool is_stopped(const MachineView& machine, const Task& task);
// The CPUs that it may use; nothing when it has ended.
std::optional<CpuList> cpus_of(const MachineView& machine, const Task& task);

}  // namespace maxlat::core
