// SPDX-License-Identifier: MIT
//
// From the kernel's events, as tracefs prints them, to names: which task ran on a CPU and who woke it, which work item,
// which timer function, which other CPU sent an interrupt for what.
//
//   sched_switch            a task; by: the last who woke it (sched_waking, on any CPU)
//   workqueue_execute_start a work item
//   hrtimer_expire_entry, timer_expire_entry  a function of a timer
//   page_fault_user, page_fault_kernel        a fault, and whose
//   ipi_send_cpu, ipi_send_cpumask            what the other CPU wants done; by: the task there (Linux 6.4 and later)
//
// Interrupts of devices and of the CPU's timer are named in /proc/interrupts and not counted here again.
#pragma once

#include <map>
#include <maxlat/core/result/activity.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace maxlat::shield {

// "  <idle>-0   [001] d..2.  12.345678: sched_switch: prev_comm=…". `comm` is of the task that ran when it happened.
struct TraceLine {
  std::string_view comm;
  unsigned cpu = 0;
  std::string_view event, fields;
};
// Nothing: a comment, or no event.
std::optional<TraceLine> parse_trace_line(std::string_view line);

// Who sent something: "sh on CPU 1".
std::string task_on_cpu(std::string_view task, unsigned cpu);

class TraceNames {
 public:
  explicit TraceNames(core::CpuList cpus) : cpus_(std::move(cpus)) {}

  // In the order of time. What is not about one of the CPUs is ignored.
  void add(const TraceLine& line);
  // Most frequent first.
  std::vector<core::Interruption> of(unsigned cpu) const;

 private:
  using Key = std::tuple<unsigned, core::Interruption::Kind, std::string, std::string, std::string>;
  void count(unsigned cpu, core::Interruption::Kind kind, std::string name, std::string what = {}, std::string by = {});

  // Of the names of the fields with its name, number and priority.
  void count_task(unsigned cpu, std::string_view fields, std::string_view comm, std::string_view pid,
                  std::string_view priority);

  core::CpuList cpus_;
  std::map<Key, uint64_t> counts_;
  std::map<std::string, std::string> woken_by_;  // by the woken task's number
  std::map<unsigned, std::string> running_;      // number of the task that a CPU switched to last
};

}  // namespace maxlat::shield
