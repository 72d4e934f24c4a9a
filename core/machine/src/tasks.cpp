// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sched.h>

#include <maxlat/core/machine/tasks.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

constexpr unsigned kDeadline = 6;              // SCHED_DEADLINE: its header redefines glibc's sched_param
constexpr unsigned long kKernel = 0x00200000;  // PF_KTHREAD
constexpr unsigned long kBound = 0x04000000;   // PF_NO_SETAFFINITY

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// proc(5): the name stands in parentheses and may hold some itself, so the fields are counted from the last one.
std::optional<Task> task_from(const std::string& stat) {
  const size_t open = stat.find('('), close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Task task;
  task.comm = stat.substr(open + 1, close - open - 1);
  std::istringstream fields(stat.substr(close + 1));
  unsigned long flags = 0;
  std::string field;
  for (int number = 3; number <= 41 && fields >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) return std::nullopt;  // it has ended; its parent has not looked
    if (number != 9 && number != 22 && number != 40 && number != 41) continue;
    if (!is_number(field)) return std::nullopt;
    const unsigned long value = std::stoul(field);
    if (number == 9) flags = value;
    if (number == 22) task.started = value;
    if (number == 40) task.priority = static_cast<unsigned>(value);
    if (number == 41) task.policy = static_cast<unsigned>(value);
  }
  if (!fields) return std::nullopt;
  task.of_the_kernel = (flags & kKernel) != 0;
  task.bound = (flags & kBound) != 0;
  return task;
}

std::optional<Task> read_task(const MachineView& machine, const std::string& pid, const std::string& tid) {
  const auto stat = machine.read(fmt::format("/proc/{}/task/{}/stat", pid, tid));
  auto task = stat ? task_from(*stat) : std::nullopt;
  if (!task) return std::nullopt;
  task->pid = pid;
  task->tid = tid;
  return task;
}

}  // namespace

std::string scheduling_text(const Task& task) {
  switch (task.policy) {
    case SCHED_FIFO:
      return fmt::format("SCHED_FIFO {}", task.priority);
    case SCHED_RR:
      return fmt::format("SCHED_RR {}", task.priority);
    case SCHED_BATCH:
      return "SCHED_BATCH";
    case SCHED_IDLE:
      return "SCHED_IDLE";
    case kDeadline:
      return "SCHED_DEADLINE";
    case SCHED_OTHER:
      return "SCHED_OTHER";
    default:
      return fmt::format("policy {}", task.policy);
  }
}

bool is_real_time(const Task& task) {
  return task.policy == SCHED_FIFO || task.policy == SCHED_RR || task.policy == kDeadline;
}

std::vector<Task> tasks_of(const MachineView& machine) {
  std::vector<Task> tasks;
  for (const std::string& pid : machine.list("/proc")) {
    if (!is_number(pid)) continue;
    for (const std::string& tid : machine.list("/proc/" + pid + "/task")) {
      if (auto task = read_task(machine, pid, tid)) tasks.push_back(*std::move(task));
    }
  }
  return tasks;
}

// The kernel keeps /proc/TID for every thread, though it lists processes alone.
std::optional<Task> task_of(const MachineView& machine, unsigned tid) {
  const std::string number = std::to_string(tid);
  return read_task(machine, number, number);
}

// A line begins with its field. The first one is the name: the choice of the process, and it may look like another.
std::optional<std::string> status_word(const MachineView& machine, const Task& task, std::string_view field) {
  const auto status = machine.read(fmt::format("/proc/{}/task/{}/status", task.pid, task.tid));
  const std::string begin = fmt::format("\n{}:", field);
  const size_t at = status ? status->find(begin) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  std::istringstream rest(status->substr(at + begin.size()));
  std::string word;
  rest >> word;
  return word;
}

bool is_stopped(const MachineView& machine, const Task& task) {
  return status_word(machine, task, "State") == "T";
}

std::optional<CpuList> cpus_of(const MachineView& machine, const Task& task) {
  const auto list = status_word(machine, task, "Cpus_allowed_list");
  if (!list) return std::nullopt;
  auto cpus = parse_cpu_list(*list);
  return cpus ? std::optional(*std::move(cpus)) : std::nullopt;
}

}  // namespace maxlat::core
