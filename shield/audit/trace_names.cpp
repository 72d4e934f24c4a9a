// SPDX-License-Identifier: MIT
#include "trace_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>

namespace maxlat::shield {
namespace {

using Kind = core::Interruption::Kind;

// What stands between `name` and the next field, `until`, or the end; names of tasks may have blanks in them.
std::string_view field(std::string_view fields, std::string_view name, std::string_view until = " ") {
  const size_t at = fields.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view value = fields.substr(at + name.size());
  return value.substr(0, value.find(until));
}

// "tick_sched_timer+0x0/0x80 [module]": without offset and module, which differ from build to build.
std::string function_name(std::string_view symbol) {
  return std::string(symbol.substr(0, symbol.find_first_of("+ ")));
}

// The kernel numbers priorities of real-time tasks from 0 (highest, 99 to the user) to 99; deadline is below, the
// others are above.
std::string policy_of(std::string_view priority) {
  if (priority.starts_with('-')) return "deadline";
  const auto value = core::whole_number<unsigned>(priority);
  return value && *value < 100 ? fmt::format("real-time {}", 99 - *value) : "";
}

std::string place_of(const TraceLine& line) {
  return task_on_cpu(line.comm, line.cpu);
}

}  // namespace

std::string task_on_cpu(std::string_view task, unsigned cpu) {
  return fmt::format("{} on CPU {}", task, cpu);
}

// The CPU stands in brackets behind the task's number, "my [1] hog-77   [001] "; names of tasks may have brackets, too.
std::optional<TraceLine> parse_trace_line(std::string_view line) {
  for (size_t open = line.find(" ["); open != std::string_view::npos; open = line.find(" [", open + 1)) {
    const size_t close = line.find("] ", open);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view task = core::trimmed(line.substr(0, open));
    const size_t dash = task.rfind('-');
    const auto cpu = core::whole_number<unsigned>(line.substr(open + 2, close - open - 2));
    if (!cpu || dash == std::string_view::npos || !core::whole_number<unsigned>(task.substr(dash + 1))) continue;
    const size_t time_ends = line.find(": ", close);
    const size_t event_ends = time_ends == std::string_view::npos ? time_ends : line.find(": ", time_ends + 2);
    if (event_ends == std::string_view::npos) return std::nullopt;
    const std::string_view comm = task.substr(0, dash);
    return TraceLine{comm == "<idle>" ? "idle" : comm, *cpu, line.substr(time_ends + 2, event_ends - time_ends - 2),
                     line.substr(event_ends + 2)};
  }
  return std::nullopt;
}

void TraceNames::count(unsigned cpu, Kind kind, std::string name, std::string what, std::string by) {
  if (!core::contains(cpus_, cpu)) return;
  ++counts_[{cpu, kind, std::move(name), std::move(what), std::move(by)}];
}

void TraceNames::count_task(unsigned cpu, std::string_view fields, std::string_view comm, std::string_view pid,
                            std::string_view priority) {
  const std::string number(field(fields, pid));
  if (number == "0") return;
  const auto waker = woken_by_.find(number);
  count(cpu, Kind::task, std::string(field(fields, comm, pid)), policy_of(field(fields, priority)),
        waker == woken_by_.end() ? "" : waker->second);
}

void TraceNames::add(const TraceLine& line) {
  const std::string_view fields = line.fields;
  if (line.event == "sched_waking") {
    woken_by_[std::string(field(fields, " pid="))] = place_of(line);
  } else if (line.event == "sched_switch") {
    // Some kernels record no switch from the idle task: whoever leaves, and did not come, came from there.
    const auto came = running_.find(line.cpu);
    if (came != running_.end() && came->second != field(fields, " prev_pid="))
      count_task(line.cpu, fields, "prev_comm=", " prev_pid=", " prev_prio=");
    const std::string_view next = fields.substr(std::min(fields.find("next_comm="), fields.size()));
    count_task(line.cpu, next, "next_comm=", " next_pid=", " next_prio=");
    running_[line.cpu] = field(next, " next_pid=");
  } else if (line.event == "workqueue_execute_start") {
    count(line.cpu, Kind::work, function_name(field(fields, "function ", ")")));
  } else if (line.event == "hrtimer_expire_entry" || line.event == "timer_expire_entry") {
    count(line.cpu, Kind::function, function_name(field(fields, "function=")));
  } else if (line.event == "page_fault_user" || line.event == "page_fault_kernel") {
    count(line.cpu, Kind::fault, line.event == "page_fault_user" ? "page fault" : "page fault of the kernel",
          std::string(line.comm));
  } else if (line.event == "ipi_send_cpu") {
    if (const auto cpu = core::whole_number<unsigned>(field(fields, "cpu=")))
      count(*cpu, Kind::sent, function_name(field(fields, "callback=")), "", place_of(line));
  } else if (line.event == "ipi_send_cpumask") {
    const auto cpus = core::parse_cpu_list(field(fields, "cpumask="));
    if (!cpus) return;
    for (const unsigned cpu : *cpus)
      count(cpu, Kind::sent, function_name(field(fields, "callback=")), "", place_of(line));
  }
}

std::vector<core::Interruption> TraceNames::of(unsigned cpu) const {
  std::vector<core::Interruption> named;
  for (const auto& [key, count] : counts_) {
    const auto& [where, kind, name, what, by] = key;
    if (where == cpu) named.push_back({.kind = kind, .name = name, .what = what, .by = by, .count = count});
  }
  std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return named;
}

}  // namespace maxlat::shield
